// SPDX-License-Identifier: Apache-2.0

#include "model/json.hpp"
#include "validate/histories/recorded.hpp"

namespace lockkeeper {
namespace {

using OrderedJson = nlohmann::ordered_json;

// Not 1/3, which has no number beside its text.
bool is_number(const Datum& real) {
    return real.real != 0 || real.text.find_first_not_of("+-0.eEM") == std::string::npos;
}

OrderedJson json_of(const Datum& datum) {
    switch (datum.kind) {
        case Datum::Kind::kNil: return nullptr;
        case Datum::Kind::kTruth: return datum.integer != 0;
        case Datum::Kind::kInteger: return datum.integer;
        case Datum::Kind::kReal:
            return is_number(datum) ? OrderedJson(datum.real) : OrderedJson(datum.text);
        case Datum::Kind::kText: return datum.text;
        case Datum::Kind::kList:
        case Datum::Kind::kSet: {
            OrderedJson::array_t list;
            for (const Datum& item : datum.items) {
                list.push_back(json_of(item));
            }
            return list;
        }
        case Datum::Kind::kMap: {
            OrderedJson map = OrderedJson::object();
            for (std::size_t i = 0; i + 1 < datum.items.size(); i += 2) {
                map[datum.items[i].to_text()] = json_of(datum.items[i + 1]);
            }
            return map;
        }
    }
    return nullptr;
}

// "3" was a number, unless it would read back otherwise ("03").
OrderedJson name_json(const std::string& name) {
    const bool is_number = !name.empty() && name.size() < 10 && (name[0] != '0' || name == "0") &&
                           name.find_first_not_of("0123456789") == std::string::npos;
    return is_number ? OrderedJson(std::stoi(name)) : OrderedJson(name);
}

// A number with a fraction is read back as another where a double has no room for it; nothing that
// this project records has one.
OrderedJson time_json(const Record& record, const TimeScale& times) {
    if (record.time_form.is_calendar) {
        return times.text_of(*record.time, record.time_form);
    }
    return times.digits == 0 ? OrderedJson(*record.time)
                             : OrderedJson::parse(times.text_of(*record.time, record.time_form));
}

OrderedJson json_of(const Record& record, std::size_t position, const TimeScale& times) {
    OrderedJson json;
    json["index"] = record.index.value_or(static_cast<std::int64_t>(position));
    if (record.time) {
        json["time"] = time_json(record, times);
    }
    json["process"] = name_json(record.process);
    json["type"] = name_of(record.type);
    json["f"] = name_json(record.f);
    if (!record.key.empty()) {
        json["key"] = name_json(record.key);
    } else if (record.value.items.size() == 2 && !record.value.is(Datum::Kind::kMap)) {
        json["key"] = nullptr;  // says that the value is no tuple
    }
    json["value"] = json_of(record.value);
    if (!record.error.empty()) {
        json["error"] = record.error;
    }
    return json;
}

}  // namespace

std::string write_history(const RecordedHistory& history) {
    std::string out;
    for (std::size_t i = 0; i < history.records.size(); ++i) {
        out += json_of(history.records[i], i, history.times)
                   .dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
        out += '\n';
    }
    return out;
}

}  // namespace lockkeeper
