// SPDX-License-Identifier: Apache-2.0

// Planted bugs: locks that are wrong in one way each. They test the tests.
//
// Each lock has a table of them in impl/<name>/planted_bugs*, and a scenario for each in
// scenarios/<name>/broken/, in whose scope the bug breaks the property that it names while the
// sound lock keeps that property. impl/descriptor/catches_broken_test.cpp runs the whole matrix.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "model/check.hpp"
#include "model/implementation.hpp"

namespace lockkeeper {

// `Made`: what the bug makes wrong, the options of a lock or a lock.
template <class Made>
struct PlantedBug {
    const char* variant;
    const char* must_fail;  // the property that must reject it
    const char* about;      // one sentence
    Made plant;
};

// For locks with options.
template <class Options>
using PlantedBugs = std::span<const PlantedBug<void (*)(Options&)>>;

template <class Options>
void plant(PlantedBugs<Options> bugs, std::string_view variant, Options& options) {
    const auto bug = std::find_if(bugs.begin(), bugs.end(),
                                  [&](const auto& one) { return one.variant == variant; });
    LOCKKEEPER_CHECK(bug != bugs.end());
    bug->plant(options);
}

// The rules of a lock that a planted bug may replace. The step is one of them; a lock adds those
// that cannot be replaced from outside of a step.
template <class AnyLock>
struct Rules {
    using Lock = AnyLock;
    using Shared = typename Lock::Shared;
    using Record = typename Lock::Record;
    using Call = typename Lock::Call;
    using At = decltype(Call::at);

    virtual ~Rules() = default;
    virtual Outcome step(const Lock& lock, Shared& shared, Record& record, Call& call,
                         const Operation& operation, Event& event) const {
        return lock.sound_step(shared, record, call, operation, event);
    }
};

// Plants a bug in options that have rules: it replaces the sound ones.
template <class OtherRules, class Options>
void follow(Options& options) {
    static const OtherRules kRules;
    options.rules = &kRules;
}

}  // namespace lockkeeper
