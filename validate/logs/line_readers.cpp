// SPDX-License-Identifier: Apache-2.0

// The readers of the plain form, klog and Redis MONITOR, and who reads which format.
#include <algorithm>

#include "model/json.hpp"
#include "validate/logs/line_words.hpp"

namespace lockkeeper::logs {
namespace {

// Behind so many words.
std::string rest_behind(std::string_view text, std::size_t words) {
    for (std::size_t i = 0; i < words; ++i) {
        text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
        text.remove_prefix(std::min(text.find_first_of(" \t"), text.size()));
    }
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    return std::string(text);
}

class PlainReader final : public LineReader {
  public:
    using LineReader::LineReader;

    std::optional<ReadLine> read(const std::string& line) override {
        const std::vector<std::string> words = words_of(line);
        const auto time = words.size() < 3 ? std::nullopt : read_log_time(words[0]);
        if (!time) {
            return std::nullopt;
        }
        ReadLine read = at(*time);
        read.source = words[1];
        if (words[2].starts_with("holder=") || words[2].starts_with("count=")) {
            return read_state({words.begin() + 2, words.end()}, read) ? std::optional(read)
                                                                      : std::nullopt;
        }
        read.seen.caller = words[1];
        if (understand(rest_behind(line, 2), read.seen)) {
            read.seen.token = is_answer_with_token(read.seen, words) ? words[3] : "";
            return read;
        }
        const bool is_command =
            commands_.read(words[2], {words.begin() + 3, words.end()}, read.seen, "", read.source);
        return is_command ? std::optional(read) : std::nullopt;
    }
    const char* expects() const override {
        return "a time, a name and what happened: 12.001 w1 acquired t1";
    }

  private:
    // "w1 acquired t1"
    static bool is_answer_with_token(const Observation& seen,
                                     const std::vector<std::string>& words) {
        return seen.seen == Seen::kAnswer && seen.outcome == Outcome::kOk && words.size() == 4 &&
               words[2] == "acquired";
    }
    RedisCommands commands_;
};

// Where the line's own text begins, behind what a journal or a collector put before it; npos: it
// is not of klog.
std::size_t klog_begin(const std::string& line) {
    for (std::size_t i = 0; i + 15 < line.size(); ++i) {
        const std::string_view rest = std::string_view(line).substr(i);
        if (std::string_view("IWEF").find(rest[0]) != std::string_view::npos && rest[5] == ' ' &&
            read_klog_time(rest.substr(1, rest.find(' ', 6) - 1), kYearUnknown)) {
            return i;
        }
    }
    return std::string::npos;
}

// I0301 12:00:00.123456       1 leaderelection.go:258] successfully acquired lease kube-system/a
class KlogReader final : public LineReader {
  public:
    KlogReader(const Mapping& mapping, std::string caller)
        : LineReader(mapping), caller_(std::move(caller)), year_(mapping.year) {}

    std::optional<ReadLine> read(const std::string& whole) override {
        const std::size_t begin = klog_begin(whole);
        const std::string line = begin == std::string::npos ? "" : whole.substr(begin);
        const std::size_t message = line.find("] ");
        const std::vector<std::string> words = words_of(line);
        if (message == std::string::npos || words.size() < 4) {
            return std::nullopt;
        }
        const std::string day = words[0].substr(1);
        year_ += last_day_.starts_with("12") && day.starts_with("01") ? 1 : 0;
        last_day_ = day;
        const auto time = read_klog_time(day + " " + words[1], year_);
        if (!time) {
            return std::nullopt;
        }
        ReadLine read = at(*time);
        read.seen.caller = caller_;
        return understand(line.substr(message + 2), read.seen) ? std::optional(read) : std::nullopt;
    }
    const char* expects() const override {
        return "I0301 12:00:00.123456 1 leaderelection.go:258] successfully acquired lease a/b";
    }
    std::string remark() const override {
        return year_ == mapping().year ? "" : "its times have no year, and pass New Year";
    }

  private:
    std::string caller_;
    std::string last_day_;
    int year_;
};

// 1709294400.123456 [0 10.0.0.7:41] "SET" "job" "t1" "PX" "1000" "NX"
class RedisReader final : public LineReader {
  public:
    using LineReader::LineReader;

    std::optional<ReadLine> read(const std::string& line) override {
        const std::size_t open = line.find(" [");
        const std::size_t close = line.find("] ");
        const auto time =
            open == std::string::npos ? std::nullopt : read_log_time(line.substr(0, open));
        if (!time || close == std::string::npos || close < open) {
            return std::nullopt;
        }
        const std::vector<std::string> place = words_of(line.substr(open + 2, close - open - 2));
        ReadLine read = at(*time);
        const bool is_read =
            place.size() == 2 &&
            commands_.read(place[1], arguments(line.substr(close + 2)), read.seen, place[0]);
        return is_read ? std::optional(read) : std::nullopt;
    }
    const char* expects() const override {
        return R"(1709294400.123456 [0 10.0.0.7:41] "SET" "job" "t1" "PX" "1000" "NX")";
    }

