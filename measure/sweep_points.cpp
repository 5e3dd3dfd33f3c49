// SPDX-License-Identifier: Apache-2.0
#include "measure/sweep_points.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/json.hpp"
#include "model/read_text.hpp"
#include "scenarios/parse_place.hpp"
#include "scheduler/base/interrupt.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::json;
using Chosen = std::vector<std::vector<std::string>>;

class Changer {
  public:
    Changer(const Sweep& sweep, Json& scenario) : sweep_(sweep), scenario_(scenario) {}

    // First the callers, then what every change sets, then what is added to it.
    void make(const std::vector<const SweepChange*>& changes) {
        add_callers(changes);
        for (const SweepChange* change : changes) {
            for (const auto& [pointer, value] : change->set) {
                change_ = change;
                each_at(scenario_, pointer, pointer, [&what = *value](Json& at) { at = what; });
            }
        }
        Json one_caller;
        for (const SweepChange* change : changes) {
            change_ = change;
            for (const auto& [pointer, number] : change->add) {
                add(pointer, number);
            }
            for (const std::string& name : change->not_checked) {
                leave_unchecked(name);
            }
            if (change->one_caller) {
                one_caller.merge_patch(*change->one_caller);
            }
        }
        if (!one_caller.is_null()) {
            set_apart(one_caller);
        }
    }

  private:
    [[noreturn]] void refuse(const std::string& pointer, const std::string& why) const {
        throw RefusedInput({name_in_messages(sweep_.file), change_->place,
                            fmt::format("{}: {}", in_quotes(pointer), why)});
    }

    // A choice that is there several times makes one entry: its callers are interchangeable.
    void add_callers(const std::vector<const SweepChange*>& changes) {
        const SweepChange* last = nullptr;
        for (const SweepChange* change : changes) {
            if (!change->caller) {
                continue;
            }
            change_ = change;
            Json& callers = scenario_["callers"];
            if (!callers.is_null() && !callers.is_array()) {
                refuse("/callers", "\"caller\" needs a list of callers");
            }
            if (change == last) {
                Json& entry = callers.back();
                entry["count"] = entry.value("count", std::int64_t{1}) + 1;
            } else {
                callers.push_back(*change->caller);
            }
            last = change;
        }
    }

    template <class Do>
    void each_at(Json& at, std::string_view rest, const std::string& pointer, const Do& act) {
        if (rest.empty()) {
            act(at);
            return;
        }
        const std::size_t end = std::min(rest.find('/', 1), rest.size());
        const std::string step(rest.substr(1, end - 1));
        rest.remove_prefix(end);
        if (at.is_array() && step == "*") {
            for (Json& element : at) {
                each_at(element, rest, pointer, act);
            }
        } else if (at.is_array()) {
            std::size_t index = at.size();
            std::from_chars(step.data(), step.data() + step.size(), index);
            if (index >= at.size()) {
                refuse(pointer, fmt::format("{} is no element of the list there", in_quotes(step)));
            }
            each_at(at[index], rest, pointer, act);
        } else if (at.is_object() || at.is_null()) {
            each_at(at[step], rest, pointer, act);
        } else {
            refuse(pointer, fmt::format("there is no place for {} in a {}", in_quotes(step),
                                        at.type_name()));
        }
    }

    void add(const std::string& pointer, std::int64_t number) {
        const Json::json_pointer place(pointer);
        if (!scenario_.contains(place)) {
            return;
        }
        Json& at = scenario_[place];
        if (!at.is_number_integer()) {
            refuse(pointer, fmt::format("nothing can be added to a {}", at.type_name()));
        }
        at = at.get<std::int64_t>() + number;
    }

    void leave_unchecked(const std::string& name) {
        Json& check = scenario_["check"];
        if (check.is_array()) {
            check.erase(std::remove(check.begin(), check.end(), Json(name)), check.end());
        }
    }

    void set_apart(const Json& settings) {
        Json& callers = scenario_["callers"];
        if (!callers.is_array() || callers.empty() || !callers.front().is_object()) {
            refuse("/callers", "\"one_caller\" needs a list of callers");
        }
        Json& first = callers.front();
        const std::int64_t count = first.value("count", std::int64_t{1});
        if (count == 1) {
            first.merge_patch(settings);
            return;
        }
        Json apart = first;
        apart.erase("count");
        apart["name"] = "other";
        apart.merge_patch(settings);
        first["count"] = count - 1;
        callers.insert(callers.begin(), apart);
    }

