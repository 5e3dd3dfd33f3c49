// SPDX-License-Identifier: Apache-2.0

// The baseline that canal lock replaced: one counter per key, shared by callers who disagree about
// its limit. Source: canal lock seeds, "Do I need this Library?" and "My locks keep being resized";
// steps as in the reference.
//
//   acquire  add 1 with cap C+1, C = max_per * buckets as the caller sees it; cap: full
//   release  subtract 1 with floor 0 --C: the mark was taken--> subtract again, up to tries times
//                                                           --> then 2 at once
//            above C there: no rule says what then, and the caller dies (somebody else sees more)
//
// A failed attempt leaves the counter at C+1 of whoever failed; the release of somebody with
// another C does not recognise it as a mark. That is the seeds' corrupted counter.
// No manager: a dead caller's unit stays counted. Limits: capacities up to 30,000.
//
// Invariants
//   1. A counter is never below 0.
//   2. No step makes a counter larger than the largest capacity + 1 that callers see.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/implementation.hpp"

namespace lockkeeper::single_counter {

// Hints that only make searches of the single counter faster (Traits in model/implementation.hpp):
// nothing happens in the background, and searches learn steps without looking for it. Without the
// hints every result is the same.

struct SingleCounterHints {
    template <class Shared, class Record>
    void background_of(const Shared&, const Record&, std::size_t, ActionList&) const {}
    template <class Shared>
    void background_elsewhere(const Shared&, ActionList&) const {}
    template <class Shared>
    [[nodiscard]] bool acts_elsewhere(const Shared&) const {
        return false;
    }
    template <class Shared, class Record, class CallOrAction>
    bool is_private(const Shared&, const Record&, const CallOrAction&, std::uint32_t) const {
        return false;
    }
    template <class Shared>
    [[nodiscard]] std::uint8_t mode(const Shared&) const {
        return 0;
    }
};

struct Options {
    std::optional<std::uint8_t> max_decr_tries = 15;  // nullopt: never forced
    std::vector<std::string> keys{"db"};
    std::vector<std::int32_t> initial;  // per key; missing: 0
    // Every capacity that some caller sees: tells marks from units.
    std::vector<std::uint32_t> capacities{1};
};

enum class At : std::uint8_t { kNowhere, kAdd, kSubtract, kSubtractMark, kForce };

[[nodiscard]] constexpr std::string_view name_of(At at) {
    switch (at) {
        case At::kNowhere: return "idle";
        case At::kAdd: return "add";
        case At::kSubtract: return "subtract";
        case At::kSubtractMark: return "subtract mark";
        case At::kForce: return "force";
    }
    return "?";
}

template <class SizeType>
class SingleCounter : public BasicImplementation<SizeType>, public SingleCounterHints {
  public:
    using Size = SizeType;
    using typename BasicImplementation<SizeType>::Record;
    // Nobody ever waits.
    static constexpr Traits kTraits{.begins_unblocked = true,
                                    .no_background = true,
                                    .by_record = true,
                                    .possible_by_mode = true};
    static constexpr ShownNames kShownNames{.servers = "counter",
                                            .steps = "impl/single_counter/single_counter.hpp",
                                            .page = "docs/findings/single_counter.md"};
    static constexpr std::uint32_t kFeatures = kShowsCounters | kHasCapacity | kShowsCount;

    struct Shared {
        std::array<std::int16_t, Size::kKeys> counters;
    };
    struct Call {
        At at;
        std::uint8_t tries;
    };

    explicit SingleCounter(Options options) : options_(std::move(options)) {}

    [[nodiscard]] Shared initial_shared() const {
        Shared shared{};
        for (std::size_t key = 0; key < options_.initial.size(); ++key) {
            shared.counters[key] = static_cast<std::int16_t>(options_.initial[key]);
        }
        return shared;
    }

    void begin(const Operation& operation, Call& call) const {
        call.at = operation.verb == Verb::kAcquire ? At::kAdd : At::kSubtract;
    }

    Outcome step(Shared& shared, Record&, Call& call, const Operation& operation,
                 Event& event) const {
        std::int16_t& counter = shared.counters[operation.key];
        const auto capacity = static_cast<std::int32_t>(operation.capacity());
        switch (call.at) {
            case At::kAdd: return add(counter, capacity, event);
            case At::kSubtract: return subtract(counter, call, capacity, event);
            case At::kSubtractMark: return subtract_mark(counter, call, capacity, event);
            case At::kForce:
                event.value = store(counter, counter - 2);
                event.what |= kForcedRelease | kGaveUnitBack;
                return Outcome::kReleased;
            case At::kNowhere: break;
        }
        unreachable("a label of the single counter");
    }

    void observe(const Shared& shared, Observation& out) const {
        for (std::size_t key = 0; key < out.keys_count; ++key) {
            const std::int32_t counter = shared.counters[key];
            KeyObservation& seen = out.keys[key];
            seen.counters = {counter};
            seen.releasable = true;
            const auto largest = static_cast<std::int32_t>(
                *std::max_element(options_.capacities.begin(), options_.capacities.end()));
            seen.counted_most = static_cast<std::uint32_t>(std::min(counter, largest));
            seen.counted_least = seen.counted_most;
            for (const std::uint32_t capacity : options_.capacities) {
                if (counter == static_cast<std::int32_t>(capacity) + 1) {
                    seen.counted_least = capacity;
                }
            }
        }
    }

    std::string describe_step(const Shared&, const Record&, const Call& call,
                              const Operation& operation) const {
        return std::string(name_of(call.at)) + " " + options_.keys[operation.key];
    }

    std::string show(const Shared& shared) const {
        std::string text;
        for (std::size_t key = 0; key < options_.keys.size(); ++key) {
            text += (key == 0 ? "" : "  ") + options_.keys[key] + " " +
                    std::to_string(shared.counters[key]);
        }
        return text;
    }

  private:
    static std::int32_t store(std::int16_t& counter, std::int32_t value) {
        counter = static_cast<std::int16_t>(std::max(value, 0));
        return counter;
    }

    static Outcome add(std::int16_t& counter, std::int32_t capacity, Event& event) {
        event.value = store(counter, std::min(counter + 1, capacity + 1));
        if (event.value == capacity + 1) {
            event.what |= kFoundFull;
            return Outcome::kRefused;
        }
        event.what |= kTookUnit;
        event.count = event.value;
        return Outcome::kAcquired;
    }

    Outcome subtract(std::int16_t& counter, Call& call, std::int32_t capacity, Event& event) const {
        event.value = store(counter, counter - 1);
        if (event.value != capacity) {
            event.what |= kGaveUnitBack;
            return Outcome::kReleased;
        }
        call.tries = options_.max_decr_tries.value_or(1);
        call.at = call.tries > 0 ? At::kSubtractMark : At::kForce;
        return Outcome::kContinues;
    }

    Outcome subtract_mark(std::int16_t& counter, Call& call, std::int32_t capacity,
                          Event& event) const {
        event.value = store(counter, counter - 1);
        if (event.value > capacity) {
            return Outcome::kDied;
        }
        if (event.value < capacity) {
            event.what |= kGaveUnitBack;
            return Outcome::kReleased;
        }
        if (options_.max_decr_tries && --call.tries == 0) {
            call.at = At::kForce;
        }
        return Outcome::kContinues;
    }

    Options options_;
};

}  // namespace lockkeeper::single_counter
