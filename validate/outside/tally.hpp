// SPDX-License-Identifier: Apache-2.0

// What happened in the runs of outside code, apart from what they violated: the verdict asks it
// whether a pass means anything. Filled by the runs, summed by who drives them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "model/answer_counts.hpp"
#include "validate/outside/call_history.hpp"
#include "validate/outside/outside_world.hpp"
#include "validate/outside/script_place.hpp"

namespace lockkeeper {

// What acquires were answered that met a holder: where none was granted or refused, nobody knows
// what the lock does when it is contended.
struct ContendedAnswers {
    std::uint64_t judged = 0;  // granted, or refused
    std::uint64_t errors = 0;  // any other, definite or not
};

struct OutsideTally {
    AnswerCounts answers;
    PassedOverCounts passed_over;
    std::uint32_t events = 0;  // EventBit: for goals
    bool has_leases = false;   // a grant had an end
    // Such an end came before the release; black box: and before another caller's answer.
    bool sees_lease_end = false;
    bool sees_window_end = false;    // of a rate limiter: a grant was a window ago
    std::int64_t lease_time = 0;     // the longest, from the answer on, in the program's unit
    ContendedAnswers met_holder;     // another caller held
    ContendedAnswers met_all_taken;  // all places were held
    std::map<PropertyNumber, std::uint64_t> decided;  // cases that were judged, by property
    // Cases that nobody could judge, by property: how many, and the fact that was missing.
    struct Open {
        std::uint64_t cases = 0;
        std::string missing;
    };
    std::map<PropertyNumber, Open> open;
    // Of unmodified clients: what readers of the report have to know, and why a pass would be none.
    std::set<std::string> remarks;
    std::string not_judged;
    // Of the stepped level.
    bool asks_time = false;
    std::uint64_t runs_out_of_time = 0;  // the clock's limit ended them
    std::uint64_t grants_over_on_return = 0;
    std::uint64_t undecided_histories = 0;      // a limit ended their check
    std::uint64_t histories_without_model = 0;  // runs that were granted something

    void decide(PropertyNumber number) { ++decided[number]; }
    void leave_open(PropertyNumber number, const std::string& missing);
    void add_grant();
    void add_lease(std::int64_t time);
    // What P29 (unexplained-history) could not judge of the calls recorded since the last time.
    void take_histories(CallHistory& calls, const OutsideWorld& world);
    // An acquire that met others has ended: granted or refused, or in another error.
    void add_contended(bool met_a_holder, bool met_all, bool is_judged);
    OutsideTally& operator+=(const OutsideTally& other);

    // Why the answers are no reason to say "passed" though all places, or one at least, were held;
    // empty: they are.
    [[nodiscard]] std::string contention_not_judged() const;
    // What was asked for by name and is not judged here, had no case, or one that nobody could
    // judge; empty: nothing.
    [[nodiscard]] std::string never_decided(const OutsideWorld& world) const;
    // Why nothing that was seen of a rate limiter is a pass; empty: it is none, or it is.
    [[nodiscard]] std::string rate_not_judged(const OutsideWorld& world) const;
    // A sentence for each property that has cases that nobody could judge.
    [[nodiscard]] std::set<std::string> remarks_of_open() const;
    // Stepped: why nothing that these runs did not show counts as passed; empty: it does.
    [[nodiscard]] std::string what_is_missing(const OutsideWorld& world) const;
};

// Of what is checked, what a lock with a time limit can only break while time passes: "P1
// over-allocation, P17 belief-overlap".
[[nodiscard]] std::string properties_of_time(const OutsideWorld& world);

}  // namespace lockkeeper
