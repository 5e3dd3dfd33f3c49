#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "measure/sweep.hpp"
#include "model/read_text.hpp"
#include "scenarios/nearest_name.hpp"
#include "scenarios/parse_document.hpp"
#include "scenarios/parse_parts.hpp"
#include "scenarios/registry/unknown_names.hpp"

namespace lockkeeper {
namespace {

constexpr std::size_t kAxesMax = 8;
constexpr std::size_t kChoicesMax = 1'000;
constexpr std::int64_t kAddedMost = 1'000'000'000;

void refuse_unless_property(const Place& place) {
    if (find_property(place.text()) == nullptr) {
        place.refuse(unknown_property(place.text()));
    }
}

void refuse_unless_pointer(const Place& object, const std::string& key) {
    if (key.empty() || key.front() != '/' || key.find('~') != std::string::npos) {
        object.refuse_key(key, "expected a JSON pointer, as \"/faults/crashes\"");
    }
}

// Of a choice or a rule, beside the keys that only it has.
SweepChange parse_change(const Place& place) {
    SweepChange change;
    change.place = place.pointer();
    if (const auto set = place.find("set")) {
        for (const auto& [pointer, value] : set->members()) {
            refuse_unless_pointer(*set, pointer);
            change.set.emplace(pointer, value.value());
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
        for (const Place& name : names->elements(1, kChoicesMax)) {
            refuse_unless_property(name);
            change.not_checked.push_back(name.text());
        }
    }
    if (const auto one = place.find("one_caller")) {
        static_cast<void>(one->members());
        change.one_caller = one->value();
    }
    return change;
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
            static_cast<std::int64_t>(to) - from >= static_cast<std::int64_t>(kChoicesMax)) {
            values.refuse_type("a list of numbers, or a range as \"0..9\"");
        }
        for (std::int32_t value = from; value <= to; ++value) {
            add(values, value);
        }
        return;
    }
    for (const Place& value : values.elements(1, kChoicesMax)) {
        add(value, value.real(-kWeightMax, kWeightMax));
    }
}

void parse_choices(const Place& list, std::vector<SweepChoice>& choices) {
    for (const Place& element : list.elements(1, kChoicesMax)) {
        element.has_only({"name", "set", "add", "vary", "not_checked", "one_caller"});
        add_choice(element, {element.at("name").text(), parse_change(element)}, choices);
    }
}

std::vector<std::string> names_of(const SweptAxis& axis) {
    std::vector<std::string> names;
    for (const SweepChoice& choice : axis.choices) {
        names.push_back(choice.name);
    }
    return names;
}

const std::string& choice_named(const Place& place, const SweptAxis& axis) {
    const std::vector<std::string> names = names_of(axis);
    if (std::find(names.begin(), names.end(), place.text()) == names.end()) {
        place.refuse(
            fmt::format("{} has no choice {}", in_quotes(axis.name), in_quotes(place.text())) +
            nearest_or_known(place.text(), names));
    }
    return place.text();
}

SweptAxis parse_axis(const Place& place) {
    place.has_only({"name", "choices", "subsets", "exclusive", "vary", "values"});
    SweptAxis axis;
    axis.name = place.at("name").text();
    if (const auto vary = place.find("vary")) {
        if (place.find("choices")) {
            place.refuse("expected either \"choices\" or \"vary\" with \"values\"");
        }
        parse_values(place, vary->text(), axis.choices);
    } else {
        parse_choices(place.at("choices"), axis.choices);
    }
    if (const auto most = place.find("subsets")) {
        axis.subsets_most = most->integer<std::size_t>(0, axis.choices.size());
    }
    if (const auto groups = place.find("exclusive")) {
        for (const Place& group : groups->elements(1, kChoicesMax)) {
            std::set<std::string> names;
            for (const Place& name : group.elements(2, kChoicesMax)) {
                names.insert(choice_named(name, axis));
            }
            axis.exclusive.push_back(std::move(names));
        }
    }
    return axis;
}

// "a", 2 (at least so many), or a list of them, of which one has to hold; in it, ["a", "b"]: both.
SweepAlternative parse_alternative(const Place& place, const SweptAxis& axis) {
    SweepAlternative alternative;
    if (place.is_integer()) {
        alternative.chosen_least = place.integer<std::size_t>(1, axis.choices.size());
    } else if (place.is_array()) {
        for (const Place& name : place.elements(1, kChoicesMax)) {
            alternative.all.insert(choice_named(name, axis));
        }
    } else {
        alternative.all.insert(choice_named(place, axis));
    }
    return alternative;
}

SweepCondition parse_condition(const Place& place, const std::vector<SweptAxis>& axes) {
    SweepCondition condition;
    for (const auto& [name, value] : place.members()) {
        const auto axis =
            std::find_if(axes.begin(), axes.end(),
                         [&wanted = name](const SweptAxis& one) { return one.name == wanted; });
        if (axis == axes.end()) {
            std::vector<std::string> known;
            for (const SweptAxis& one : axes) {
                known.push_back(one.name);
            }
            place.refuse_key(name,
                             "unknown axis " + in_quotes(name) + nearest_or_known(name, known));
        }
        std::vector<SweepAlternative>& any =
            condition[static_cast<std::size_t>(axis - axes.begin())];
        if (value.is_array()) {
            for (const Place& alternative : value.elements(1, kChoicesMax)) {
                any.push_back(parse_alternative(alternative, *axis));
            }
        } else {
            any.push_back(parse_alternative(value, *axis));
        }
    }
    return condition;
}

std::vector<SweepCondition> parse_conditions(const std::optional<Place>& list,
                                             const std::vector<SweptAxis>& axes) {
    std::vector<SweepCondition> conditions;
    for (const Place& element : list ? list->elements(0, kChoicesMax) : std::vector<Place>()) {
        conditions.push_back(parse_condition(element, axes));
    }
    return conditions;
}

ExpectedFindings parse_expected(const Place& place, const std::vector<SweptAxis>& axes) {
    place.has_only({"of", "violated", "why"});
    ExpectedFindings expected;
    expected.of = parse_condition(place.at("of"), axes);
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

Sweep sweep_at(const Place& document, const std::string& file) {
    document.has_only({"$schema", "sweep_version", "about", "scenario", "axes", "rules",
                       "leave_out", "long", "expected", "states_max"});
    if (document.at("sweep_version").integer<int>(1, 1'000'000) != kSweepVersion) {
        document.at("sweep_version")
            .refuse(fmt::format("this command reads version {}", kSweepVersion));
    }
    Sweep sweep;
    sweep.file = file;
    sweep.about = document.at("about").text();
    const Place scenario = document.at("scenario");
    static_cast<void>(scenario.members());
    sweep.scenario = scenario.value();
    for (const Place& axis : document.at("axes").elements(1, kAxesMax)) {
        SweptAxis parsed = parse_axis(axis);
        for (const SweptAxis& before : sweep.axes) {
            if (before.name == parsed.name) {
                axis.at("name").refuse(in_quotes(parsed.name) + " is an axis already");
            }
        }
        sweep.axes.push_back(std::move(parsed));
    }
    if (const auto rules = document.find("rules")) {
        for (const Place& rule : rules->elements(0, kChoicesMax)) {
            rule.has_only({"of", "set", "add", "vary", "not_checked", "one_caller"});
            sweep.rules.push_back({parse_condition(rule.at("of"), sweep.axes), parse_change(rule)});
        }
    }
    sweep.leave_out = parse_conditions(document.find("leave_out"), sweep.axes);
    sweep.only_long = parse_conditions(document.find("long"), sweep.axes);
    if (const auto expected = document.find("expected")) {
        for (const Place& one : expected->elements(0, kChoicesMax)) {
            sweep.expected.push_back(parse_expected(one, sweep.axes));
        }
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
