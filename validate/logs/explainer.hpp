// SPDX-License-Identifier: Apache-2.0

// How the answer of explain.hpp is found: the search of the lines as they stand (explain.cpp), then
// each doubt, until one of them leaves the answer open. Other clocks and few callers are asked in
// explain_clocks.cpp. Used once for each lock.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "validate/logs/explain.hpp"

namespace lockkeeper::logs {

inline constexpr std::uint64_t kStatesOfMissing = 1'000'000;
inline constexpr std::int64_t kFinest = 1'000;  // nanoseconds

class Explainer {
  public:
    Explainer(const std::vector<Source>& sources, const Question& question)
        : sources_(sources), question_(question) {}

    LockAnswer run();

  private:
    [[nodiscard]] std::uint32_t lost_for_certain(const Problem& problem) const;
    Found search(const Problem& problem, std::uint32_t lost_max, bool allows_uncovered);
    Found search(const Problem& problem, std::uint32_t lost_max, bool allows_uncovered,
                 std::uint32_t unseen_max);
    // Where lines may be missing in so many places that the search does not end soon: first whether
    // few callers decide it, or other clocks, which are no less likely than missing lines; then
    // those lines near the one that no complete run reaches.
    Found search_in_turn(const Problem& problem, std::uint32_t lost_max);
    void decide(const Problem& problem);
    // Is there a run in which every effect is a holder's?
    void judge_effects(const Problem& problem);
    // Whoever refused it may have been right: another held it, whose log is not here.
    void doubt_callers();
    // A line that does not say of which lock it is may be one that contradicts the others.
    void doubt_locks();
    // The least error of all clocks with which the lines are explained, and nothing else is needed.
    // One clock is never wrong against itself.
    void doubt_clocks();
    bool do_clocks_explain();
    [[nodiscard]] Problem with_clock_error(std::int64_t clock_error) const;
    // The lines of some callers contradict each other, whatever others did, and with any excuse:
    // missing lines, callers of which there is no log, effects without the lock, slow answers.
    bool do_few_contradict(const Problem& problem, std::uint32_t lost_max);
    // The least clock error, to kFinest, with which no few callers contradict each other: all need
    // as much. Nothing: with `most` some still do.
    std::optional<std::int64_t> clock_error_of_few(std::int64_t most);
    // The first line that no run reaches; null: some run has all.
    [[nodiscard]] const Line* unreached() const;
    [[nodiscard]] bool has_order_with(std::int64_t clock_error) const;
    // The largest clock error, to a microsecond, with which every caller's order is known.
    std::int64_t most_with_order();
    // A note for whoever can ask that machine: it decides nothing.
    void tell_clocks();
    // The least time that is enough, to `finest`: `most` is, `too_few` is not.
    template <class IsEnough>
    std::int64_t least(std::int64_t too_few, std::int64_t most, const IsEnough& is_enough,
                       std::int64_t finest = kFinest) {
        is_cut_ = false;  // then the least that is known is the answer
        while (most - too_few > finest && !is_cut_ && question_.budget->ended() == nullptr) {
            const std::int64_t middle = too_few + (most - too_few) / 2;
            (is_enough(middle) ? most : too_few) = middle;
        }
        return most;
    }
    // Without calls, an answer may be about what was carried out long before.
    void doubt_answers();
    // A double grant, too, is explained if the release between them was answered late enough.
    void doubt_slow_answers();
    // It explains the lines by nothing that these logs never show.
    static bool is_plain(const Found& found) { return found.is_found && found.cost.unseen == 0; }
    Found search_within(std::int64_t answer_max);
    bool is_explained_with(std::int64_t clock_error);
    bool is_explained_by(const std::vector<Source>& sources,
                         const std::vector<std::int64_t>& clock_errors);

    const std::vector<Source>& sources_;
    const Question& question_;
    LockAnswer answer_;
    std::uint64_t states_max_ = UINT64_MAX;  // of one search
    bool is_cut_ = false;                    // the last one with other clocks
    bool few_contradict_ = false;            // whatever is missing: nothing else is doubted
    bool is_decided_early_ = false;          // by these, or by clocks: without missing lines
};

}  // namespace lockkeeper::logs
