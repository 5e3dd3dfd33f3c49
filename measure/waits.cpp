// SPDX-License-Identifier: Apache-2.0
#include "measure/waits.hpp"

namespace lockkeeper {

void Waits::note(const Event& event) {
    if (event.caller >= waits_.size()) {
        return;
    }
    Wait& wait = waits_[event.caller];
    if (event.is(kInvoked)) {
        const bool goes_on = event.invoked == Verb::kAcquire && wait.key == event.key;
        wait.began = goes_on ? wait.began : 0;
        if (event.invoked == Verb::kAcquire) {
            wait = {wait.began != 0 ? wait.began : ++calls_, event.key, true};
        }
    }
    if (event.is(kAcquired) && wait.is_asking) {
        serve(wait);
        wait = {};
    }
    if ((event.what & (kCallerDied | kCrashed)) != 0) {
        wait = {};
    }
    if ((event.what & (kRefused | kFailed | kLost)) != 0) {
        wait.is_asking = false;
    }
}

void Waits::serve(const Wait& granted) {
    std::uint64_t asking = 0;
    std::uint64_t older = 0;
    for (const Wait& wait : waits_) {
        if (wait.is_asking && wait.key == granted.key) {
            ++asking;
            older += wait.began < granted.began ? 1U : 0U;
        }
    }
    if (asking < 2) {
        return;
    }
    ++served_.contended;
    served_.to_longest += older == 0 ? 1U : 0U;
    served_.to_newest += older + 1 == asking ? 1U : 0U;
    served_.by_equal_chances += 1.0 / static_cast<double>(asking);
}

}  // namespace lockkeeper
