// SPDX-License-Identifier: Apache-2.0

// Loops that wake for nothing. Node.js sleeps until the end of a timer that was taken back or put
// off since, wakes, finds nothing to do and sleeps on: no choice of a search. Whether a wake is one
// of these is seen when it happens, and a client does the same whenever the same has happened to
// it. So each such wake is tried once, and the run begins again up to here.
#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "validate/wire/wire_run.hpp"

namespace lockkeeper::wire {
namespace {

constexpr unsigned kTriesMax = 64;

}  // namespace

// The caller's waits after which it does something, in order of time.
std::vector<Sleeper> WireRun::sleepers(std::size_t index) {
    std::vector<Sleeper> own = wire_.client(index).sleepers();
    while (!own.empty() && own.front().is_loop && wire_.timer_calls(index) != 0) {
        const auto known = wakes_of_loops_.find({callers_[index].lived, own.front().until});
        if (known == wakes_of_loops_.end()) {
            learn_wake(index);
            own = wire_.client(index).sleepers();
        } else if (known->second) {
            own.front().until = *known->second;
            break;
        } else {
            own.erase(own.begin());
        }
    }
    std::stable_sort(own.begin(), own.end(), [](const Sleeper& left, const Sleeper& right) {
        return left.until < right.until;
    });
    return own;
}

void WireRun::learn_wake(std::size_t index) {
    OutsideTally kept = ledger_.tally;
    std::optional<Sleeper> next = wire_.client(index).sleepers().front();
    const std::pair<std::size_t, std::int64_t> asked{callers_[index].lived, next->until};
    std::optional<std::int64_t> wakes_at;
    const std::uint32_t calls = wire_.timer_calls(index);
    try {
        for (unsigned tries = 1; next && !wakes_at; ++tries) {
            wire_.wake(index, *next);
            if (wire_.timer_calls(index) != calls || tries >= kTriesMax || !next->is_loop) {
                wakes_at = next->until;
            }
            const std::vector<Sleeper> left = wire_.client(index).sleepers();
            next = left.empty() ? std::nullopt : std::optional(left.front());
        }
    } catch (const Misbehaved&) {  // is met again where the wake is a step
        wakes_at = next->until;
        wire_.kill(index);
    }
    wakes_of_loops_[asked] = wakes_at;
    run_again();
    kept.remarks.merge(ledger_.tally.remarks);
    ledger_.tally = std::move(kept);
}

void WireRun::note_lived(Action action, const Step& step) {
    const bool is_of_all =
        action.kind == ActionKind::kDisturb &&
        (action.argument < kJumpForward || action.argument == kServerJumpForward ||
         action.argument == kServerJumpBack);
    const std::string what = to_text(action) + step.text + step.result +
                             std::to_string(step.bytes) + "@" + std::to_string(wire_.now());
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        if (is_of_all || i == action.actor) {
            callers_[i].lived = std::hash<std::string>{}(std::to_string(callers_[i].lived) + what);
        }
    }
}

}  // namespace lockkeeper::wire
