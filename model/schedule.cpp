// SPDX-License-Identifier: Apache-2.0
#include "model/schedule.hpp"

#include <bit>
#include <charconv>
#include <limits>
#include <optional>

#include "model/folding.hpp"

namespace lockkeeper {
namespace {

// Reads an unsigned decimal number and moves `rest` behind it.
template <class Number>
std::optional<Number> take_number(std::string_view& rest) {
    Number value{};
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc{} || end == rest.data()) {
        return std::nullopt;
    }
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    return value;
}

bool take(std::string_view& rest, char expected) {
    if (rest.empty() || rest.front() != expected) {
        return false;
    }
    rest.remove_prefix(1);
    return true;
}

constexpr std::string_view kExpectedAction =
    "expected an action: s<caller>, s<caller>.<question>, b<actor>.<argument>, x<caller>, "
    "f<caller>.<fault>, d<actor>.<fault>, t<actor>.<time> or r";

std::string with_argument(Action action) {
    return std::to_string(action.actor) + "." + std::to_string(action.argument);
}

// Reads one action; null and an untouched meaning of `rest` as the place of the error.
std::optional<Action> take_action(std::string_view& rest) {
    Action action;
    if (take(rest, 'r')) {
        action.kind = ActionKind::kResize;
        return action;
    }
    if (take(rest, 's')) {
        action.kind = ActionKind::kStep;
    } else if (take(rest, 'x')) {
        action.kind = ActionKind::kCrash;
    } else if (take(rest, 'b')) {
        action.kind = ActionKind::kBackground;
    } else if (take(rest, 'f')) {
        action.kind = ActionKind::kFault;
    } else if (take(rest, 'd')) {
        action.kind = ActionKind::kDisturb;
    } else if (take(rest, 't')) {
        action.kind = ActionKind::kTime;
    } else {
        return std::nullopt;
    }
    const auto actor = take_number<std::uint8_t>(rest);
    if (!actor) {
        return std::nullopt;
    }
    action.actor = *actor;
    const bool has_argument = rest.starts_with('.') && action.kind != ActionKind::kCrash;
    if (action.kind == ActionKind::kCrash || (action.kind == ActionKind::kStep && !has_argument)) {
        return action;
    }
    if (!take(rest, '.')) {
        return std::nullopt;
    }
    const auto argument = take_number<std::uint16_t>(rest);
    if (!argument) {
        return std::nullopt;
    }
    action.argument = *argument;
    return action;
}

std::vector<std::uint32_t> values_of(const Schedule& schedule) {
    std::vector<std::uint32_t> values;
    values.reserve(schedule.actions.size());
    for (const Action action : schedule.actions) {
        values.push_back(std::bit_cast<std::uint32_t>(action));
    }
    return values;
}

std::string beginning_of(const Schedule& schedule) {
    return std::string(kScheduleVersion) + ":" + std::to_string(schedule.seed) + ":";
}

std::string text_of(const std::vector<Fold>& folds) {
    std::string text;
    for (const Fold& fold : folds) {
        text += text.empty() ? "" : ",";
        text += fold.group.empty() ? to_text(std::bit_cast<Action>(fold.value))
                                   : "(" + text_of(fold.group) + ")";
        if (fold.times > 1) {
            text += "*" + std::to_string(fold.times);
        }
    }
    return text;
}

// "*n", if it stands there: what has been read from `begin` on is there n times. Returns what is
// wrong.
std::optional<std::string> take_times(std::string_view& rest, std::vector<Action>& actions,
                                      std::size_t begin) {
    if (!take(rest, '*')) {
        return std::nullopt;
    }
    const auto times = take_number<std::size_t>(rest);
    if (!times || *times == 0) {
        return "expected how often, a number from 1, after '*'";
    }
    const std::size_t length = actions.size() - begin;
    if (*times - 1 > (kScheduleStepsMax - actions.size()) / length) {
        return "more than " + std::to_string(kScheduleStepsMax) + " actions";
    }
    actions.reserve(begin + length * *times);
    for (std::size_t i = 0; i < length * (*times - 1); ++i) {
        actions.push_back(actions[begin + i]);
    }
    return std::nullopt;
}

// Actions and groups to the end of the text. Returns what is wrong where `rest` then begins.
std::optional<std::string> take_actions(std::string_view& rest, std::vector<Action>& actions) {
    std::vector<std::size_t> groups;  // where those begin that are open
    while (!rest.empty() || !groups.empty()) {
        if (!actions.empty() && !take(rest, ',')) {
            return groups.empty() ? "expected ',' between actions" : "expected ',' or ')'";
        }
        while (take(rest, '(')) {
            if (groups.size() == kScheduleDepthMax) {
                return "more than " + std::to_string(kScheduleDepthMax) + " groups in each other";
            }
            groups.push_back(actions.size());
        }
        const auto action = take_action(rest);
        if (!action) {
            return std::string(kExpectedAction);
        }
        if (actions.size() == kScheduleStepsMax) {
            return "more than " + std::to_string(kScheduleStepsMax) + " actions";
        }
        actions.push_back(*action);
        auto error = take_times(rest, actions, actions.size() - 1);
        while (!error && !groups.empty() && take(rest, ')')) {
            error = take_times(rest, actions, groups.back());
            groups.pop_back();
        }
        if (error) {
            return error;
        }
    }
    return std::nullopt;
}

}  // namespace

std::string to_text(Action action) {
    switch (action.kind) {
        case ActionKind::kStep:
            return "s" +
                   (action.argument == 0 ? std::to_string(action.actor) : with_argument(action));
        case ActionKind::kCrash: return "x" + std::to_string(action.actor);
        case ActionKind::kResize: return "r";
        case ActionKind::kBackground: return "b" + with_argument(action);
        case ActionKind::kFault: return "f" + with_argument(action);
        case ActionKind::kDisturb: return "d" + with_argument(action);
        case ActionKind::kTime: return "t" + with_argument(action);
    }
    return "?";
}

std::string to_line(const Schedule& schedule) {
    return beginning_of(schedule) + text_of(folded(values_of(schedule), {2, 3}));
}

std::string to_unfolded_line(const Schedule& schedule) {
    constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
    return beginning_of(schedule) + text_of(folded(values_of(schedule), {2, kNever}));
}

std::variant<Action, ScheduleError> parse_action(std::string_view text) {
    std::string_view rest = text;
    const auto action = take_action(rest);
    if (!action || !rest.empty()) {
        return ScheduleError{text.size() - rest.size(), std::string(kExpectedAction)};
    }
    return *action;
}

std::variant<Schedule, ScheduleError> parse_schedule(std::string_view line) {
    std::string_view rest = line;
    const auto fail = [&](std::string message) {
        return ScheduleError{line.size() - rest.size(), std::move(message)};
    };
    const std::size_t colon = rest.find(':');
    if (colon == std::string_view::npos || rest.substr(0, colon) != kScheduleVersion) {
        return fail("not a schedule of version " + std::string(kScheduleVersion) +
                    "; this build replays no other");
    }
    rest.remove_prefix(colon + 1);
    Schedule schedule;
    const auto seed = take_number<std::uint64_t>(rest);
    if (!seed || !take(rest, ':')) {
        return fail("expected the seed, a decimal number, and ':'");
    }
    schedule.seed = *seed;
    if (auto error = take_actions(rest, schedule.actions)) {
        return fail(std::move(*error));
    }
    return schedule;
}

}  // namespace lockkeeper
