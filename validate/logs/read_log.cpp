// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/read_log.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

#include "model/printable.hpp"
#include "model/read_text.hpp"
#include "scenarios/bad_input.hpp"
#include "validate/histories/order_records.hpp"
#include "validate/logs/line_reader.hpp"

namespace lockkeeper::logs {
namespace {

constexpr std::size_t kTextMax = 160;
constexpr std::size_t kNearestMax = 3;

std::string shortened(std::string_view line) {
    return printable(std::string(line.substr(0, kTextMax))) +
           (line.size() <= kTextMax ? "" : "...");
}

// Calls `use` with each line and its number, from 1. LogError: a line that is too long, a NUL byte.
template <class Use>
void for_each_line(std::string_view text, const std::string& name, const Use& use) {
    std::uint32_t number = 0;
    while (!text.empty()) {
        ++number;
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.size() > kLogLineBytesMax) {
            throw LogError(name, number,
                           "a line of " + std::to_string(line.size()) + " bytes; at most " +
                               std::to_string(kLogLineBytesMax >> 10U) + " KiB are read");
        }
        if (line.find('\0') != std::string_view::npos) {
            throw LogError(name, number, kNulComplaint);
        }
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        if (line.find_first_not_of(" \t") != std::string_view::npos) {
            use(line, number);
        }
    }
}

bool falls(const std::vector<Observation>& observations) {
    return std::adjacent_find(observations.begin(), observations.end(),
                              [](const Observation& left, const Observation& right) {
                                  return left.earliest > right.latest;
                              }) != observations.end();
}

// A leader that says that it could not renew has led before, also where its log begins later.
void find_renewals(std::vector<Observation>& observations) {
    std::set<std::string> leaders;
    for (auto seen = observations.rbegin(); seen != observations.rend(); ++seen) {
        const bool is_acquired = seen->seen == Seen::kAnswer && seen->outcome == Outcome::kOk &&
                                 seen->code == LockCode::kAcquire;
        if (is_acquired) {
            leaders.erase(seen->caller);
        } else if (seen->seen == Seen::kAnswer && seen->code == LockCode::kRenew) {
            leaders.insert(seen->caller);
        } else if (seen->can_be_renewal && leaders.contains(seen->caller)) {
            seen->code = LockCode::kRenew;
        }
    }
}

bool rises(const std::vector<Observation>& observations) {
    return std::adjacent_find(observations.begin(), observations.end(),
                              [](const Observation& left, const Observation& right) {
                                  return left.latest < right.earliest;
                              }) != observations.end();
}

// The times of some source of the file fall, and rise as well.
bool a_source_turns(const std::vector<std::pair<std::string, Observation>>& read) {
    std::map<std::string, std::vector<Observation>> by_source;
    for (const auto& [source, seen] : read) {
        Observation& times = by_source[source].emplace_back();
        times.earliest = seen.earliest;
        times.latest = seen.latest;
    }
    return std::any_of(by_source.begin(), by_source.end(), [](const auto& source) {
        return falls(source.second) && rises(source.second);
    });
}

// Before the first line of a log something else may stand: klog's files tell how they are made.
constexpr std::size_t kLinesBeforeFormat = 64;

// Nothing but a log of this format has such a line.
bool is_certain(Format format) {
    return format != Format::kPlain && format != Format::kRedis && format != Format::kLogfmt;
}

// Why a log is refused: with the lines that came nearest to one about a lock. `reader` null: there
// are none.
std::string nothing_in(const std::vector<OtherLine>& others, const LineReader* reader) {
    if (reader == nullptr) {
        return "no lines";
    }
    std::string message =
        std::string("no line says anything about a lock; a line that does: ") + reader->expects();
    for (std::size_t i = 0; i < std::min(others.size(), kNearestMax); ++i) {
        message += "\n  line " + std::to_string(others[i].line) + ": " + others[i].text;
    }
    return message;
}

using Read = std::vector<std::pair<std::string, Observation>>;

void push(Read& read, const std::string& source, ReadLine line) {
    if (line.begin) {
        Observation call = line.seen;
        call.seen = Seen::kCall;
        call.earliest = line.begin->earliest;
        call.latest = line.begin->latest;
        read.emplace_back(source, std::move(call));
    }
    read.emplace_back(source, std::move(line.seen));
}

}  // namespace

