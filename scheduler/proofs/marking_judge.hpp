// SPDX-License-Identifier: Apache-2.0

// Whether a property can be broken in a state that a marking covers. The rules are those of the
// catalogue, asked with what the implementation shows: of steps with one other caller beside, and
// with the sum of what all others hold; of rest with one caller, and the sum of what all hold.
//
// "Can" errs on the safe side: what is judged bad may be none, what is judged good is good.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/property.hpp"
#include "scheduler/proofs/decidable.hpp"
#include "scheduler/proofs/marking.hpp"

namespace lockkeeper::proofs {

struct Broken {
    const Property* property = nullptr;  // null: see `why`
    std::string why;                     // in words, with the step or the state
};

class MarkingJudge {
  public:
    // All decidable.
    MarkingJudge(ReplicatedSteps& steps, std::vector<const Property*> properties);

    [[nodiscard]] std::optional<Broken> judge(const Populated& at);

    // Throws DoesNotFit unless these callers, there at once, are at rest only if each alone is, and
    // what the rules say of all follows from what they say of each (see above).
    void check_beside(SharedId shared, const std::vector<LocalId>& callers);

  private:
    struct Beside {
        std::int64_t more_held = 0;  // Event::holding_before
        std::uint64_t breaks = 0;    // bit n: properties_[n]
    };

    struct BesideKey {
        std::uint64_t who = 0;  // what is shared, who takes the step, who is beside
        std::size_t step = 0;   // its number

        friend bool operator==(const BesideKey&, const BesideKey&) = default;
    };
    struct HashOfBeside {
        std::size_t operator()(const BesideKey& key) const {
            std::uint64_t hash = (key.who + 0x9E3779B97F4A7C15U * (key.step + 1));
            hash = (hash ^ hash >> 32U) * 0xFF51AFD7ED558CCDU;
            return hash ^ hash >> 32U;
        }
    };

    [[nodiscard]] std::optional<Broken> judge_step(const Populated& others, SharedId shared,
                                                   const LocalId* local, std::size_t number,
                                                   const ReplicatedStep& step);
    [[nodiscard]] std::optional<Broken> judge_rest(const Populated& at);
    [[nodiscard]] std::optional<Broken> judge_at_rest(const Populated& at, const Counts& resting);
    [[nodiscard]] std::uint64_t broken_by(const Event& event, SharedId shared,
                                          const std::vector<LocalId>& callers, Action action);
    [[nodiscard]] const Beside& beside(SharedId shared, const LocalId* local, std::size_t number,
                                       const ReplicatedStep& step, LocalId other);
    [[nodiscard]] bool is_at_rest(SharedId shared, const std::vector<LocalId>& callers);
    [[nodiscard]] bool rests(SharedId shared, LocalId local);
    [[nodiscard]] std::uint32_t held(LocalId local, std::size_t key);
    void observe(SharedId shared, const std::vector<LocalId>& callers);
    [[nodiscard]] const Property* breaks_rest(SharedId shared, const std::vector<LocalId>& callers,
                                              const std::vector<std::uint32_t>& believed);
    [[nodiscard]] Broken broken(const Property& property, SharedId shared, const char* how);

    ReplicatedSteps& steps_;
    std::vector<const Property*> properties_;
    std::uint32_t triggers_ = 0;
    std::unordered_map<BesideKey, Beside, HashOfBeside> beside_;
    std::unordered_map<std::uint64_t, bool> rests_;
    std::vector<std::vector<std::uint32_t>> held_;  // by local
    std::size_t keys_count_ = 0;
    Observation seen_{};
};

}  // namespace lockkeeper::proofs
