// SPDX-License-Identifier: Apache-2.0
#include "measure/parse_sweep_parts.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "properties/catalogue.hpp"
#include "scenarios/registry/unknown_names.hpp"

namespace lockkeeper {
namespace {

constexpr std::int64_t kAddedMost = 1'000'000'000;

void refuse_unless_pointer(const Place& object, const std::string& key) {
    if (key.empty() || key.front() != '/' || key.find('~') != std::string::npos) {
        object.refuse_key(key, "expected a JSON pointer, as \"/faults/crashes\"");
    }
}

SharedJson object_or_null(const std::optional<Place>& place) {
    if (!place) {
        return nullptr;
    }
    static_cast<void>(place->members());
    return std::make_shared<const nlohmann::json>(place->value());
}

std::set<std::string> names_at(const std::optional<Place>& list, const SweptAxis& axis) {
    std::set<std::string> names;
    for (const Place& name : list ? list->elements(1, kSweepChoicesMax) : std::vector<Place>()) {
        names.insert(sweep_choice_named(name, axis));
    }
    return names;
}

SweepAlternative parse_numbers_and_names(const Place& place, const SweptAxis& axis) {
    place.has_only({"any", "only", "least", "most", "different"});
    SweepAlternative alternative;
    alternative.any = names_at(place.find("any"), axis);
    alternative.only = names_at(place.find("only"), axis);
    const auto read = [&](const char* key, std::size_t& into) {
        if (const auto number = place.find(key)) {
            into = number->integer<std::size_t>(0, kSweepChoicesMax);
        }
    };
    read("least", alternative.chosen_least);
    read("most", alternative.chosen_most);
    read("different", alternative.different_most);
    return alternative;
}

SweepAlternative parse_alternative(const Place& place, const SweptAxis& axis) {
    if (place.is_object()) {
        return parse_numbers_and_names(place, axis);
    }
    SweepAlternative alternative;
    if (place.is_integer()) {
        alternative.chosen_least = place.integer<std::size_t>(
            1, std::max(axis.choices.size(), axis.repeats_most.value_or(0)));
    } else if (place.is_array()) {
        alternative.all = names_at(place, axis);
    } else {
        alternative.all.insert(sweep_choice_named(place, axis));
    }
    return alternative;
}

}  // namespace

void refuse_unless_property(const Place& place) {
    if (find_property(place.text()) == nullptr) {
        place.refuse(unknown_property(place.text()));
    }
}

SweepMeasuring parse_sweep_measuring(const Place& place) {
    place.has_only({"method", "runs"});
    SweepMeasuring measuring;
    if (const auto method = place.find("method")) {
        measuring.method = static_cast<MeasureMethod>(method->word(
            {kMeasureMethods[0], kMeasureMethods[1], kMeasureMethods[2], kMeasureMethods[3]}));
    }
    if (const auto runs = place.find("runs")) {
        measuring.runs = runs->integer<std::uint64_t>(1, UINT64_MAX);
    }
    return measuring;
}

SweepChange parse_sweep_change(const Place& place, std::vector<std::string_view> own) {
    own.insert(own.end(), {"set", "add", "vary", "not_checked", "one_caller", "caller", "measure"});
    place.has_only(own);
    SweepChange change;
    change.place = place.pointer();
    if (const auto set = place.find("set")) {
        for (const auto& [pointer, value] : set->members()) {
            refuse_unless_pointer(*set, pointer);
            change.set.emplace(pointer, std::make_shared<const nlohmann::json>(value.value()));
        }
    }
    if (const auto add = place.find("add")) {
        for (const auto& [pointer, value] : add->members()) {
            refuse_unless_pointer(*add, pointer);
            change.add.emplace(pointer, value.integer<std::int64_t>(-kAddedMost, kAddedMost));
        }
    }
    if (const auto vary = place.find("vary")) {
        for (const auto& [name, value] : vary->members()) {
            change.vary.emplace(name, value.real(-kWeightMax, kWeightMax));
        }
    }
    if (const auto names = place.find("not_checked")) {
        for (const Place& name : names->elements(1, kSweepChoicesMax)) {
            refuse_unless_property(name);
            change.not_checked.push_back(name.text());
        }
    }
    change.one_caller = object_or_null(place.find("one_caller"));
    change.caller = object_or_null(place.find("caller"));
    if (const auto measure = place.find("measure")) {
        change.measuring = parse_sweep_measuring(*measure);
    }
    return change;
}

std::string sweep_choice_named(const Place& place, const SweptAxis& axis) {
    std::vector<std::string> names;
    for (const SweepChoice& choice : axis.choices) {
        names.push_back(choice.name);
    }
    if (std::find(names.begin(), names.end(), place.text()) == names.end()) {
        place.refuse(
            fmt::format("{} has no choice {}", in_quotes(axis.name), in_quotes(place.text())) +
            nearest_or_known(place.text(), names));
    }
    return place.text();
}

std::vector<SweepAlternative> parse_sweep_alternatives(const Place& place, const SweptAxis& axis) {
    if (!place.is_array()) {
        return {parse_alternative(place, axis)};
    }
    std::vector<SweepAlternative> any;
    for (const Place& alternative : place.elements(1, kSweepChoicesMax)) {
        any.push_back(parse_alternative(alternative, axis));
    }
    return any;
}

std::optional<std::size_t> find_sweep_axis(const std::string& name,
                                           const std::vector<SweptAxis>& axes) {
    const auto axis = std::find_if(axes.begin(), axes.end(),
                                   [&](const SweptAxis& one) { return one.name == name; });
    return axis == axes.end() ? std::nullopt
                              : std::optional(static_cast<std::size_t>(axis - axes.begin()));
}

std::string unknown_sweep_axis(const std::string& name, const std::vector<SweptAxis>& axes) {
    std::vector<std::string> known;
    known.reserve(axes.size());
    for (const SweptAxis& one : axes) {
        known.push_back(one.name);
    }
    return "unknown axis " + in_quotes(name) + nearest_or_known(name, known);
}

SweepCondition parse_sweep_condition(const Place& place, const std::vector<SweptAxis>& axes) {
    SweepCondition condition;
    for (const auto& [name, value] : place.members()) {
        const auto axis = find_sweep_axis(name, axes);
        if (!axis) {
            place.refuse_key(name, unknown_sweep_axis(name, axes));
        }
        condition[*axis] = parse_sweep_alternatives(value, axes[*axis]);
    }
    return condition;
}

std::vector<SweepCondition> parse_sweep_conditions(const std::optional<Place>& list,
                                                   const std::vector<SweptAxis>& axes) {
    std::vector<SweepCondition> conditions;
    for (const Place& one : list ? list->elements(0, kSweepChoicesMax) : std::vector<Place>()) {
        conditions.push_back(parse_sweep_condition(one, axes));
    }
    return conditions;
}

}  // namespace lockkeeper
