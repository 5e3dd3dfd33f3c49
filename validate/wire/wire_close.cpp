// SPDX-License-Identifier: Apache-2.0

// The beginning and the end of a client, where nobody chooses what it does: until its driver is
// ready, and while it closes what it has.
#include <fmt/format.h>

#include "validate/wire/wire.hpp"

namespace lockkeeper::wire {
namespace {

constexpr std::size_t kStepsOfStartMax = 1'000;

}  // namespace

// Before a driver is ready nobody chooses for it: what it asks for is part of its start.
std::optional<std::string> Wire::first_line(std::size_t caller) {
    std::optional<std::string> line = hear_answer(caller);
    for (std::size_t steps = 0; !line && steps < kStepsOfStartMax && go_on_asking(caller);
         ++steps) {
        line = hear_answer(caller);
    }
    // Whoever is fresh in another way has begun otherwise.
    static_cast<void>(proxy_.take_fingerprint());
    return line;
}

bool Wire::go_on_asking(std::size_t caller) {
    for (const auto& connection : proxy_.of(caller)) {
        bool moved = false;
        if (!connection->requests.empty() && connection->owed == 0) {
            execute(*connection);
            moved = true;
        }
        if (!connection->replies.empty() && connection->client >= 0) {
            static_cast<void>(deliver(*connection));
            return true;
        }
        if (moved) {
            return true;
        }
    }
    return false;
}

void Wire::go_on_at_once(std::size_t caller) {
    if (go_on_asking(caller)) {
        return;
    }
    const std::vector<Sleeper> sleepers = clients_[caller]->sleepers();
    if (!sleepers.empty()) {
        wake(caller, sleepers.front());
    }
}

// Tells the driver to close and returns its answer; nothing: no answer comes.
std::optional<std::string> Wire::say_close(std::size_t caller) {
    constexpr unsigned kStepsMax = 256;
    say(caller, "close");
    for (unsigned steps = 0; steps < kStepsMax; ++steps) {
        if (auto line = hear_answer(caller)) {
            return line;
        }
        go_on_at_once(caller);
    }
    return std::nullopt;
}

// A client that is kept closes what it has while the server still answers. What it leaves may come
// to its own end when time passes, and Node.js forgets a timer that was taken back only then.
// Whoever does not close, or leaves something that may act in the next run, is started again.
void Wire::close(std::size_t caller) {
    constexpr unsigned kWakesMax = 16;
    constexpr std::string_view kLeft = "ready left ";
    std::string left;
    try {
        std::optional<std::string> line = say_close(caller);
        for (unsigned wakes = 0; line && wakes < kWakesMax; ++wakes) {
            const bool leaves = line->starts_with(kLeft);
            const std::vector<Sleeper> sleepers = clients_[caller]->sleepers();
            if (sleepers.empty() ||
                (!leaves && (!sleepers.front().is_loop || timer_calls(caller) == 0))) {
                break;
            }
            wake(caller, sleepers.front());
            if (leaves) {
                line = say_close(caller);
            }
        }
        left = !line                      ? "does not come to an end"
               : line->starts_with(kLeft) ? quoted_piece(line->substr(kLeft.size()), 200)
               : *line == "ready"         ? ""
                                          : "says " + quoted_piece(*line, 60);
    } catch (const Misbehaved& error) {
        left = error.what();
    }
    if (!left.empty()) {
        left_[caller] = left;
        kill(caller);
    }
}

}  // namespace lockkeeper::wire
