// SPDX-License-Identifier: Apache-2.0

// Loops that wake for nothing. Node.js sleeps until the end of a timer that was taken back or put
// off since, wakes, finds nothing to do and sleeps on: no choice of a search. Whether a wake is one
// of these is seen when it happens, and a client does the same whenever the same has happened to
// it. So each such wake is tried once, and the run begins again up to here.
#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "model/check.hpp"
#include "validate/wire/wire_run.hpp"

namespace lockkeeper::wire {
namespace {

constexpr unsigned kTriesMax = 64;
constexpr unsigned kUnlikeMax = 8;  // of one search: some clients differ only at first

// A loop is known by its thread, also in the next process. Node.js has several: its platform wakes
// a thread of its own five seconds after the start of a process, and nothing comes of that.
std::pair<std::size_t, std::int64_t> wake_of(std::size_t lived, const Sleeper& sleeper) {
    return {lived ^ ((sleeper.thread + 1) * 0x9e3779b97f4a7c15U), sleeper.until};
}

std::optional<Sleeper> in_slot(const std::vector<Sleeper>& sleepers, std::size_t slot) {
    const auto found = std::find_if(sleepers.begin(), sleepers.end(),
                                    [&](const Sleeper& sleeper) { return sleeper.slot == slot; });
    return found == sleepers.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

// The caller's waits after which it does something, in order of time.
std::vector<Sleeper> WireRun::sleepers(std::size_t index) {
    std::vector<Sleeper> own = wire_.client(index).sleepers();
    std::vector<std::size_t> asked;  // slots
    while (!own.empty() && own.front().is_loop && wire_.timer_calls(index) != 0 &&
           std::find(asked.begin(), asked.end(), own.front().slot) == asked.end()) {
        const auto known = wakes_of_loops_.find(wake_of(callers_[index].lived, own.front()));
        if (known == wakes_of_loops_.end()) {
            learn_wake(index);
            own = wire_.client(index).sleepers();
            asked.clear();
        } else if (known->second) {
            own.front().until = *known->second;
            asked.push_back(own.front().slot);
            std::stable_sort(own.begin(), own.end(), [](const Sleeper& left, const Sleeper& right) {
                return left.until < right.until;
            });
        } else {
            own.erase(own.begin());
        }
    }
    return own;
}

// It is the first loop whose wake is not known.
void WireRun::learn_wake(std::size_t index) {
    OutsideTally kept = ledger_.tally;
    std::optional<Sleeper> next;
    for (const Sleeper& sleeper : wire_.client(index).sleepers()) {
        const bool is_known = wakes_of_loops_.contains(wake_of(callers_[index].lived, sleeper));
        if (!next && sleeper.is_loop && !is_known) {
            next = sleeper;
        }
    }
    LOCKKEEPER_CHECK(next.has_value());
    const auto asked = wake_of(callers_[index].lived, *next);
    std::optional<std::int64_t> wakes_at;
    const std::uint32_t calls = wire_.timer_calls(index);
    try {
        for (unsigned tries = 1; next && !wakes_at; ++tries) {
            wire_.wake(index, *next);
            if (wire_.timer_calls(index) != calls || tries >= kTriesMax || !next->is_loop) {
                wakes_at = next->until;
            }
            next = in_slot(wire_.client(index).sleepers(), next->slot);
        }
    } catch (const Misbehaved&) {  // is met again where the wake is a step
        wakes_at = next->until;
        wire_.kill(index);
    }
    wakes_of_loops_[asked] = wakes_at;
    const std::size_t lived = callers_[index].lived;
    run_again();
    // Else each time that it is asked about is the first one, for ever.
    if (callers_[index].lived != lived && ++unlike_ > kUnlikeMax) {
        throw Misbehaved(Misbehaviour::kNonsense,
                         "does not do the same when it starts again: the bytes on the wire, or "
                         "what it answers, are other ones each time, up to step " +
                             std::to_string(taken_.size()));
    }
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
