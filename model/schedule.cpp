#include "model/schedule.hpp"

#include <charconv>
#include <limits>
#include <optional>

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
    "expected an action: s<caller>, b<actor>.<argument>, x<caller>, f<caller>.<fault>, "
    "d<actor>.<fault>, t<actor>.<time> or r";

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
    if (action.kind == ActionKind::kStep || action.kind == ActionKind::kCrash) {
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

}  // namespace

std::string to_text(Action action) {
    switch (action.kind) {
        case ActionKind::kStep: return "s" + std::to_string(action.actor);
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
    std::string line{kScheduleVersion};
    line += ":" + std::to_string(schedule.seed) + ":";
    for (std::size_t i = 0; i < schedule.actions.size();) {
        std::size_t end = i + 1;
        while (end < schedule.actions.size() && schedule.actions[end] == schedule.actions[i]) {
            ++end;
        }
        line += (i == 0 ? "" : ",") + to_text(schedule.actions[i]);
        if (end - i > 1) {
            line += "*" + std::to_string(end - i);
        }
        i = end;
    }
    return line;
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
    while (!rest.empty()) {
        if (!schedule.actions.empty() && !take(rest, ',')) {
            return fail("expected ',' between actions");
        }
        const auto action = take_action(rest);
        if (!action) {
            return fail(std::string(kExpectedAction));
        }
        std::size_t times = 1;
        if (take(rest, '*')) {
            const auto number = take_number<std::size_t>(rest);
            if (!number || *number == 0) {
                return fail("expected how often, a number from 1, after '*'");
            }
            times = *number;
        }
        if (times > kScheduleStepsMax - schedule.actions.size()) {
            return fail("more than " + std::to_string(kScheduleStepsMax) + " actions");
        }
        schedule.actions.insert(schedule.actions.end(), times, *action);
    }
    return schedule;
}

}  // namespace lockkeeper
