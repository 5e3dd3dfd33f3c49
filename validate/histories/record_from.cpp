// SPDX-License-Identifier: Apache-2.0
#include "validate/histories/record_from.hpp"

#include <algorithm>
#include <utility>

#include "model/read_text.hpp"

namespace lockkeeper {
namespace {

constexpr std::size_t kQuotedMax = 40;
constexpr HistoryType kTypes[] = {HistoryType::kInvoke, HistoryType::kOk, HistoryType::kFail,
                                  HistoryType::kInfo};

// A piece of the file in a message: short, and of one line.
std::string quoted(const Datum& datum) {
    std::string text = datum.to_text();
    if (text.size() > kQuotedMax) {
        text = text.substr(0, kQuotedMax) + "...";
    }
    for (char& letter : text) {
        letter = static_cast<unsigned char>(letter) < ' ' ? '?' : letter;
    }
    return '"' + text + '"';
}

HistoryType read_type(const Datum* datum) {
    if (datum == nullptr) {
        throw DatumProblem{"no \"type\" (invoke, ok, fail or info)"};
    }
    const bool is_text = datum->is(Datum::Kind::kText);
    for (const HistoryType type : kTypes) {
        if (is_text && datum->text == name_of(type)) {
            return type;
        }
    }
    throw DatumProblem{"\"type\" is invoke, ok, fail or info, not " + quoted(*datum), datum->place,
                       is_text ? datum->text : ""};
}

std::string read_name(const char* field, const Datum* datum) {
    if (datum == nullptr || datum->is(Datum::Kind::kNil)) {
        throw DatumProblem{std::string("no \"") + field + "\""};
    }
    const bool is_name =
        (datum->is(Datum::Kind::kText) && !datum->text.empty()) || datum->is(Datum::Kind::kInteger);
    if (!is_name) {
        throw DatumProblem{
            std::string("\"") + field + "\" is a number or a name, not " + quoted(*datum),
            datum->place};
    }
    return datum->to_text();
}

std::optional<std::int64_t> read_whole(const char* field, const Datum* datum) {
    if (datum == nullptr || datum->is(Datum::Kind::kNil)) {
        return std::nullopt;
    }
    if (!datum->is(Datum::Kind::kInteger)) {
        throw DatumProblem{
            std::string("\"") + field + "\" is a whole number, not " + quoted(*datum),
            datum->place};
    }
    return datum->integer;
}

// A key of its own, or Jepsen's independent tuples: the value is [key, value].
void read_value(const Datum& map, Record& record) {
    const Datum* value = map.find("value");
    const Datum* key = map.find("key");
    const bool is_tuple = value != nullptr && value->is(Datum::Kind::kList) &&
                          value->items.size() == 2 && key == nullptr;
    if (is_tuple) {
        key = &value->items[0];
        value = &value->items[1];
    }
    record.value = value != nullptr ? *value : Datum{};
    if (key != nullptr && !key->is(Datum::Kind::kNil)) {
        record.key = read_name("key", key);
    }
}

// In whole units, rounded up.
std::int64_t size_of(const Record& record) {
    const std::int64_t size = *record.time < 0 ? -*record.time : *record.time;
    const std::int64_t unit = power_of_ten(record.time_form.digits);
    return size / unit + (size % unit != 0 ? 1 : 0);
}

// True: there is one.
bool read_time(const char* field, const Datum* datum, Record& record) {
    record.time.reset();
    record.time_form = {};
    if (datum == nullptr || datum->is(Datum::Kind::kNil)) {
        return false;
    }
    const WrittenTime written = read_written_time(field, *datum);
    record.time = written.time;
    record.time_form = written.form;
    return true;
}

// The return of an operation whose call and return are one record; nothing, where nobody knows
// when it returned.
std::optional<Record> read_end(const Datum& map, const Record& record) {
    const Datum* end = map.find("end");
    if (map.find("time") != nullptr) {
        throw DatumProblem{"a record has \"time\", or \"start\" and \"end\"",
                           map.find("time")->place};
    }
    if (record.type == HistoryType::kInvoke) {
        throw DatumProblem{
            "a record with \"start\" says how the operation ended: \"type\" is ok, "
            "fail or info",
            map.find("type")->place};
    }
    Record returned = record;
    if (!read_time("end", end, returned)) {
        if (record.type != HistoryType::kInfo) {
            throw DatumProblem{"no \"end\", which only an operation that ended with info may lack"};
        }
        return std::nullopt;
    }
    if (returned.time_form.is_calendar != record.time_form.is_calendar) {
        throw DatumProblem{"\"start\" and \"end\" are both numbers, or both ISO 8601 times",
                           end->place};
    }
    if (WrittenTime{*returned.time, returned.time_form}.is_below(
            {*record.time, record.time_form})) {
        throw DatumProblem{"\"end\" is before \"start\"", end->place};
    }
    return returned;
}

void read_fields(const Datum& map, Record& record) {
    const Datum* f = map.find("f");
    const Datum* start = map.find("start");
    const Datum* error = map.find("error");
    record.f_place = f != nullptr ? f->place : DatumPlace{};
    record.type = read_type(map.find("type"));
    record.process = read_name("process", map.find("process"));
    record.f = read_name("f", f);
    if (start != nullptr) {
        read_time("start", start, record);
    } else {
        read_time("time", map.find("time"), record);
    }
    record.index = read_whole("index", map.find("index"));
    read_value(map, record);
    if (error != nullptr && !error->is(Datum::Kind::kNil)) {
        record.error = error->to_text();
    }
}

}  // namespace

void RecordSink::add(const Datum& map, TextPlace place) {
    end_reading_if_asked();
    history_.shares_lines = history_.shares_lines || place.line == last_line_;
    last_line_ = place.line;
    if (!map.is(Datum::Kind::kMap)) {
        throw DatumProblem{"expected a record, not " + quoted(map)};
    }
    const Datum* process = map.find("process");
    if (process != nullptr && process->is(Datum::Kind::kText) && process->text == "nemesis") {
        ++history_.nemesis_records;
        return;
    }
    if (history_.records.size() >= kRecordsMax) {
        throw DatumProblem{"more than " + std::to_string(kRecordsMax) + " records"};
    }
    Record record;
    record.line = static_cast<std::uint32_t>(place.line);
    record.column = static_cast<std::uint32_t>(place.column);
    read_fields(map, record);
    const bool is_whole = map.find("start") != nullptr && record.time.has_value();
    if (!history_.records.empty() && is_whole != history_.has_whole_operations) {
        throw DatumProblem{
            "some records are whole operations (\"start\" and \"end\"), others are not"};
    }
    history_.has_whole_operations = is_whole;
    if (is_whole) {
        add_whole(map, std::move(record));
    } else {
        push(std::move(record));
    }
}

// Its index, if any, is one of operations, and orders no calls and returns.
void RecordSink::add_whole(const Datum& map, Record record) {
    record.index.reset();
    auto returned = read_end(map, record);
    record.type = HistoryType::kInvoke;
    record.error.clear();
    push(std::move(record));
    if (returned) {
        push(std::move(*returned));
    }
}

void RecordSink::push(Record record) {
    const std::size_t position = history_.records.size();
    if (record.time) {
        const std::vector<Record>& records = history_.records;
        const TimeForm& form = record.time_form;
        if (timed_ && records[*timed_].time_form.is_calendar != form.is_calendar) {
            constexpr const char* kKinds[] = {"a number", "an ISO 8601 time"};
            throw DatumProblem{std::string("the time is ") + kKinds[form.is_calendar ? 1 : 0] +
                               ", and " + kKinds[form.is_calendar ? 0 : 1] + " in " +
                               history_.place_of(*timed_)};
        }
        timed_ = timed_.value_or(position);
        if (!finest_ || form.digits > records[*finest_].time_form.digits) {
            finest_ = position;
        }
        if (!largest_ || size_of(records[*largest_]) < size_of(record)) {
            largest_ = position;
        }
        most_written_ = std::max(most_written_, form.digits_written);
    }
    history_.records.push_back(std::move(record));
}

std::optional<HistoryError> RecordSink::end() {
    if (!timed_) {
        return std::nullopt;
    }
    std::vector<Record>& records = history_.records;
    TimeScale& scale = history_.times;
    scale.form = records[*timed_].time_form;
    scale.form.digits_written = most_written_;
    const std::uint8_t digits = records[*finest_].time_form.digits;
    if (scale.form.is_calendar) {
        scale.digits = kTimeDigitsMax;
        scale.ticks_per_unit = 0;  // until order_records is told
        return std::nullopt;
    }
    if (digits == 0) {
        return std::nullopt;  // whole numbers stay as they are
    }
    history_.units_per_second = 0;  // whole numbers alone are Jepsen's nanoseconds
    scale.digits = kTimeDigitsMax;
    while (scale.digits > digits &&
           size_of(records[*largest_]) >= kTimeMax / power_of_ten(scale.digits)) {
        --scale.digits;
    }
    if (size_of(records[*largest_]) >= kTimeMax / power_of_ten(scale.digits)) {
        const Record& largest = records[*largest_];
        return HistoryError{history_.file,
                            {largest.line, largest.column},
                            "the time is too large beside the " + std::to_string(digits) +
                                " digits after the point in " + history_.place_of(*finest_)};
    }
    scale.ticks_per_unit = power_of_ten(scale.digits);
    for (Record& record : records) {
        if (record.time) {
            *record.time *= power_of_ten(scale.digits - record.time_form.digits);
        }
    }
    return std::nullopt;
}

HistoryError refused_record(const std::string& file, TextPlace place, const DatumProblem& problem) {
    const bool is_known = problem.place.line > 0;
    HistoryError error{file,
                       is_known ? TextPlace{problem.place.line, problem.place.column} : place,
                       problem.message,
                       problem.unknown_word,
                       {}};
    for (const HistoryType type : kTypes) {
        if (!problem.unknown_word.empty()) {
            error.known_words.emplace_back(name_of(type));
        }
    }
    return error;
}

}  // namespace lockkeeper
