#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "measure/sweep.hpp"
#include "model/read_text.hpp"
#include "scenarios/parse_place.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::json;
using Chosen = std::vector<std::vector<std::string>>;

class Changer {
  public:
    Changer(const Sweep& sweep, Json& scenario) : sweep_(sweep), scenario_(scenario) {}

    // First what every change sets, then what is added to it.
    void make(const std::vector<const SweepChange*>& changes) {
        for (const SweepChange* change : changes) {
            for (const auto& [pointer, value] : change->set) {
                change_ = change;
                each_at(scenario_, pointer, pointer, [&what = value](Json& at) { at = what; });
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
            if (!change->one_caller.is_null()) {
                one_caller.merge_patch(change->one_caller);
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

// Small ones first, in the order of the file.
void add_subsets(const SweptAxis& axis, std::size_t size, std::size_t from,
                 std::vector<std::string>& chosen, std::vector<std::vector<std::string>>& out) {
    if (chosen.size() == size) {
        if (is_allowed(axis, chosen)) {
            out.push_back(chosen);
        }
        return;
    }
    for (std::size_t i = from; i < axis.choices.size() && out.size() <= kSweepPointsMax; ++i) {
        chosen.push_back(axis.choices[i].name);
        add_subsets(axis, size, i + 1, chosen, out);
        chosen.pop_back();
    }
}

std::vector<std::vector<std::string>> choices_of(const SweptAxis& axis) {
    std::vector<std::vector<std::string>> all;
    std::vector<std::string> chosen;
    const std::size_t least = axis.subsets_most ? 0 : 1;
    for (std::size_t size = least; size <= axis.subsets_most.value_or(1); ++size) {
        add_subsets(axis, size, 0, chosen, all);
    }
    return all;
}

SweepPoint point_at(const Sweep& sweep, const Chosen& chosen) {
    SweepPoint point{chosen, false, sweep.scenario, {}};
    std::vector<const SweepChange*> changes;
    for (std::size_t i = 0; i < sweep.axes.size(); ++i) {
        for (const SweepChoice& choice : sweep.axes[i].choices) {
            if (std::find(chosen[i].begin(), chosen[i].end(), choice.name) != chosen[i].end()) {
                changes.push_back(&choice.change);
            }
        }
    }
    for (const SweepRule& rule : sweep.rules) {
        if (holds(rule.of, chosen)) {
            changes.push_back(&rule.change);
        }
    }
    Changer(sweep, point.scenario).make(changes);
    for (const SweepChange* change : changes) {
        for (const auto& [name, value] : change->vary) {
            point.vary[name] = value;
        }
    }
    const auto is_met = [&](const SweepCondition& condition) { return holds(condition, chosen); };
    point.is_long = std::any_of(sweep.only_long.begin(), sweep.only_long.end(), is_met);
    return point;
}

void add_points(const Sweep& sweep, Chosen& chosen, std::vector<SweepPoint>& points) {
    if (chosen.size() < sweep.axes.size()) {
        for (auto& choice : choices_of(sweep.axes[chosen.size()])) {
            chosen.push_back(std::move(choice));
            add_points(sweep, chosen, points);
            chosen.pop_back();
        }
        return;
    }
    const bool is_left_out =
        std::any_of(sweep.leave_out.begin(), sweep.leave_out.end(),
                    [&](const SweepCondition& condition) { return holds(condition, chosen); });
    if (is_left_out) {
        return;
    }
    if (points.size() == kSweepPointsMax) {
        throw RefusedInput({name_in_messages(sweep.file), "/axes",
                            fmt::format("more than {} points", kSweepPointsMax)});
    }
    points.push_back(point_at(sweep, chosen));
}

}  // namespace

bool holds(const SweepCondition& condition, const Chosen& chosen) {
    return std::all_of(condition.begin(), condition.end(), [&](const auto& of_axis) {
        const std::vector<std::string>& names = chosen[of_axis.first];
        return std::any_of(
            of_axis.second.begin(), of_axis.second.end(), [&](const SweepAlternative& one) {
                return names.size() >= one.chosen_least &&
                       std::all_of(one.all.begin(), one.all.end(), [&](const std::string& name) {
                           return std::find(names.begin(), names.end(), name) != names.end();
                       });
            });
    });
}

std::variant<std::vector<SweepPoint>, InputError> points_of(const Sweep& sweep) {
    try {
        std::vector<SweepPoint> points;
        Chosen chosen;
        add_points(sweep, chosen, points);
        return points;
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
