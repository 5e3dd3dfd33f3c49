// SPDX-License-Identifier: Apache-2.0

// How a run that ends early leaves its callers: who is in the middle of an operation would go on
// with it in the next run.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "validate/wire/wire_run.hpp"

namespace lockkeeper::wire {
namespace {

constexpr unsigned kStepsToRest = 32;

}  // namespace

// One of the caller's connections on which a request or a reply can go on.
Connection* WireRun::open_connection(std::size_t index) {
    for (const auto& connection : wire_.proxy().of(index)) {
        if (!connection->is_late && ((!connection->requests.empty() && connection->owed == 0) ||
                                     (!connection->replies.empty() && connection->client >= 0))) {
            return connection.get();
        }
    }
    return nullptr;
}

// A kept client is brought to the end of its operation, of which nobody hears: that takes less time
// than a new process does. False: it has to be killed, because it does not come to an end soon, or
// waits for others or for the clock.
bool WireRun::comes_to_rest(std::size_t index) {
    // A client that can close takes back its waits for the clock when it is told to.
    const auto may_stay = [&] {
        return wire_.client(index).closes() || wire_.client(index).sleepers().empty();
    };
    if (!may_stay()) {
        return false;
    }
    if (!has_something_under_way(index)) {
        return true;
    }
    bool calls = callers_[index].calling;
    try {
        for (unsigned steps = 0; wire_.client(index).is_kept() && steps < kStepsToRest; ++steps) {
            while (wire_.hear_answer(index)) {
                calls = false;
            }
            Connection* const open = open_connection(index);
            if (open == nullptr) {
                return !calls && may_stay();
            }
            if (open->replies.empty()) {
                wire_.execute(*open);
            }
            if (!open->replies.empty() && open->client >= 0) {
                static_cast<void>(wire_.deliver(*open));
            }
        }
    } catch (const Misbehaved&) {  // not in a step of a run
    }
    return false;
}

// The run reads keys from the server only where they matter: not before somebody is seen to sleep.
// Then the run is repeated up to this step.
void WireRun::begin_again_with_keys() {
    sees_sleep_ = true;
    ledger_.tally = tally_before_;
    run_again();
}

// From its beginning up to this step.
void WireRun::run_again() {
    const std::vector<Action> actions = std::move(taken_);
    begin();
    for (const Action action : actions) {
        const std::vector<Action> possible = enabled();
        if (std::find(possible.begin(), possible.end(), action) == possible.end()) {
            throw Misbehaved(Misbehaviour::kNonsense,
                             fmt::format("does not do the same when it starts again: step {} ({}) "
                                         "is not possible then; {}",
                                         taken_.size() + 1, to_text(action), questions()));
        }
        static_cast<void>(take(action));
    }
}

}  // namespace lockkeeper::wire
