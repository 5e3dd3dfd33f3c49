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
#include "validate/logs/eras.hpp"
#include "validate/logs/line_reader.hpp"
#include "validate/logs/records.hpp"

namespace lockkeeper::logs {
namespace {

constexpr std::size_t kTextMax = 160;
constexpr std::size_t kNearestMax = 3;

std::string shortened(std::string_view line) {
    return printable(std::string(line.substr(0, kTextMax))) +
           (line.size() <= kTextMax ? "" : "...");
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

// Pieces of a rotated log are of one caller.
std::string caller_of(const std::string& file, const Rotation& rotation) {
    return std::filesystem::path(rotation.piece_of(file).first).stem().string();
}

void note_reader(const LineReader& reader, Source& source) {
    source.has_clock_of_file = reader.has_one_clock();
    source.ends_unsaid = reader.ends_unsaid();
    source.lacks_keys = reader.lacks_keys();
    source.gives_back_own = reader.gives_back_own();
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
    const std::string caller = caller_of(name, rotation_);
    if (format == Format::kHistory) {
        read_history(text, name);
        return;
    }
    bool is_guess = format == Format::kByFirstLine;
    const auto reader_of = [&](std::string_view line) {
        const Format guess = is_guess ? format_of(std::string(line)) : format;
        is_guess = is_guess && guess != Format::kHistory;
        if (guess != Format::kHistory && (reader == nullptr || guess != format)) {
            reader = make_line_reader(guess, mapping_, caller);
        }
        format = guess;
        return format == Format::kHistory ? nullptr : reader.get();
    };
    for_each_record(text, name, reader_of, [&](const std::string& record, std::uint32_t first) {
        ++lines;
        std::optional<ReadLine> one = reader->read(record);
        is_guess = is_guess && !one && !is_certain(format) && lines < kLinesBeforeFormat;
        if (one) {
            push(read, name, first, shortened(record), std::move(*one));
            return;
        }
        ++read_.logs.other_lines;
        if (others.size() < kOtherLinesShownMax) {
            others.push_back({name, first, shortened(record)});
        }
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
    if (reader != nullptr) {
        leave_out(name, *reader, read);
    }
    if (read.empty()) {
        throw LogError(name, 0, nothing_in(others, reader.get()));
    }
    read_.logs.lines += lines;
    if (!reader->unknown_zone().empty()) {
        zones_[name] = reader->unknown_zone();
    }
    remark(name, reader->remark());
    remark_piece(name, caller, read);
    for (OtherLine& other : others) {
        if (read_.logs.others.size() < kOtherLinesShownMax) {
            read_.logs.others.push_back(std::move(other));
        }
    }
    remark(name, go_past_midnight(read) ? "its times pass midnight" : "");
    const std::size_t before = read_.logs.sources.size();
    add(name, std::move(read));
    for (std::size_t i = before; i < read_.logs.sources.size(); ++i) {
        note_reader(*reader, read_.logs.sources[i]);
    }
}

void LogsReader::remark(const std::string& file, const std::string& text) {
    if (!text.empty()) {
        read_.logs.remarks.push_back(printable(file) + ": " + printable(text));
    }
}

// Two logs with such names would be of two callers.
void LogsReader::remark_piece(const std::string& file, const std::string& caller,
                              const Read& read) {
    const auto [log, piece] = rotation_.piece_of(file);
    const bool is_named = std::any_of(read.begin(), read.end(),
                                      [&](const auto& one) { return one.second.caller == caller; });
    if (piece > 0 && is_named) {
        remark(file, "an older piece of " + log + " by its name; in both, " + caller +
                         " is the same caller");
    }
}

// Adds all that one record says, in order.
void LogsReader::push(Read& read, const std::string& file, std::uint32_t number,
                      const std::string& text, ReadLine&& line) {
    if (!has_form_) {
        read_.form = line.form;
        has_form_ = true;
    }
    const std::string source = line.source.empty() ? file : line.source;
    line.seen.line = number;
    line.seen.text = text;
    if (line.begin) {
        Observation call = line.seen;
        call.seen = Seen::kCall;
        call.is_of_answer = true;
        call.earliest = line.begin->earliest;
        call.latest = line.begin->latest;
        read.emplace_back(source, std::move(call));
    }
    read.emplace_back(source, std::move(line.seen));
    for (ReadLine& more : line.more) {
        push(read, file, number, text, std::move(more));
    }
}

// Locks that are also used in a way that no model explains.
void LogsReader::leave_out(const std::string& name, const LineReader& reader, Read& read) {
    for (const auto& [keys, reason] : reader.unread_keys()) {
        const std::string& full_key = keys.second;
        const std::string why = "lock " + printable(keys.first) + " is left out: " + reason;
        std::erase_if(read, [&](const auto& one) { return one.second.full_key == full_key; });
        if (read.empty()) {
            throw LogError(name, 0, why);
        }
        remark(name, why);
    }
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
    Source& source = read_.logs.sources.emplace_back();
    source.name = name;
    source.file = file;
    source.observations = std::move(observations);
}

ReadLogs LogsReader::end() {
    const auto is_of_zone = [&](const Source& source) {
        return zones_.contains(source.file) && zones_.at(source.file) == zones_.begin()->second;
    };
    if (!zones_.empty() &&
        !std::all_of(read_.logs.sources.begin(), read_.logs.sources.end(), is_of_zone)) {
        throw LogError(zones_.begin()->first, 0,
                       "its times are of the zone " + printable(zones_.begin()->second) +
                           ", whose offset from those of the other logs it does not say: "
                           "log_timezone = 'UTC' writes it, or replace the zone by its offset, "
                           "for example +01");
    }
    put_in_one_era(read_.logs);
    doubt_zones(read_.logs);
    join_names();
    join_keys();
    return std::move(read_);
}

}  // namespace lockkeeper::logs
