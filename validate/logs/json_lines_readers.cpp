// SPDX-License-Identifier: Apache-2.0

// Readers of JSON that has a form of its own: watch events of Kubernetes' Lease objects
// (`kubectl get lease NAME -o json --watch --output-watch-events`, one document a line) and
// OpenTelemetry's spans (OTLP JSON, one span or one export a line).
//
// A watch event is a write by the holder, at its renewTime, which has microseconds. A span is an
// operation: its begin is the call, its end the answer; its name with the attribute lock.outcome
// says which, and an error without an outcome leaves it unknown. Attributes lock.caller, lock.key,
// lock.token; without a caller it is the service.
#include "model/json.hpp"
#include "validate/logs/line_words.hpp"

namespace lockkeeper::logs {
namespace {

std::string text_at(const nlohmann::json& json, const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

// {"type": "MODIFIED", "object": {"kind": "Lease", "metadata": ..., "spec": {"holderIdentity": ...
class LeaseWatchReader final : public LineReader {
  public:
    using LineReader::LineReader;

    std::optional<ReadLine> read(const std::string& line) override {
        const nlohmann::json event = nlohmann::json::parse(line, nullptr, false);
        if (!event.is_object()) {
            return std::nullopt;
        }
        const nlohmann::json lease = event.value("object", event);
        const nlohmann::json none = nlohmann::json::object();
        if (!lease.is_object() || text_at(lease, "kind") != "Lease" ||
            text_at(event, "type") == "DELETED") {
            return std::nullopt;
        }
        const nlohmann::json spec = lease.value("spec", none);
        const nlohmann::json metadata = lease.value("metadata", none);
        if (!spec.is_object() || !metadata.is_object()) {
            return std::nullopt;
        }
        const std::string version = text_at(metadata, "resourceVersion");
        const std::string name = text_at(metadata, "name");
        const std::string place = text_at(metadata, "namespace");
        const auto time = read_log_time(text_at(spec, "renewTime"));
        std::string& last_version = last_versions_[place + "/" + name];
        if (!time || (!version.empty() && version == last_version)) {
            return std::nullopt;  // the same write, told again
        }
        last_version = version;
        ReadLine read = at(*time);
        read.seen.seen = Seen::kState;
        read.seen.caller = text_at(spec, "holderIdentity");
        read.seen.is_write = !read.seen.caller.empty();
        // A holder that gives its lease back leaves it without one.
        std::string& last_holder = holders_[place + "/" + name];
        if (read.seen.caller.empty() && !last_holder.empty()) {
            read.seen.seen = Seen::kServed;
            read.seen.code = LockCode::kRelease;
            std::swap(read.seen.caller, last_holder);
        } else {
            last_holder = read.seen.caller;
        }
        read.seen.key = name;
        read.seen.full_key = place.empty() ? "" : place + "/" + name;
        return read;
    }
    const char* expects() const override {
        return R"({"type": "MODIFIED", "object": {"kind": "Lease", "spec": {"renewTime": ...}}})";
    }

  private:
    std::map<std::string, std::string> last_versions_;  // by namespace and name
    std::map<std::string, std::string> holders_;        // the last, by namespace and name
};

class SpanReader final : public LineReader {
  public:
    using LineReader::LineReader;

    std::optional<ReadLine> read(const std::string& line) override {
        const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
        if (!json.is_object()) {
            return std::nullopt;
        }
        std::string service;
        const nlohmann::json* span = only_span(json, service);
        if (span == nullptr) {
            return std::nullopt;
        }
        const auto begin = read_log_time(number_at(*span, "startTimeUnixNano"));
        const auto end = read_log_time(number_at(*span, "endTimeUnixNano"));
        if (!begin || !end || end->latest < begin->earliest) {
            return std::nullopt;
        }
        ReadLine read = at(*end);
        read.seen.caller = first_of(*span, mapping().caller, service);
        read.seen.key = first_of(*span, mapping().key, "");
        read.seen.token = first_of(*span, mapping().token, "");
        const std::string outcome = attribute(*span, "lock.outcome");
        const std::string words = text_at(*span, "name") + (outcome.empty() ? "" : " " + outcome);
        if (read.seen.caller.empty() || !understand(words, read.seen)) {
            return std::nullopt;
        }
        // An error says that it failed, and not that the lock said no.
        const nlohmann::json status = span->value("status", nlohmann::json::object());
        const bool has_failed = status.is_object() && status.value("code", 0) == 2;
        if (read.seen.seen == Seen::kAnswer && has_failed && outcome.empty()) {
            read.seen.outcome = Outcome::kUnknown;
        }
        if (read.seen.seen == Seen::kAnswer) {
            read.begin = *begin;
        }
        read.source = read.seen.caller;
        return read;
    }
    bool is_by_time() const override { return true; }
    const char* expects() const override {
        return R"({"name": "acquired", "startTimeUnixNano": "1", "endTimeUnixNano": "2", ...})";
    }

  private:
    static std::string number_at(const nlohmann::json& json, const char* name) {
        const auto found = json.find(name);
        return found == json.end()  ? ""
               : found->is_string() ? found->get<std::string>()
               : found->is_number() ? found->dump()
                                    : "";
    }

    // A bare span, or an export of exactly one.
    static const nlohmann::json* only_span(const nlohmann::json& json, std::string& service) {
        const nlohmann::json* at = &json;
        for (const char* name : {"resourceSpans", "scopeSpans", "spans"}) {
            const auto found = at->find(name);
            if (found == at->end()) {
                continue;
            }
            if (!found->is_array() || found->size() != 1 || !found->front().is_object()) {
                return nullptr;
            }
            at = &found->front();
            const auto resource = at->find("resource");
            if (resource != at->end() && resource->is_object()) {
                service = attribute(*resource, "service.instance.id");
                service = service.empty() ? attribute(*resource, "service.name") : service;
            }
        }
        return at->contains("startTimeUnixNano") ? at : nullptr;
    }

    // {"attributes": [{"key": "lock.key", "value": {"stringValue": "job"}}]}
    static std::string attribute(const nlohmann::json& json, const std::string& name) {
        const auto list = json.find("attributes");
        if (list == json.end() || !list->is_array()) {
            return "";
        }
        for (const nlohmann::json& one : *list) {
            if (one.is_object() && text_at(one, "key") == name && one.contains("value") &&
                one["value"].is_object()) {
                return text_at(one["value"], "stringValue");
            }
        }
        return "";
    }

    static std::string first_of(const nlohmann::json& span, const std::vector<std::string>& names,
                                const std::string& otherwise) {
        for (const std::string& name : names) {
            for (const char* prefix : {"", "lock."}) {
                std::string value = attribute(span, prefix + name);
                if (!value.empty()) {
                    return value;
                }
            }
        }
        return otherwise;
    }
};

}  // namespace

std::unique_ptr<LineReader> make_lease_reader(const Mapping& mapping) {
    return std::make_unique<LeaseWatchReader>(mapping);
}
std::unique_ptr<LineReader> make_span_reader(const Mapping& mapping) {
    return std::make_unique<SpanReader>(mapping);
}

}  // namespace lockkeeper::logs
