#include "validate/histories/record_from.hpp"

#include <algorithm>
#include <utility>

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

DatumProblem wrong(const Datum& datum, std::string message) {
    return {std::move(message), datum.place};
}

DatumProblem read_type(const Datum* datum, Record& record) {
    if (datum == nullptr) {
        return {"no \"type\" (invoke, ok, fail or info)"};
    }
    for (const HistoryType type : kTypes) {
        if (datum->is(Datum::Kind::kText) && datum->text == name_of(type)) {
            record.type = type;
            return {};
        }
    }
    return wrong(*datum, "\"type\" is invoke, ok, fail or info, not " + quoted(*datum));
}

DatumProblem read_name(const char* field, const Datum* datum, std::string& name) {
    if (datum == nullptr || datum->is(Datum::Kind::kNil)) {
        return {std::string("no \"") + field + "\""};
    }
    const bool is_name =
        (datum->is(Datum::Kind::kText) && !datum->text.empty()) || datum->is(Datum::Kind::kInteger);
    if (!is_name) {
        return wrong(*datum,
                     std::string("\"") + field + "\" is a number or a name, not " + quoted(*datum));
    }
    name = datum->to_text();
    return {};
}

DatumProblem read_whole(const char* field, const Datum* datum,
                        std::optional<std::int64_t>& number) {
    if (datum == nullptr || datum->is(Datum::Kind::kNil)) {
        return {};
    }
    if (!datum->is(Datum::Kind::kInteger)) {
        return wrong(*datum,
                     std::string("\"") + field + "\" is a whole number, not " + quoted(*datum));
    }
    number = datum->integer;
    return {};
}

// A key of its own, or Jepsen's independent tuples: the value is [key, value].
DatumProblem read_value(const Datum& map, Record& record) {
    const Datum* value = map.find("value");
    const Datum* key = map.find("key");
    const bool is_tuple = value != nullptr && value->is(Datum::Kind::kList) &&
                          value->items.size() == 2 && key == nullptr;
    if (is_tuple) {
        key = &value->items[0];
        value = &value->items[1];
    }
    record.value = value != nullptr ? *value : Datum{};
    return key == nullptr || key->is(Datum::Kind::kNil) ? DatumProblem{}
                                                        : read_name("key", key, record.key);
}

DatumProblem read_time(const Datum* datum, Record& record) {
    DatumProblem problem = read_whole("time", datum, record.time);
    if (record.time && (*record.time > kTimeMax || *record.time < -kTimeMax)) {
        problem = wrong(*datum, "\"time\" is from -" + std::to_string(kTimeMax) + " to " +
                                    std::to_string(kTimeMax) + ", not " + datum->to_text());
    }
    return problem;
}

DatumProblem read_fields(const Datum& map, Record& record) {
    const Datum* f = map.find("f");
    record.f_place = f != nullptr ? f->place : DatumPlace{};
    DatumProblem problem = read_type(map.find("type"), record);
    if (problem.is_none()) {
        problem = read_name("process", map.find("process"), record.process);
    }
    if (problem.is_none()) {
        problem = read_name("f", f, record.f);
    }
    if (problem.is_none()) {
        problem = read_time(map.find("time"), record);
    }
    if (problem.is_none()) {
        problem = read_whole("index", map.find("index"), record.index);
    }
    if (problem.is_none()) {
        problem = read_value(map, record);
    }
    const Datum* error = map.find("error");
    if (error != nullptr && !error->is(Datum::Kind::kNil)) {
        record.error = error->to_text();
    }
    return problem;
}

}  // namespace

std::string RecordSink::add(const Datum& map, TextPlace place) {
    history_.shares_lines = history_.shares_lines || place.line == last_line_;
    last_line_ = place.line;
    if (!map.is(Datum::Kind::kMap)) {
        return "expected a record, not " + quoted(map);
    }
    const Datum* process = map.find("process");
    if (process != nullptr && process->is(Datum::Kind::kText) && process->text == "nemesis") {
        ++history_.nemesis_records;
        return "";
    }
    if (history_.records.size() >= kRecordsMax) {
        return "more than " + std::to_string(kRecordsMax) + " records";
    }
    Record record;
    record.line = static_cast<std::uint32_t>(place.line);
    record.column = static_cast<std::uint32_t>(place.column);
    DatumProblem problem = read_fields(map, record);
    wrong_ = problem.place;
    const Datum* type = map.find("type");
    if (type != nullptr && type->is(Datum::Kind::kText) &&
        std::none_of(std::begin(kTypes), std::end(kTypes),
                     [&](HistoryType known) { return type->text == name_of(known); })) {
        unknown_type_ = type->text;
    }
    history_.records.push_back(std::move(record));
    return std::move(problem.message);
}

HistoryError RecordSink::refused(TextPlace place, const std::string& problem) const {
    HistoryError error{history_.file, place, problem};
    if (wrong_.line > 0) {
        error.place = {wrong_.line, wrong_.column};
    }
    if (!unknown_type_.empty()) {
        error.unknown_word = unknown_type_;
        for (const HistoryType type : kTypes) {
            error.known_words.emplace_back(name_of(type));
        }
    }
    return error;
}

}  // namespace lockkeeper
