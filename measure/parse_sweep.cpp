// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "measure/parse_sweep_parts.hpp"
#include "measure/sweep.hpp"
#include "model/read_text.hpp"
#include "scenarios/outside_lock.hpp"
#include "scenarios/parse_document.hpp"
#include "scenarios/parse_parts.hpp"

namespace lockkeeper {
namespace {

constexpr std::size_t kAxesMax = 8;

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
