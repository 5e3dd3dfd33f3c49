// SPDX-License-Identifier: Apache-2.0

// The beginning and the end of a client, where nobody chooses what it does: until its driver is
// ready, and while it closes what it has.
#include <algorithm>

#include <fmt/format.h>

#include "validate/wire/wire.hpp"

namespace lockkeeper::wire {
namespace {

constexpr std::size_t kStepsOfStartMax = 1'000;

std::string left_request(const WireRequest& request, const char* told) {
    return "it leaves " + quoted_piece(request.text, 60) + ", sent when it is told to " + told;
}

bool changes_something(const KeyFootprint& footprint) {
    return footprint.everything || footprint.loads_script || footprint.may_tell ||
           std::any_of(footprint.keys.begin(), footprint.keys.end(),
                       [](const KeyUse& use) { return use.writes; });
}

}  // namespace

// Before a driver is ready nobody chooses for it: what it asks for is part of its start.
std::optional<std::string> Wire::first_line(std::size_t caller) {
    std::optional<std::string> line = hear_answer(caller);
    for (std::size_t steps = 0; steps < kStepsOfStartMax; ++steps) {
        if (!begin_unkept_if_stale(caller, line.has_value()) && (line || !go_on_asking(caller))) {
            break;
        }
        line = hear_answer(caller);
    }
    // Whoever is fresh in another way has begun otherwise.
    static_cast<void>(proxy_.take_fingerprint());
    return line;
}

// The next request of the caller that changes something which others see. QUIT, which has no row of
// its own, ends nothing but its own connection.
const WireRequest* Wire::changing_request(std::size_t caller) const {
    for (const auto& connection : proxy_.of(caller)) {
        const WireRequest* const next = connection->is_late ? nullptr : connection->next_chosen();
        if (next != nullptr && !is_good_bye(next->words) && changes_something(next->footprint)) {
            return next;
        }
    }
    return nullptr;
}

// A process that is kept is told to begin anew when the next run has begun already, or the look at
// the end asks again. Objects that it frees then, or threads that were at work for them, may give
// back what they held: in the next run, where that hides a leak and frees the lock of another one.
// Such a process is ended before the server hears of it. True: a fresh one begins instead.
bool Wire::begin_unkept_if_stale(std::size_t caller, bool is_ready) {
    Client& client = *clients_[caller];
    if (client.used() != Freshness::kKept) {
        return false;
    }
    const WireRequest* stale = changing_request(caller);
    for (const auto& connection : proxy_.of(caller)) {
        stale = is_ready && stale == nullptr ? connection->next_chosen() : stale;
    }
    const bool sleeps = is_ready && !client.closes() && !client.sleepers().empty();
    if (stale == nullptr && !sleeps) {
        return false;
    }
    begin_unkept(caller, stale == nullptr
                             ? "it still waits for the clock when it is told to begin anew"
                             : left_request(*stale, "begin anew"));
    settle(caller);
    return true;
}

void Wire::set_freshness(Freshness freshness) {
    for (const auto& client : clients_) {
        client->set_freshness(freshness);
    }
}

bool Wire::keep_nobody(const std::string& why) {
    if (!has_kept_ || settings_.freshness != Freshness::kKept) {
        return false;
    }
    why_nobody_is_kept_ = why;
    settings_.freshness = Freshness::kForked;
    set_freshness(settings_.freshness);
    return true;
}

// In place of a process that was to begin anew. `left`: why it cannot be kept, a sentence.
void Wire::begin_unkept(std::size_t caller, const std::string& left) {
    left_[caller] = left;
    heard_[caller].clear();
    clients_[caller]->begin_unkept();
    proxy_.forget(caller);
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
// Within a run it is not to give back what it holds, no more than a process that is killed.
std::optional<std::string> Wire::say_close(std::size_t caller, Closing when) {
    constexpr unsigned kStepsMax = 256;
    say(caller, "close");
    for (unsigned steps = 0; steps < kStepsMax; ++steps) {
        if (when == Closing::kInRun && changing_request(caller) != nullptr) {
            return std::nullopt;
        }
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
void Wire::close(std::size_t caller, Closing when) {
    constexpr unsigned kWakesMax = 16;
    constexpr std::string_view kLeft = "ready left ";
    std::string left;
    try {
        std::optional<std::string> line = say_close(caller, when);
        for (unsigned wakes = 0; line && wakes < kWakesMax; ++wakes) {
            const bool leaves = line->starts_with(kLeft);
            const std::vector<Sleeper> sleepers = clients_[caller]->sleepers();
            if (sleepers.empty() ||
                (!leaves && (!sleepers.front().is_loop || timer_calls(caller) == 0))) {
                break;
            }
            wake(caller, sleepers.front());
            if (leaves) {
                line = say_close(caller, when);
            }
        }
        const WireRequest* const stale =
            !line && when == Closing::kInRun ? changing_request(caller) : nullptr;
        left = stale != nullptr ? left_request(*stale, "close")
               : !line          ? "it does not come to the end of \"close\""
               : line->starts_with(kLeft)
                   ? "it leaves " + quoted_piece(line->substr(kLeft.size()), 200)
               : *line == "ready" ? ""
                                  : "it answers " + quoted_piece(*line, 60) + " to \"close\"";
    } catch (const Misbehaved& error) {
        left = std::string("it cannot close what it has: ") + error.what();
    }
    if (!left.empty()) {
        left_[caller] = left;
        kill(caller);
    }
}

}  // namespace lockkeeper::wire
