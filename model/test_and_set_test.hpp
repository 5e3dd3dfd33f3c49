// SPDX-License-Identifier: Apache-2.0

// A lock of the tests' own, so that World is tested without any shipped implementation: a
// test-and-set word per key, and a post office that makes it live in the background too.
//
//   acquire   test_and_set --was free--> return --> acquired
//                 |  \--taken--> full                       (or, if it waits, blocked till free)
//   release   look --> clear --> released                   (look kills who releases a free word)
//
// A release posts one letter if `posts_letters`; the background delivers them one by one.
#pragma once

#include <array>
#include <string>

#include "model/implementation.hpp"

namespace lockkeeper::testing_model {

struct TestAndSet : BasicImplementation<WorldSize<3, 2, std::uint8_t, std::uint8_t, 2>> {
    enum class At : std::uint8_t { kNowhere, kTestAndSet, kReturn, kLook, kClear };
    struct Shared {
        std::array<std::uint8_t, Size::kKeys> taken;
    };
    struct Call {
        At at;
        std::uint8_t key;
    };

    bool waits = false;
    bool posts_letters = false;
    bool ignores_owners = false;  // one word for any number of holders: to hold more than one

    [[nodiscard]] Shared initial_shared() const { return {}; }

    void begin(const Operation& operation, Call& call) const {
        call.at = operation.verb == Verb::kAcquire ? At::kTestAndSet : At::kLook;
        call.key = operation.key;
    }

    [[nodiscard]] bool blocked(const Shared& shared, const Record&, const Call& call) const {
        return waits && call.at == At::kTestAndSet && shared.taken[call.key] != 0;
    }

    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const {
        std::uint8_t& word = shared.taken[operation.key];
        event.value = operation.places;
        switch (call.at) {
            case At::kTestAndSet:
                if (word != 0 && !ignores_owners) {
                    return waits ? Outcome::kContinues : Outcome::kRefused;
                }
                word = 1;
                call.at = At::kReturn;
                return Outcome::kContinues;
            case At::kReturn: return Outcome::kAcquired;
            case At::kLook:
                if (word == 0 && !ignores_owners) {
                    return Outcome::kDied;
                }
                call.at = At::kClear;
                return Outcome::kContinues;
            case At::kClear:
                word = 0;
                record.unused = posts_letters ? 1 : 0;
                return Outcome::kReleased;
            case At::kNowhere: break;
        }
        unreachable("a label of test and set");
    }

    void background(const Shared&, Records<const Record> records, ActionList& out) const {
        for (std::size_t i = 0; i < records.size(); ++i) {
            if (records[i].unused > 0) {
                out.add({static_cast<std::uint8_t>(i), ActionKind::kBackground, 7});
            }
        }
    }
    void apply_background(Shared&, Records<Record> records, Action action, Event& event) const {
        event.caller = action.actor;
        records[action.actor].unused = 0;
    }
    [[nodiscard]] bool idle(const Shared&, Records<const Record> records) const {
        for (std::size_t i = 0; i < records.size(); ++i) {
            if (records[i].unused > 0) {
                return false;
            }
        }
        return true;
    }

    [[nodiscard]] bool granted(const Call& call) const { return call.at == At::kReturn; }

    void observe(const Shared& shared, Records<const Record>, Observation& out) const {
        for (std::size_t key = 0; key < out.keys_count; ++key) {
            KeyObservation& seen = out.keys[key];
            seen.counters = {shared.taken[key]};
            seen.counted_least = seen.counted_most = shared.taken[key];
            seen.releasable = true;
        }
    }
    [[nodiscard]] std::string describe_step(const Shared&, const Record&, const Call& call,
                                            const Operation&) const {
        constexpr std::array<const char*, 5> kNames{"nowhere", "test and set", "return", "look",
                                                    "clear"};
        return kNames[static_cast<std::size_t>(call.at)];
    }
    [[nodiscard]] std::string describe_background(const Shared&, Records<const Record>,
                                                  Action) const {
        return "post office: letter of @";
    }
    [[nodiscard]] std::string show(const Shared& shared) const {
        return shared.taken[0] != 0 ? "taken" : "free";
    }
};
static_assert(Implementation<TestAndSet>);

}  // namespace lockkeeper::testing_model
