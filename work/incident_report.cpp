// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "properties/catalogue.hpp"
#include "validate/logs/document.hpp"
#include "work/incident.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLanesMax = 250;
constexpr std::int64_t kBefore = INT64_MIN;  // nobody knows when
constexpr std::int64_t kAfter = INT64_MAX;

std::int64_t time_of(const Json& time, std::int64_t unknown) {
    return time.is_null() ? unknown : time.get<std::int64_t>();
}
std::string text_of(const Json& text, const char* none) {
    return text.is_null() ? none : text.get<std::string>();
}

// A thing that happens at one time: a step, and who holds after it.
struct Happening {
    std::int64_t time = 0;
    TraceStep step;
    SourceLine source;
    std::int32_t holds = 0;  // by how much the caller's bar changes
    std::optional<HistoryType> call = {};
    std::string operation;
    std::optional<std::uint32_t> ends = {};  // whose lease runs out
};

Verb verb_of(const std::string& operation) {
    return operation == name_of(LockCode::kAcquire)   ? Verb::kAcquire
           : operation == name_of(LockCode::kRelease) ? Verb::kRelease
                                                      : Verb::kCall;
}

bool is_broken(const Json& lock) {
    return lock["verdict"] == logs::verdict_word(logs::Answer::kBroken) &&
           lock["explained"].get<bool>();
}

class IncidentTrace {
  public:
    explicit IncidentTrace(const Json& lock) : document_(lock), run_(lock["run"]) {
        for (const Json& caller : lock["callers"]) {
            numbers_.try_emplace(caller.get<std::string>(), number_of_parties());
            trace_.parties.push_back({caller.get<std::string>(), Doer::kCaller});
        }
        lock_ = number_of_parties();
        trace_.parties.push_back({"lock", Doer::kServers});
        trace_.keys.push_back(lock["lock"] == "" ? "lock" : lock["lock"].get<std::string>());
        trace_.features = kShowsGrants;
        for (std::size_t i = 0; i < std::min<std::size_t>(lock_, kLanesMax); ++i) {
            trace_.fields.push_back({ShownKind::kBelieved, static_cast<std::uint8_t>(i), 0});
            trace_.initial_values.push_back(0);
        }
    }

    void fill() {
        note_holdings();
        for (const Json& moment : run_["moments"]) {
            add_moment(moment);
        }
        for (const Json& missing : run_["missing"]) {
            add_missing(missing);
        }
        for (const Json& holding : run_["holdings"]) {
            add_end(holding);
        }
        if (!document_["stops_at"].is_null()) {
            add_stop(document_["stops_at"]);
        }
        std::stable_sort(
            happenings_.begin(), happenings_.end(),
            [](const Happening& left, const Happening& right) { return left.time < right.time; });
        std::vector<std::int32_t> holds(trace_.fields.size(), 0);
        for (Happening& happening : happenings_) {
            put(happening, holds);
        }
    }
    [[nodiscard]] Trace take() { return std::move(trace_); }
    [[nodiscard]] std::vector<SourceLine> take_sources() { return std::move(sources_); }

  private:
    [[nodiscard]] std::uint32_t number_of_parties() const {
        return static_cast<std::uint32_t>(trace_.parties.size());
    }
    // The caller's lane; the lock's, where nobody is named.
    [[nodiscard]] std::uint32_t party_of(const Json& caller) const {
        return caller.is_null() ? lock_ : numbers_.at(caller.get<std::string>());
    }
    [[nodiscard]] static std::string window(const Json& json) {
        const std::string from = text_of(json["time"], "?");
        const std::string to = text_of(json["time_latest"], "?");
        return from == to ? from : from + ".." + to;
    }
    Happening& add(std::int64_t at, std::uint32_t party, const std::string& label) {
        Happening happening;
        happening.time = at;
        happening.step.party = party;
        happening.step.action.actor = static_cast<std::uint8_t>(std::min<std::size_t>(party, 255));
        happening.step.words.label = label;
        happening.step.words.doer = party == lock_ ? Doer::kServers : Doer::kCaller;
        happening.step.text = trace_.parties[party].name + ": " + label;
        happenings_.push_back(std::move(happening));
        return happenings_.back();
    }

