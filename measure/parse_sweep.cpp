// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "measure/sweep.hpp"
#include "model/read_text.hpp"
#include "properties/catalogue.hpp"
#include "scenarios/outside_lock.hpp"
#include "scenarios/parse_place.hpp"
#include "scenarios/registry/unknown_names.hpp"

namespace lockkeeper {
namespace {

constexpr std::size_t kAxesMax = 8;
constexpr std::size_t kSweepChoicesMax = 1'000;  // of an axis; also elements of a list
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

// `place` has the name of a choice of this axis.
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

// Reads the change of a choice or a rule, whose keys are these and `own`.
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

// "a", 2 (at least so many), or a list of them, of which one has to hold; in it, ["a", "b"]: both.
// {"any": ["a", "b"]}: one of them; also "only", "least", "most", "different" (at most).
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

void add_choice(const Place& place, SweepChoice choice, std::vector<SweepChoice>& choices) {
    const bool is_known = std::any_of(choices.begin(), choices.end(), [&](const SweepChoice& one) {
        return one.name == choice.name;
    });
    if (is_known) {
        place.refuse(in_quotes(choice.name) + " is a choice already");
    }
    choices.push_back(std::move(choice));
}

// {"vary": "grace", "values": [0, 5]} or "0..9".
void parse_values(const Place& axis, const std::string& name, std::vector<SweepChoice>& choices) {
    const Place values = axis.at("values");
    const auto add = [&](const Place& place, double value) {
        SweepChoice choice{fmt::format("{}", value), {}};
        choice.change.place = place.pointer();
        choice.change.vary = {{name, value}};
        add_choice(place, std::move(choice), choices);
    };
    if (values.is_text()) {
        std::int32_t from = 0;
        std::int32_t to = -1;
        char rest = 0;
        if (std::sscanf(values.text().c_str(), "%d..%d%c", &from, &to, &rest) != 2 || from > to ||
            static_cast<std::int64_t>(to) - from >= static_cast<std::int64_t>(kSweepChoicesMax)) {
            values.refuse_type("a list of numbers, or a range as \"0..9\"");
        }
        for (std::int32_t value = from; value <= to; ++value) {
            add(values, value);
        }
        return;
    }
    for (const Place& value : values.elements(1, kSweepChoicesMax)) {
        add(value, value.real(-kWeightMax, kWeightMax));
    }
}

void parse_choices(const Place& list, std::vector<SweepChoice>& choices) {
    for (const Place& element : list.elements(1, kSweepChoicesMax)) {
        add_choice(element, {element.at("name").text(), parse_sweep_change(element, {"name"})},
                   choices);
    }
}

void parse_classes(const Place& list, const SweptAxis& of, std::vector<SweepChoice>& choices) {
    for (const Place& element : list.elements(1, kSweepChoicesMax)) {
        SweepChoice choice{element.at("name").text(), parse_sweep_change(element, {"name", "of"})};
        if (const auto alternatives = element.find("of")) {
            choice.of = parse_sweep_alternatives(*alternatives, of);
        }
        add_choice(element, std::move(choice), choices);
    }
}

// Which choices go together.
void parse_sets(const Place& place, SweptAxis& axis) {
    if (const auto most = place.find("subsets")) {
        axis.subsets_most = most->integer<std::size_t>(0, axis.choices.size());
    }
    if (const auto most = place.find("repeats")) {
        if (axis.subsets_most) {
            place.refuse("expected either \"subsets\" or \"repeats\"");
        }
        axis.repeats_most = most->integer<std::size_t>(1, kCallersMax);
    }
    const auto groups = place.find("exclusive");
    for (const Place& group :
         groups ? groups->elements(1, kSweepChoicesMax) : std::vector<Place>()) {
        std::set<std::string> names;
        for (const Place& name : group.elements(2, kSweepChoicesMax)) {
            names.insert(sweep_choice_named(name, axis));
        }
        axis.exclusive.push_back(std::move(names));
    }
}

SweptAxis parse_axis(const Place& place, const std::vector<SweptAxis>& before) {
    SweptAxis axis;
    axis.name = place.at("name").text();
    if (find_sweep_axis(axis.name, before)) {
        place.at("name").refuse(in_quotes(axis.name) + " is an axis already");
    }
    if (const auto of = place.find("classes_of")) {
        place.has_only({"name", "choices", "classes_of"});
        axis.classes_of = find_sweep_axis(of->text(), before);
        if (!axis.classes_of) {
            of->refuse(unknown_sweep_axis(of->text(), before));
        }
        parse_classes(place.at("choices"), before[*axis.classes_of], axis.choices);
        return axis;
    }
    place.has_only({"name", "choices", "subsets", "repeats", "exclusive", "vary", "values"});
    if (const auto vary = place.find("vary")) {
        if (place.find("choices")) {
            place.refuse("expected either \"choices\" or \"vary\" with \"values\"");
        }
        parse_values(place, vary->text(), axis.choices);
    } else {
        parse_choices(place.at("choices"), axis.choices);
    }
    parse_sets(place, axis);
    return axis;
}

ExpectedFindings parse_expected(const Place& place, const std::vector<SweptAxis>& axes) {
    place.has_only({"of", "violated", "why"});
    ExpectedFindings expected;
    expected.of = parse_sweep_condition(place.at("of"), axes);
    const Place violated = place.at("violated");
    expected.any = violated.is_text("any");
    for (const Place& name : expected.any ? std::vector<Place>() : violated.elements(1, 64)) {
        refuse_unless_property(name);
        expected.properties.insert(name.text());
    }
    if (const auto why = place.find("why")) {
        expected.why = why->text();
    }
    return expected;
}

// Reads what the file says of the points, once the axes are known.
void parse_points(const Place& document, Sweep& sweep) {
    const auto rules = document.find("rules");
    for (const Place& rule : rules ? rules->elements(0, kSweepChoicesMax) : std::vector<Place>()) {
        SweepChange change = parse_sweep_change(rule, {"of"});
        sweep.rules.push_back(
            {parse_sweep_condition(rule.at("of"), sweep.axes), std::move(change)});
    }
    sweep.leave_out = parse_sweep_conditions(document.find("leave_out"), sweep.axes);
    sweep.takes_long = parse_sweep_conditions(document.find("long"), sweep.axes);
    sweep.takes_hours = parse_sweep_conditions(document.find("hours"), sweep.axes);
    const auto expected = document.find("expected");
    for (const Place& one :
         expected ? expected->elements(0, kSweepChoicesMax) : std::vector<Place>()) {
        sweep.expected.push_back(parse_expected(one, sweep.axes));
    }
}

// Locks that no model stands for, as a whole file or as what a sweep begins with.
void refuse_outside(const Place& document, const std::string& file) {
    const bool is_sweep = document.find("sweep_version").has_value();
    const auto looked_at = is_sweep ? document.find("scenario") : std::optional(document);
    const std::string why = looked_at && looked_at->is_object()
                                ? what_to_type(*looked_at, is_sweep ? "FILE" : file)
                                : "";
    if (!why.empty()) {
        looked_at->refuse(why);
    }
}

Sweep sweep_at(const Place& document, const std::string& file) {
    refuse_outside(document, file);
    document.has_only({"$schema", "sweep_version", "about", "scenario", "axes", "rules",
                       "leave_out", "long", "hours", "expected", "measure", "states_max"});
    if (document.at("sweep_version").integer<int>(1, 1'000'000) != kSweepVersion) {
        document.at("sweep_version")
            .refuse(fmt::format("this command reads version {}", kSweepVersion));
    }
    Sweep sweep;
    sweep.file = file;
    sweep.about = document.at("about").text();
    const Place scenario = document.at("scenario");
    static_cast<void>(scenario.members());
    sweep.scenario = std::make_shared<const nlohmann::json>(scenario.value());
    for (const Place& axis : document.at("axes").elements(1, kAxesMax)) {
        sweep.axes.push_back(parse_axis(axis, sweep.axes));
    }
    parse_points(document, sweep);
    if (const auto measure = document.find("measure")) {
        if (!sweep.expected.empty()) {
            measure->refuse("\"expected\" findings are of a sweep that explores");
        }
        sweep.measuring = parse_sweep_measuring(*measure);
    }
    if (const auto states = document.find("states_max")) {
        sweep.states_max = states->integer<std::uint64_t>(1, UINT64_MAX);
    }
    return sweep;
}

}  // namespace

std::variant<Sweep, InputError> parse_sweep(const std::string& text, const std::string& file) {
    try {
        const InputText input{name_in_messages(file), text};
        const nlohmann::json document = read_json(input);
        return sweep_at(Place(document, input), file);
    } catch (const RefusedInput& refused) {
        return refused.error();
    }
}

std::variant<Sweep, InputError> load_sweep(const std::string& file) {
    const auto text = read_text(file, kScenarioBytesMax);
    if (const auto* none = std::get_if<NotRead>(&text)) {
        return InputError{name_in_messages(file), "", none->message};
    }
    return parse_sweep(std::get<std::string>(text), file);
}

}  // namespace lockkeeper