    const Sweep& sweep_;
    Json& scenario_;
    const SweepChange* change_ = nullptr;
};

bool is_allowed(const SweptAxis& axis, const std::vector<std::string>& chosen) {
    return std::all_of(axis.exclusive.begin(), axis.exclusive.end(), [&](const auto& group) {
        return std::count_if(chosen.begin(), chosen.end(),
                             [&](const std::string& name) { return group.contains(name); }) <= 1;
    });
}

// Small ones first, in the order of the file. What an exclusive group forbids stays forbidden,
// whatever is added to it.
void add_sets(const SweptAxis& axis, std::size_t size, std::size_t from,
              std::vector<std::string>& chosen, std::vector<std::vector<std::string>>& out) {
    if (!is_allowed(axis, chosen)) {
        return;
    }
    if (chosen.size() == size) {
        out.push_back(chosen);
        return;
    }
    for (std::size_t i = from; i < axis.choices.size() && out.size() <= kSweepPointsMax; ++i) {
        chosen.push_back(axis.choices[i].name);
        add_sets(axis, size, axis.repeats_most ? i : i + 1, chosen, out);
        chosen.pop_back();
    }
}

bool fits(const SweepAlternative& one, const std::vector<std::string>& names) {
    const auto is_chosen = [&](const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    // Asked of every rule at every point: the names are counted only where they might be too many.
    const auto differ_little = [&] {
        return names.size() <= one.different_most ||
               std::set<std::string>(names.begin(), names.end()).size() <= one.different_most;
    };
    const auto is_allowed = [&](const std::string& name) { return one.only.contains(name); };
    return names.size() >= one.chosen_least && names.size() <= one.chosen_most &&
           std::all_of(one.all.begin(), one.all.end(), is_chosen) &&
           (one.any.empty() || std::any_of(one.any.begin(), one.any.end(), is_chosen)) &&
           (one.only.empty() || std::all_of(names.begin(), names.end(), is_allowed)) &&
           differ_little();
}

std::vector<std::string> class_of(const Sweep& sweep, std::size_t axis,
                                  const std::vector<std::string>& chosen) {
    for (const SweepChoice& choice : sweep.axes[axis].choices) {
        const bool is_met = std::any_of(choice.of.begin(), choice.of.end(),
                                        [&](const auto& one) { return fits(one, chosen); });
        if (is_met || choice.of.empty()) {
            return {choice.name};
        }
    }
    throw RefusedInput({name_in_messages(sweep.file), fmt::format("/axes/{}/choices", axis),
                        "no class fits " + in_quotes(choice_text(chosen))});
}

// The possible choices of the next axis, after `chosen` of the axes before.
std::vector<std::vector<std::string>> next_choices(const Sweep& sweep, const Chosen& chosen) {
    const SweptAxis& axis = sweep.axes[chosen.size()];
    if (axis.classes_of) {
        return {class_of(sweep, chosen.size(), chosen[*axis.classes_of])};
    }
    std::vector<std::vector<std::string>> all;
    std::vector<std::string> set;
    const std::size_t least = axis.subsets_most ? 0 : 1;
    const std::size_t most = axis.repeats_most.value_or(axis.subsets_most.value_or(1));
    for (std::size_t size = least; size <= most; ++size) {
        add_sets(axis, size, 0, set, all);
    }
    return all;
}

SweepEffort effort_of(const Sweep& sweep, const Chosen& chosen) {
    const auto is_met = [&](const SweepCondition& condition) { return holds(condition, chosen); };
    if (std::any_of(sweep.takes_hours.begin(), sweep.takes_hours.end(), is_met)) {
        return SweepEffort::kHours;
    }
    return std::any_of(sweep.takes_long.begin(), sweep.takes_long.end(), is_met)
               ? SweepEffort::kLong
               : SweepEffort::kQuick;
}

SweepPoint point_at(const Sweep& sweep, const Chosen& chosen) {
    SweepPoint point{chosen, effort_of(sweep, chosen), nullptr, {}, {}};
    std::vector<const SweepChange*> changes;
    for (std::size_t i = 0; i < sweep.axes.size(); ++i) {
        for (const std::string& name : chosen[i]) {
            const auto& choices = sweep.axes[i].choices;
            const auto choice =
                std::find_if(choices.begin(), choices.end(),
                             [&](const SweepChoice& one) { return one.name == name; });
            changes.push_back(&choice->change);
        }
    }
    for (const SweepRule& rule : sweep.rules) {
        if (holds(rule.of, chosen)) {
            changes.push_back(&rule.change);
        }
    }
    Json scenario = *sweep.scenario;
    Changer(sweep, scenario).make(changes);
    point.scenario = std::make_shared<const Json>(std::move(scenario));
    point.measuring = sweep.measuring.value_or(SweepMeasuring());
    for (const SweepChange* change : changes) {
        for (const auto& [name, value] : change->vary) {
            point.vary[name] = value;
        }
        const SweepMeasuring& more = change->measuring;
        point.measuring.method = more.method ? more.method : point.measuring.method;
        point.measuring.runs = more.runs ? more.runs : point.measuring.runs;
    }
    return point;
}

class PointsMaker {
  public:
    PointsMaker(const Sweep& sweep, const Deadline& deadline)
        : sweep_(sweep), deadline_(deadline) {}

    std::vector<SweepPoint> make() {
        add();
        return has_to_end() ? std::vector<SweepPoint>() : std::move(points_);
    }

  private:
    [[nodiscard]] bool has_to_end() const { return interrupt_requested() || deadline_.is_past(); }

    void add() {
        if (has_to_end()) {
            return;
        }
        if (chosen_.size() < sweep_.axes.size()) {
            auto choices = next_choices(sweep_, chosen_);
            refuse_above(choices.size(), kSweepPointsMax, "sets of choices");
            for (auto& choice : choices) {
                chosen_.push_back(std::move(choice));
                add();
                chosen_.pop_back();
            }
            return;
        }
        refuse_above(++combinations_, kSweepCombinationsMax, "combinations of choices");
        const auto is_met = [&](const SweepCondition& condition) {
            return holds(condition, chosen_);
        };
        if (std::any_of(sweep_.leave_out.begin(), sweep_.leave_out.end(), is_met)) {
            return;
        }
        refuse_above(points_.size() + 1, kSweepPointsMax, "points");
        points_.push_back(point_at(sweep_, chosen_));
    }

    void refuse_above(std::size_t count, std::size_t most, const char* what) const {
        if (count > most) {
            throw RefusedInput({name_in_messages(sweep_.file), "/axes",
                                fmt::format("more than {} {}", most, what)});
        }
    }

    const Sweep& sweep_;
    const Deadline& deadline_;
    Chosen chosen_;
    std::size_t combinations_ = 0;
    std::vector<SweepPoint> points_;
};

}  // namespace

bool holds(const SweepCondition& condition, const Chosen& chosen) {
    return std::all_of(condition.begin(), condition.end(), [&](const auto& of_axis) {
        return std::any_of(
            of_axis.second.begin(), of_axis.second.end(),
            [&](const SweepAlternative& one) { return fits(one, chosen[of_axis.first]); });
    });
}

std::variant<std::vector<SweepPoint>, InputError> points_of(const Sweep& sweep) {
    return points_until(Deadline(), sweep);
}

std::variant<std::vector<SweepPoint>, InputError> points_until(const Deadline& deadline,
                                                               const Sweep& sweep) {
    try {
        return PointsMaker(sweep, deadline).make();
    } catch (const RefusedInput& refused) {
        return refused.error();
    }
}

std::string choice_text(const std::vector<std::string>& chosen) {
    return chosen.empty() ? "none" : fmt::format("{}", fmt::join(chosen, ", "));
}

std::string point_text(const Sweep& sweep, const SweepPoint& point) {
    std::string text;
    for (std::size_t i = 0; i < sweep.axes.size(); ++i) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", sweep.axes[i].name,
                            choice_text(point.chosen[i]));
    }
    return text;
}

}  // namespace lockkeeper