LogFile log_file_of(const std::string& argument) {
    const std::size_t equals = argument.rfind('=');
    if (equals == std::string::npos || argument.find('/', equals) != std::string::npos) {
        return {argument, Format::kByFirstLine};
    }
    const auto format = format_named(argument.substr(equals + 1));
    if (!format || *format == Format::kPattern) {
        throw UsageError("--log: " + argument.substr(equals + 1) +
                         ": there is no such reader; readers are plain, json, logfmt, klog, redis, "
                         "csvlog, leases, spans and history (a pattern stands in a mapping)");
    }
    return {argument.substr(0, equals), *format};
}

void LogsReader::read(const LogFile& file) {
    const std::string name = name_in_messages(file.path);
    const auto text = lockkeeper::read_text(file.path, kLogBytesMax);
    if (const auto* none = std::get_if<NotRead>(&text)) {
        throw LogError(name, 0, none->message);
    }
    const std::string& bytes = std::get<std::string>(text);
    if (bytes.size() > kLogBytesMax) {
        throw LogError(name, 0,
                       "larger than " + std::to_string(kLogBytesMax >> 20U) +
                           " MiB; cut out the time around the incident");
    }
    read_text(bytes, name, file.format);
}

void LogsReader::read_text(const std::string& text, const std::string& name, Format format) {
    if (format == Format::kByFirstLine) {
        format = mapping_.format;
    }
    std::unique_ptr<LineReader> reader;
    std::vector<std::pair<std::string, Observation>> read;
    std::vector<OtherLine> others;
    std::size_t lines = 0;
    const std::string caller = std::filesystem::path(name).stem().string();
    if (format == Format::kHistory) {
        read_history(text, name);
        return;
    }
    bool is_guess = format == Format::kByFirstLine;
    for_each_line(text, name, [&](std::string_view line, std::uint32_t number) {
        const Format guess = is_guess ? format_of(std::string(line)) : format;
        if (guess == Format::kHistory) {
            format = guess;
            is_guess = false;
            return;
        }
        if (reader == nullptr || guess != format) {
            format = guess;
            reader = make_line_reader(format, mapping_, caller);
        }
        ++lines;
        std::optional<ReadLine> one = reader->read(std::string(line));
        is_guess = is_guess && !one && !is_certain(guess) && lines < kLinesBeforeFormat;
        if (!one) {
            ++read_.logs.other_lines;
            if (others.size() < kOtherLinesShownMax) {
                others.push_back({name, number, shortened(line)});
            }
            return;
        }
        one->seen.line = number;
        one->seen.text = shortened(line);
        if (!has_form_) {
            read_.form = one->form;
            has_form_ = true;
        }
        const std::string source = one->source.empty() ? name : one->source;
        push(read, source, std::move(*one));
    });
    if (reader != nullptr && reader->is_by_time()) {
        std::stable_sort(read.begin(), read.end(), [](const auto& left, const auto& right) {
            return left.second.earliest < right.second.earliest;
        });
    }
    if (format == Format::kHistory) {
        read_history(text, name);
        return;
    }
    if (read.empty()) {
        throw LogError(name, 0, nothing_in(others, reader.get()));
    }
    read_.logs.lines += lines;
    if (!reader->remark().empty()) {
        read_.logs.remarks.push_back(name + ": " + printable(reader->remark()));
    }
    for (OtherLine& other : others) {
        if (read_.logs.others.size() < kOtherLinesShownMax) {
            read_.logs.others.push_back(std::move(other));
        }
    }
    add(name, std::move(read));
}