    static void add_line(Happening& happening, const Json& line) {
        const auto file = line["file"].get<std::string>();
        const auto number = line["line"].get<std::uint32_t>();
        happening.source = {file, number};
        happening.step.text =
            fmt::format("{}:{}: {}", file, number, line["text"].get<std::string>());
    }

    void add_moment(const Json& moment) {
        const auto is = [&](const char* key) { return moment[key].get<bool>(); };
        const Json& line = moment["line"];
        const auto operation = moment["operation"].get<std::string>();
        const std::string what = operation + (is("refused") ? " is refused" : "");
        Happening& added =
            add(time_of(moment["earliest"], kBefore), party_of(moment["caller"]),
                line.is_null() ? what + " (no line shows it)" : line["text"].get<std::string>());
        added.operation = operation;
        if (!line.is_null()) {
            add_line(added, line);
            added.call = call_of(moment);
        }
        const bool is_outside = is("without_lock");
        added.step.is_cause = is("hidden") || is("unanswered") || is_outside;
        added.step.state = window(moment);
        if (is_outside) {
            added.step.result = "-> does not hold";
            if (is_broken(document_)) {
                added.step.violates = {find_property("unprotected-effect")};
            }
        } else if (is("carried_out")) {
            added.step.result = "-> the lock carries it out: " + what;
            added.holds = begins_or_ends(moment);
        }
    }

    static std::optional<HistoryType> call_of(const Json& moment) {
        if (moment["seen"] == logs::name_of(logs::Seen::kCall)) {
            return HistoryType::kInvoke;
        }
        if (moment["outcome"].is_null()) {
            return std::nullopt;
        }
        return moment["outcome"] == logs::name_of(logs::Outcome::kOk)        ? HistoryType::kOk
               : moment["outcome"] == logs::name_of(logs::Outcome::kUnknown) ? HistoryType::kInfo
                                                                             : HistoryType::kFail;
    }

    // A holding's first or last moment is the operation that began or ended it.
    [[nodiscard]] std::int32_t begins_or_ends(const Json& moment) const {
        const bool gives_back = moment["operation"] == name_of(LockCode::kRelease);
        const auto& times = gives_back ? ends_ : begins_;
        const bool is_one =
            !moment["refused"].get<bool>() && times.contains(time_at(moment, moment));
        return !is_one ? 0 : gives_back ? -1 : 1;
    }

    using PartyTime = std::pair<std::uint32_t, std::int64_t>;
    [[nodiscard]] PartyTime time_at(const Json& of_caller, const Json& at) const {
        return {party_of(of_caller["caller"]), time_of(at["earliest"], kBefore)};
    }
    void note_holdings() {
        for (const Json& holding : run_["holdings"]) {
            begins_.insert(time_at(holding, holding["from"]));
            if (holding["ended"] == "released") {
                ends_.insert(time_at(holding, holding["until"]));
            }
        }
    }

    void add_missing(const Json& missing) {
        if (missing["may_have_died"].get<bool>()) {
            return;  // nobody need have written it
        }
        Happening& added =
            add(time_of(missing["earliest"], kBefore), party_of(missing["caller"]),
                fmt::format("a line is missing: {}, {}", missing["operation"].get<std::string>(),
                            missing["line"].get<std::string>()));
        added.step.words.fault = "no log has this line";
        added.step.is_cause = true;
        added.step.state = text_of(missing["time"], "?");
    }

    void add_end(const Json& holding) {
        const Json& until = holding["until"];
        if (holding["ended"] != "ran out" || until["earliest"].is_null()) {
            return;
        }
        Happening& added =
            add(time_of(until["earliest"], kAfter), lock_,
                "the lease of " + holding["caller"].get<std::string>() + " runs out");
        added.step.state = window(until);
        added.step.action.kind = ActionKind::kBackground;
        added.ends = party_of(holding["caller"]);
    }

    void add_stop(const Json& stop) {
        Happening& added = add(kAfter, party_of(stop["caller"]), stop["text"].get<std::string>());
        add_line(added, stop);
        added.step.result = "-> no run gets here";
        added.step.is_cause = true;
    }