  private:
    static std::vector<std::string> arguments(std::string_view text) {
        std::vector<std::string> words;
        while (words.size() < kLineWordsMax) {
            text.remove_prefix(std::min(text.find('"'), text.size()));
            if (text.empty()) {
                break;
            }
            text.remove_prefix(1);
            words.push_back(take_quoted(text));
        }
        return words;
    }
    RedisCommands commands_;
};

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    while (words.size() < kLineWordsMax) {
        text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
        if (text.empty()) {
            break;
        }
        const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
        words.emplace_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return words;
}

std::string take_quoted(std::string_view& text) {
    std::string word;
    while (!text.empty() && text.front() != '"') {
        text.remove_prefix(text.front() == '\\' && text.size() > 1 ? 1 : 0);
        word += text.front();
        text.remove_prefix(1);
    }
    text.remove_prefix(text.empty() ? 0 : 1);
    return word;
}

ReadLine at(const LogTime& time) {
    ReadLine read;
    read.seen.earliest = time.earliest;
    read.seen.latest = time.latest;
    read.seen.is_local = time.is_local;
    read.seen.has_day = time.has_day;
    read.form = time.form;
    return read;
}

bool read_state(const std::vector<std::string>& words, ReadLine& read) {
    bool is_state = false;
    for (const std::string& word : words) {
        const std::size_t equals = word.find('=');
        const std::string name = word.substr(0, equals);
        const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
        if (equals != std::string::npos && name == "holder") {
            read.seen.caller = value;
            is_state = true;
        } else if (equals != std::string::npos && name == "renew") {
            const auto time = read_log_time(value);
            if (!time) {
                return false;
            }
            read.seen.earliest = time->earliest;
            read.seen.latest = time->latest;
            read.seen.is_write = true;
        } else if (equals != std::string::npos && name == "count") {
            const auto count = read_decimal(value);
            const auto* number = std::get_if<Decimal>(&count);
            if (number == nullptr || number->digits > 0 || number->number < 0) {
                return false;
            }
            read.seen.count = number->number;
            is_state = true;
        }
    }
    read.seen.seen = Seen::kState;
    read.seen.is_write = read.seen.is_write && !read.seen.caller.empty();
    return is_state;
}

bool LineReader::understand(const std::string& words, Observation& seen) {
    const Phrase* phrase = phrase_in(mapping_, words);
    if (phrase == nullptr || !phrase->meaning) {
        return false;
    }
    constexpr std::string_view kHeldBy = "lock is held by ";
    const std::size_t held_by = words.find(kHeldBy);
    if (held_by != std::string::npos) {
        const std::vector<std::string> holder = words_of(words.substr(held_by + kHeldBy.size()));
        seen.holder = holder.empty() ? "" : holder.front();
    }
    seen.seen = phrase->meaning->seen;
    seen.code = phrase->meaning->code;
    seen.outcome = phrase->meaning->outcome;
    if (seen.seen == Seen::kAnswer && seen.code == LockCode::kAcquire &&
        seen.outcome == Outcome::kOk) {
        have_acquired_.insert(seen.caller);
    }
    // A candidate that does not lead yet tries to acquire with the same words.
    if (words.find("failed to renew") != std::string::npos) {
        have_acquired_.insert(seen.caller);  // only a leader says so
    }
    if (seen.seen == Seen::kAnswer && seen.code == LockCode::kRenew &&
        seen.outcome == Outcome::kUnknown && !have_acquired_.contains(seen.caller)) {
        seen.code = LockCode::kAcquire;
        seen.can_be_renewal = true;
    }
    return true;
}

std::unique_ptr<LineReader> make_line_reader(Format format, const Mapping& mapping,
                                             const std::string& name) {
    switch (format) {
        case Format::kJson: return make_json_reader(mapping);
        case Format::kLogfmt: return make_logfmt_reader(mapping);
        case Format::kKlog: return std::make_unique<KlogReader>(mapping, name);
        case Format::kRedis: return std::make_unique<RedisReader>(mapping);
        case Format::kLeases: return make_lease_reader(mapping);
        case Format::kSpans: return make_span_reader(mapping);
        case Format::kPostgres: return make_postgres_reader(mapping);
        case Format::kPattern: return make_pattern_reader(mapping, name);
        case Format::kPlain:
        case Format::kByFirstLine:
        case Format::kHistory: break;
    }
    return std::make_unique<PlainReader>(mapping);
}

Format format_of(const std::string& line) {
    if (line.starts_with("{")) {
        const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
        const bool is_history = json.is_object() && json.contains("type") && json.contains("f") &&
                                json.contains("process");
        const bool is_span = json.is_object() &&
                             (json.contains("resourceSpans") || json.contains("startTimeUnixNano"));
        const nlohmann::json* object =
            json.is_object() && json.contains("object") && json["object"].is_object()
                ? &json["object"]
                : &json;
        const bool is_lease =
            object->is_object() && object->contains("kind") && (*object)["kind"] == "Lease";
        return is_history ? Format::kHistory
               : is_lease ? Format::kLeases
               : is_span  ? Format::kSpans
                          : Format::kJson;
    }
    const std::vector<std::string> words = words_of(line);
    if (klog_begin(line) != std::string::npos) {
        return Format::kKlog;
    }
    if (words.size() > 2 && words[1].starts_with("[")) {
        return Format::kRedis;
    }
    constexpr std::ptrdiff_t kCommasMin = 12;  // of the first line of a record
    if (std::count(line.begin(), line.end(), ',') >= kCommasMin &&
        read_log_time(line.substr(0, 23))) {
        return Format::kPostgres;
    }
    const bool is_logfmt = !words.empty() && words[0].find('=') != std::string::npos;
    return is_logfmt ? Format::kLogfmt : Format::kPlain;
}

}  // namespace lockkeeper::logs
