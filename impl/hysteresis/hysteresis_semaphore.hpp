// SPDX-License-Identifier: Apache-2.0

// A semaphore with hysteresis, as the limit of a quorum queue of RabbitMQ 3.10.8 is one
// (docs/decisions/models/real_locks.md, row 18): a limit of 10 takes 11, then refuses at 10 and 9,
// and accepts at 8. Each call is one step.
//
//   acquire  refuses: --> full
//            else one more --> acquired; more than the limit are held now: from here on it refuses
//   release  one less; at most `margin` below the limit are held: it accepts again
//
// Repaired: exact_limit, full means that as many are held as the limit says.
//
// Invariants
//   1. At most one more than the largest limit is held.
//   2. It refuses only where more than the limit less `margin` are held.
//
// A dead caller's unit stays, as a message stays in its queue.
// Limits: capacities up to 200, 8 callers, 2 keys.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/implementation.hpp"

namespace lockkeeper::hysteresis {

struct Options {
    std::vector<std::string> keys{"db"};
    std::int32_t margin = 2;
    bool exact_limit = false;
};

enum class At : std::uint8_t { kNowhere, kAdd, kSubtract };

using SemaphoreSize = WorldSize<8, 2, std::uint8_t, std::uint8_t, 1>;

class HysteresisSemaphore : public BasicImplementation<SemaphoreSize> {
  public:
    static constexpr Traits kTraits{.begins_unblocked = true, .no_background = true};
    static constexpr ShownNames kShownNames{.servers = "queue",
                                            .steps = "impl/hysteresis/hysteresis_semaphore.hpp",
                                            .page = "docs/decisions/models/real_locks.md"};
    static constexpr std::uint32_t kFeatures = kShowsCounters | kHasCapacity;

    struct Shared {
        std::array<std::uint8_t, SemaphoreSize::kKeys> held;
        std::array<std::uint8_t, SemaphoreSize::kKeys> refuses;
    };
    struct Call {
        At at;
    };

    explicit HysteresisSemaphore(Options options) : options_(std::move(options)) {}

    [[nodiscard]] static Shared initial_shared() { return {}; }
    static void begin(const Operation& operation, Call& call) {
        call.at = operation.verb == Verb::kAcquire ? At::kAdd : At::kSubtract;
    }

    Outcome step(Shared& shared, Record&, Call& call, const Operation& operation,
                 Event& event) const {
        std::uint8_t& held = shared.held[operation.key];
        std::uint8_t& refuses = shared.refuses[operation.key];
        const auto limit = static_cast<std::int32_t>(operation.capacity());
        if (call.at == At::kAdd) {
            if (options_.exact_limit ? held >= limit : refuses != 0) {
                event.what |= kFoundFull;
                return Outcome::kRefused;
            }
            ++held;
            refuses = !options_.exact_limit && held > limit ? 1 : 0;
            event.what |= kTookUnit;
            return Outcome::kAcquired;
        }
        held = static_cast<std::uint8_t>(held - (held > 0 ? 1 : 0));
        refuses = refuses != 0 && held > limit - options_.margin ? 1 : 0;
        event.what |= kGaveUnitBack;
        return Outcome::kReleased;
    }

    static void observe(const Shared& shared, Observation& out) {
        for (std::size_t key = 0; key < out.keys_count; ++key) {
            KeyObservation& seen = out.keys[key];
            seen.counters = {shared.held[key]};
            seen.counted_least = seen.counted_most = shared.held[key];
        }
    }
    // All of it is observed of the shared state alone.
    static void observe(const Shared& shared, Records<const Record>, Observation& out) {
        observe(shared, out);
    }

    std::string describe_step(const Shared&, const Record&, const Call& call,
                              const Operation& operation) const {
        return (call.at == At::kAdd ? "one more of " : "one less of ") +
               options_.keys[operation.key];
    }
    std::string show(const Shared& shared) const {
        std::string text;
        for (std::size_t key = 0; key < options_.keys.size(); ++key) {
            text += (key == 0 ? "" : "  ") + options_.keys[key] + " " +
                    std::to_string(shared.held[key]) + (shared.refuses[key] != 0 ? " refuses" : "");
        }
        return text;
    }

  private:
    Options options_;
};

static_assert(Implementation<HysteresisSemaphore>);

}  // namespace lockkeeper::hysteresis
