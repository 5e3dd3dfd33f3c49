// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include "model/observation.hpp"
#include "reports/run_json.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::ordered_json;

// The counters of systems without places are whatever their reports show.
bool has_places(const Trace& trace) { return (trace.features & kHasCapacity) != 0; }

std::string_view kind_of(const ShownField& field, const Trace& trace) {
    switch (field.kind) {
        case ShownKind::kNow: return "clock";
        case ShownKind::kBelieved: return "believed";
        case ShownKind::kGranted: return "granted";
        case ShownKind::kProtected: return "protected";
        case ShownKind::kCounter: return has_places(trace) ? "counter" : "other";
        case ShownKind::kCapacity: return "capacity";
        case ShownKind::kCounted: return "counted";
        case ShownKind::kReferences: return "references";
        case ShownKind::kDead: return "dead";
        case ShownKind::kCalling: return "calling";
        case ShownKind::kFinished: return "finished";
        case ShownKind::kAtRest: return "at rest";
        case ShownKind::kInFlight: return "in flight";
    }
    return "other";
}

std::string name_of(const ShownField& field, const Trace& trace) {
    const std::string caller = field.caller ? trace.parties.at(*field.caller).name : "";
    const std::string key = field.key ? trace.keys.at(*field.key) : "";
    const std::string place = std::to_string(field.place);
    switch (field.kind) {
        case ShownKind::kNow: return "time";
        case ShownKind::kBelieved: return caller + " believes to hold " + key;
        case ShownKind::kGranted: return key + " is granted to " + caller;
        case ShownKind::kProtected: return caller + " is protected by " + key;
        case ShownKind::kCounter:
            return has_places(trace) ? key + "[" + place + "]" : key + ", value " + place;
        case ShownKind::kCapacity: return "capacity of " + key;
        case ShownKind::kCounted: return "units of " + key + " in use";
        case ShownKind::kReferences: return "references of " + caller + " to " + key;
        case ShownKind::kDead: return caller + " is dead";
        case ShownKind::kCalling: return caller + " is in a call";
        case ShownKind::kFinished: return caller + " has finished";
        case ShownKind::kAtRest: return "at rest";
        case ShownKind::kInFlight: return "messages of " + caller + " under way";
    }
    return "";
}

Json value_of(std::int32_t value) { return value == kNotShown ? Json(nullptr) : Json(value); }

// These fields say something even where they never change.
bool is_always_shown(ShownKind kind) {
    return kind == ShownKind::kCounter || kind == ShownKind::kCapacity ||
           kind == ShownKind::kAtRest || kind == ShownKind::kBelieved;
}

}  // namespace

RunFields::RunFields(const Trace& trace) : trace_(trace) {
    std::vector<bool> is_shown(trace.fields.size());
    for (std::size_t i = 0; i < trace.fields.size(); ++i) {
        is_shown[i] = is_always_shown(trace.fields[i].kind);
    }
    for (const TraceStep& step : trace.steps) {
        for (const ShownChange& change : step.changes) {
            is_shown[change.field] = true;
        }
    }
    std::size_t next = 0;
    for (const bool shown : is_shown) {
        index_.push_back(shown ? next++ : kLeftOut);
    }
}

Json RunFields::field_json(const ShownField& field) const {
    Json json{{"name", name_of(field, trace_)}, {"kind", kind_of(field, trace_)}};
    if (field.caller) {
        json["party"] = *field.caller;
    }
    if (field.key) {
        json["key"] = *field.key;
    }
    if (field.kind == ShownKind::kCounter) {
        json["place"] = field.place;
    }
    return json;
}

Json RunFields::fields() const {
    Json::array_t list;
    for (std::size_t i = 0; i < index_.size(); ++i) {
        if (index_[i] != kLeftOut) {
            list.push_back(field_json(trace_.fields[i]));
        }
    }
    return list;
}

Json RunFields::constants() const {
    Json::array_t list;
    for (std::size_t i = 0; i < index_.size(); ++i) {
        if (index_[i] == kLeftOut) {
            list.push_back({{"field", field_json(trace_.fields[i])},
                            {"value", value_of(trace_.initial_values[i])}});
        }
    }
    return list;
}

Json RunFields::initial_values() const {
    Json::array_t list;
    for (std::size_t i = 0; i < index_.size(); ++i) {
        if (index_[i] != kLeftOut) {
            list.push_back(value_of(trace_.initial_values[i]));
        }
    }
    return list;
}

Json RunFields::changes(const TraceStep& step) const {
    return list_of(step.changes, [&](const ShownChange& change) {
        return Json::array({index_[change.field], value_of(change.value)});
    });
}

bool RunFields::expires(const TraceStep& step) const {
    const bool is_own = step.words.doer == Doer::kCaller;
    for (const ShownChange& change : step.changes) {
        if (!is_own && trace_.fields[change.field].kind == ShownKind::kGranted &&
            change.value == 0) {
            return true;
        }
    }
    return false;
}

}  // namespace lockkeeper