    void put(Happening& happening, std::vector<std::int32_t>& holds) {
        TraceStep& step = happening.step;
        const auto number = static_cast<std::uint32_t>(trace_.steps.size());
        if (happening.call && step.party < std::min<std::size_t>(lock_, kLanesMax)) {
            HistoryEntry entry;
            entry.step = number;
            entry.caller = static_cast<std::uint8_t>(step.party);
            entry.type = *happening.call;
            entry.verb = verb_of(happening.operation);
            step.words.operation = happening.operation;
            trace_.history.push_back(entry);
        }
        const std::uint32_t field = step.party;
        if (happening.holds != 0 && field < holds.size()) {
            change(field, happening.holds, holds, step);
        }
        if (happening.ends && *happening.ends < holds.size() && holds[*happening.ends] > 0) {
            change(*happening.ends, -1, holds, step);
        }
        std::string holders;
        for (std::uint32_t caller = 0; caller < holds.size(); ++caller) {
            holders += holds[caller] > 0
                           ? (holders.empty() ? "held by " : ", ") + trace_.parties[caller].name
                           : "";
        }
        step.state += (step.state.empty() ? "" : "  ") + (holders.empty() ? "free" : holders);
        trace_.steps.push_back(std::move(step));
        sources_.push_back(std::move(happening.source));
    }

    static void change(std::uint32_t field, std::int32_t by, std::vector<std::int32_t>& holds,
                       TraceStep& step) {
        holds[field] = std::max(0, holds[field] + by);
        step.changes.push_back({field, holds[field]});
    }

    const Json& document_;
    const Json& run_;
    std::map<std::string, std::uint32_t> numbers_;  // of the callers' parties
    std::uint32_t lock_ = 0;                        // the party
    std::set<PartyTime> begins_;                    // of holdings
    std::set<PartyTime> ends_;                      // of those that were released
    Trace trace_;
    std::vector<SourceLine> sources_;
    std::vector<Happening> happenings_;
};

// "verdict: violated: ..." without its first word, and without the run.
std::string first_line(const std::string& text) {
    constexpr std::string_view kBeginning = "verdict: ";
    const std::string line = text.substr(0, text.find('\n'));
    return line.starts_with(kBeginning) ? line.substr(kBeginning.size()) : line;
}

Verdict verdict_of(const Json& lock) {
    const std::string detail = first_line(lock["text"].get<std::string>());
    const auto verdict = lock["verdict"].get<std::string>();
    const std::string without =
        detail.starts_with(verdict + ": ") ? detail.substr(verdict.size() + 2) : detail;
    if (verdict == logs::verdict_word(logs::Answer::kExplained)) {
        return Passed{detail};
    }
    if (verdict == logs::verdict_word(logs::Answer::kUndecided)) {
        return Inconclusive{text_of(lock["limit"], ""), without};
    }
    return Violated{without, is_broken(lock) ? "unprotected-effect" : ""};
}

std::string names_of_files(const Json& lock) {
    std::string text;
    for (const Json& file : lock["files"]) {
        text += (text.empty() ? "" : ", ") + file.get<std::string>();
    }
    return text;
}

}  // namespace

RunReport incident_report(const Json& lock, const std::string& model, double seconds) {
    RunReport report;
    report.command = "explain";
    report.file = names_of_files(lock);
    report.system = "logs";
    report.variant = model;
    report.strategy = "explain";
    report.verdict = verdict_of(lock);
    report.scope = fmt::format("{} lines, model {}", lock["lines"].get<std::uint64_t>(), model);
    report.short_scope = report.scope;
    report.complete = lock["limit"].is_null();
    report.seconds = seconds;
    report.details = ExplainedAnswer{lock["text"].get<std::string>(),
                                     lock.dump(-1, ' ', false, Json::error_handler_t::replace)};
    IncidentTrace trace(lock);
    trace.fill();
    if (!is<Violated>(report.verdict)) {
        report.replayed = trace.take();
        return report;
    }
    Finding finding;
    if (is_broken(lock)) {
        finding.property = find_property("unprotected-effect");
    }
    finding.kind = "incident";
    finding.difference = detail_of(report.verdict);
    finding.trace = trace.take();
    if (finding.property != nullptr) {
        finding.trace.violated = {finding.property};
        finding.trace.judged = {finding.property};
    }
    finding.sources = trace.take_sources();
    report.findings.push_back(std::move(finding));
    return report;
}

}  // namespace lockkeeper