// A recorded history: its order is all that is known, so each record has its place as its time.
void LogsReader::read_history(const std::string& text, const std::string& name) {
    const ReadHistory parsed = parse_history(text, name);
    if (const auto* error = std::get_if<HistoryError>(&parsed)) {
        throw LogError(name, error->place.line, error->message);
    }
    RecordedHistory history = std::get<RecordedHistory>(parsed);
    if (order_records(history, {})) {  // logs of several workers, put together
        history = std::get<RecordedHistory>(parsed);
        OrderChoice choice;
        choice.sorts_by_time = true;
        if (const auto error = order_records(history, choice)) {
            throw LogError(name, error->place.line, error->message);
        }
        read_.logs.remarks.push_back(name + ": its records are sorted by time");
    }
    std::vector<std::pair<std::string, Observation>> read;
    std::size_t place = 0;
    for (const Record& record : history.records) {
        Observation seen;
        const auto* code = std::find_if(std::begin(kLockCodes), std::end(kLockCodes),
                                        [&](LockCode one) { return record.f == name_of(one); });
        if (code == std::end(kLockCodes) || *code == LockCode::kExit || *code == LockCode::kRenew) {
            throw LogError(name, record.line,
                           printable(record.f) +
                               ": histories are explained with acquire, release and write; "
                               "`lockkeeper validate --history` judges the others");
        }
        if (record.value.kind != Datum::Kind::kNil) {
            throw LogError(name, record.line,
                           "operations with a value are judged by `lockkeeper validate --history`");
        }
        ++place;
        seen.code = *code;
        seen.caller = record.process;
        seen.key = record.key;
        seen.line = record.line;
        seen.text = record.process + " " + record.f + " " + std::string(name_of(record.type));
        seen.earliest = seen.latest = static_cast<std::int64_t>(place) * kNanosecondsPerSecond;
        seen.seen = record.type == HistoryType::kInvoke ? Seen::kCall : Seen::kAnswer;
        seen.outcome = record.type == HistoryType::kFail   ? Outcome::kFailed
                       : record.type == HistoryType::kInfo ? Outcome::kUnknown
                                                           : Outcome::kOk;
        if (*code == LockCode::kWrite) {
            if (record.type != HistoryType::kOk) {
                continue;
            }
            seen.seen = Seen::kEffect;
        }
        read.emplace_back(name, std::move(seen));
    }
    if (read.empty()) {
        throw LogError(
            name, 0,
            "no record says anything about a lock: no acquire, no release, no write that "
            "ended with ok");
    }
    read_.logs.lines += history.records.size();
    read_.logs.has_history = true;
    add(name, std::move(read));
}

void LogsReader::add(const std::string& file,
                     std::vector<std::pair<std::string, Observation>>&& read) {
    // Parts of a log that is newest first are no parts: it is turned round below.
    if (a_source_turns(read) && order_parts(read, mapping_.year)) {
        read_.logs.remarks.push_back(printable(file) +
                                     ": its parts are put in the order of their times");
    }
    // Sources in the order of their names: the order of their first lines is chance.
    std::map<std::string, std::vector<Observation>> by_source;
    for (auto& [source, seen] : read) {
        const auto other = mapping_.callers.find(seen.caller);
        seen.caller = other == mapping_.callers.end() ? seen.caller : other->second;
        const auto holder = mapping_.callers.find(seen.holder);
        seen.holder = holder == mapping_.callers.end() ? seen.holder : holder->second;
        by_source[source].push_back(std::move(seen));
    }
    for (auto& [source, observations] : by_source) {
        if (falls(observations) && !rises(observations)) {
            std::reverse(observations.begin(), observations.end());
        }
        find_renewals(observations);
        if (source != file || !falls(observations)) {
            add_source(source, file, std::move(observations));
            continue;
        }
        std::map<std::string, std::vector<Observation>> by_caller;
        for (Observation& seen : observations) {
            by_caller[seen.seen == Seen::kServed || seen.seen == Seen::kState ? "" : seen.caller]
                .push_back(std::move(seen));
        }
        for (auto& [caller, some] : by_caller) {
            add_source(caller.empty() ? file : caller, file, std::move(some));
        }
    }
}

void LogsReader::add_source(const std::string& name, const std::string& file,
                            std::vector<Observation> observations) {
    read_.logs.sources.push_back({name, file, std::move(observations)});
}

// The server names a client by its address, the client itself by its name: they are one where a
// token of the server's lines is in the client's.
void LogsReader::join_names() {
    std::map<std::string, std::string> by_token;
    std::set<std::string> clients;
    for (const Source& source : read_.logs.sources) {
        for (const Observation& seen : source.observations) {
            if (seen.seen == Seen::kServed || seen.seen == Seen::kState) {
                continue;
            }
            clients.insert(seen.caller);
            if (!seen.token.empty()) {
                by_token[seen.token] = seen.caller;
            }
        }
    }
    std::map<std::string, std::string> names;
    for (const Source& source : read_.logs.sources) {
        for (const Observation& seen : source.observations) {
            const auto client = by_token.find(seen.token);
            if (seen.seen != Seen::kServed || seen.token.empty() || client == by_token.end() ||
                clients.contains(seen.caller)) {
                continue;
            }
            const auto [known, is_new] = names.try_emplace(seen.caller, client->second);
            if (!is_new && known->second != client->second) {
                throw LogError(
                    source.file, seen.line,
                    printable(seen.caller + " is " + known->second + " by one token and " +
                              client->second + " by another: one connection serves both"));
            }
        }
    }
    for (Source& source : read_.logs.sources) {
        for (Observation& seen : source.observations) {
            const auto found = names.find(seen.caller);
            seen.caller = found == names.end() ? seen.caller : found->second;
        }
    }
}

ReadLogs LogsReader::end() {
    join_names();
    return std::move(read_);
}

}  // namespace lockkeeper::logs
