// SPDX-License-Identifier: Apache-2.0

// Random values, scripts and callers, for property tests. Inside of a property only: draws with
// RapidCheck.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include <rapidcheck.h>

#include "model/observation.hpp"
#include "scenarios/fields.hpp"
#include "scenarios/keys/operations.hpp"

namespace lockkeeper::testing_scenarios {

template <class Number>
Number drawn(Number min, Number max) {
    return static_cast<Number>(*rc::gen::inRange<std::int64_t>(static_cast<std::int64_t>(min),
                                                               static_cast<std::int64_t>(max) + 1));
}

inline bool coin() { return *rc::gen::arbitrary<bool>(); }

inline std::vector<std::string> some_of(const std::vector<std::string>& names) {
    std::vector<std::string> chosen;
    std::copy_if(names.begin(), names.end(), std::back_inserter(chosen),
                 [](const std::string&) { return coin(); });
    return chosen;
}

inline nlohmann::json arbitrary_value(const Allowed& allowed) {
    switch (allowed.kind) {
        case Allowed::Kind::kTruth: return coin();
        case Allowed::Kind::kName: return "random";
        case Allowed::Kind::kNames: return some_of({"leak", "deadlock", "all"});
        case Allowed::Kind::kText:
            return *rc::gen::element<std::string>("", "one idea", "caf\u00e9 \"quoted\"\n");
        case Allowed::Kind::kWord:
            return allowed.words[drawn<std::size_t>(0, allowed.words.size() - 1)];
        case Allowed::Kind::kNumber:
            return std::max(allowed.or_zero ? 0 : allowed.least_number, drawn(0, 9'999) / 1000.0);
        case Allowed::Kind::kWhole:
            if (!allowed.or_word.empty() && coin()) {
                return allowed.or_word;
            }
            return allowed.most == std::numeric_limits<std::uint64_t>::max()
                       ? *rc::gen::arbitrary<std::uint64_t>()
                       : drawn<std::uint64_t>(allowed.least, allowed.most);
        case Allowed::Kind::kOwnCode: break;
    }
    return nullptr;
}

// The plain keys of the verb are there, or not.
inline Operation with_keys(Operation operation) {
    for (const OperationKey& row : operation_keys()) {
        if (row.set && row.is_of(operation.verb) && (row.required || coin())) {
            row.set(operation, arbitrary_value(row.allowed));
        }
    }
    return operation;
}

// `follows`: by key, whether this script's buckets are "current".
inline Operation arbitrary_operation(const std::vector<bool>& follows) {
    Operation operation = with_keys({.verb = coin() ? Verb::kAcquire : Verb::kRelease});
    operation.key = drawn<std::uint8_t>(0, static_cast<std::uint8_t>(follows.size() - 1));
    operation.place_capacity = drawn<std::uint16_t>(0, kMaxPerMax);
    operation.follows_resizes = follows[operation.key];
    if (operation.follows_resizes) {
        operation.unchecked = false;
    } else {
        operation.places = drawn<std::uint16_t>(0, kBucketsMax);
    }
    return operation;
}

// Calls of a system's own, by one of three words, and sleeps.
inline Operation arbitrary_own_call(std::size_t keys_count) {
    if (coin()) {
        return with_keys({.verb = Verb::kSleep});
    }
    Operation operation = with_keys({.verb = Verb::kCall});
    operation.key = drawn<std::uint8_t>(0, static_cast<std::uint8_t>(keys_count - 1));
    operation.word = drawn<std::uint8_t>(0, 2);
    return operation;
}

// Signals are numbered at random; `name_signals` brings them into the order of their use.
inline Operation arbitrary_signal() {
    Operation operation = with_keys({.verb = coin() ? Verb::kSignal : Verb::kWait});
    operation.signal = drawn<std::uint8_t>(0, kSignalsMax - 1);
    return operation;
}

// One operation, or conditions with what they govern.
inline void add_arbitrary(std::vector<Operation>& script, const std::vector<bool>& follows,
                          std::size_t conditions = 0) {
    const int kind = drawn(0, 8);
    if (kind == 8) {
        script.push_back(arbitrary_own_call(follows.size()));
        return;
    }
    if (kind > 1 || (kind == 1 && conditions == kConditionsMax)) {
        script.push_back(arbitrary_operation(follows));
        return;
    }
    if (kind == 0) {
        script.push_back(arbitrary_signal());
        return;
    }
    const std::size_t at = script.size();
    script.push_back({.verb = Verb::kIfHolding});
    script[at].key = drawn<std::uint8_t>(0, static_cast<std::uint8_t>(follows.size() - 1));
    for (int governed = drawn(1, 3); governed > 0; --governed) {
        add_arbitrary(script, follows, conditions + 1);
    }
    if (drawn(0, 5) == 0) {
        script.push_back({.verb = Verb::kExit});
    }
    script[at].governs = static_cast<std::uint32_t>(script.size() - at - 1);
}

// Parts that repeat, parts of parts, and single operations.
inline std::vector<Operation> arbitrary_script(std::size_t keys_count) {
    std::vector<bool> follows(keys_count);
    for (std::size_t key = 0; key < keys_count; ++key) {
        follows[key] = coin();
    }
    std::vector<Operation> script;
    const int parts = drawn(1, 4);
    for (int i = 0; i < parts; ++i) {
        std::vector<Operation> part;
        for (int operations = drawn(1, 4); operations > 0; --operations) {
            add_arbitrary(part, follows);
        }
        for (int times = drawn(1, 3); times > 0; --times) {
            script.insert(script.end(), part.begin(), part.end());
        }
    }
    if (coin()) {
        const std::vector<Operation> once = script;
        script.insert(script.end(), once.begin(), once.end());
    }
    if (coin()) {
        script.push_back({.verb = Verb::kExit});
    }
    return script;
}

// Names for the signals that are used, and one more caller that signals and waits for all of them.
inline void name_signals(WorldConfig& world) {
    constexpr std::uint8_t kUnknown = 0xFF;
    std::array<std::uint8_t, kSignalsMax> number{};
    number.fill(kUnknown);
    CallerConfig caller;
    caller.name = "caller_of_all";
    for (CallerConfig& other : world.callers) {
        for (Operation& operation : other.script) {
            if (!operation.uses_signal()) {
                continue;
            }
            std::uint8_t& known = number[operation.signal];
            if (known == kUnknown) {
                known = static_cast<std::uint8_t>(world.signals.size());
                world.signals.push_back("signal" + std::to_string(known));
                caller.script.push_back({.verb = Verb::kSignal, .signal = known});
                caller.script.push_back({.verb = Verb::kWait, .signal = known});
            }
            operation.signal = known;
        }
    }
    if (!caller.script.empty()) {
        caller.group = static_cast<std::uint8_t>(world.callers.back().group + 1);
        world.callers.push_back(caller);
    }
}

// The same for words of calls, with a caller that uses all of them first. It also acquires every
// key, because a condition on a key that nobody acquires is refused.
inline void name_words(WorldConfig& world) {
    world.words = {"renew", "write", "read.again"};
    CallerConfig caller;
    caller.name = "caller_of_words";
    for (std::size_t word = 0; word < world.words.size(); ++word) {
        caller.script.push_back({.verb = Verb::kCall, .word = static_cast<std::uint8_t>(word)});
    }
    for (std::size_t key = 0; key < world.keys.size(); ++key) {
        caller.script.push_back({.verb = Verb::kAcquire, .key = static_cast<std::uint8_t>(key)});
    }
    world.callers.insert(world.callers.begin(), caller);
    for (std::size_t i = 1; i < world.callers.size(); ++i) {
        ++world.callers[i].group;
    }
}

inline WorldConfig arbitrary_world() {
    WorldConfig world;
    world.keys.resize(drawn<std::size_t>(1, kKeysMax));
    for (std::size_t key = 0; key < world.keys.size(); ++key) {
        world.keys[key] = (coin() ? "key" : "warm") + std::to_string(key);
    }
    const auto entries = drawn<std::uint8_t>(1, 5);
    for (std::uint8_t entry = 0; entry < entries; ++entry) {
        CallerConfig caller;
        caller.group = entry;
        caller.may_crash = coin();
        caller.repeats_forever = coin();
        caller.script = arbitrary_script(world.keys.size());
        if (coin()) {
            caller.settings["clock"] = drawn(-kOwnNumberMax, kOwnNumberMax);
        }
        const int count = drawn(1, 3);
        for (int i = 1; i <= count; ++i) {
            caller.name = "caller" + std::string(1, static_cast<char>('a' + entry)) +
                          (count > 1 || entry % 2 == 0 ? std::to_string(i) : "");
            world.callers.push_back(caller);
        }
    }
    name_signals(world);
    name_words(world);
    world.views.resize(drawn<std::size_t>(1, 4));
    std::generate(world.views.begin(), world.views.end(),
                  [] { return drawn<std::uint16_t>(0, kBucketsMax); });
    return world;
}

}  // namespace lockkeeper::testing_scenarios
