// SPDX-License-Identifier: Apache-2.0

// Counts of what happened in runs of outside code, apart from violations. The verdict asks the
// tally whether a pass means anything. Runs fill it in; the code that drives them adds up.
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

// The answers to acquires that met a holder. If none was granted or refused, nobody knows how the
// lock behaves under contention.
struct ContendedAnswers {
    std::uint64_t judged = 0;  // granted, or refused
    std::uint64_t errors = 0;  // any other, definite or not
};

struct OutsideTally {
    AnswerCounts answers;
    PassedOverCounts passed_over;
    std::uint32_t events = 0;  // EventBit: for goals
    bool has_leases = false;   // a grant had an end
    // A lease ended before its release; black box: and before another caller's answer.
    bool sees_lease_end = false;
    bool sees_window_end = false;    // for a rate limiter: a grant was a window ago
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
    // For unmodified clients: what a report's reader must know, and why the search could not pass.
    std::set<std::string> remarks;
    std::string not_judged;
    // For the stepped level.
    bool asks_time = false;
    std::uint64_t runs_out_of_time = 0;  // the clock's limit ended them
    std::uint64_t grants_over_on_return = 0;
    std::uint64_t undecided_histories = 0;      // a limit ended their check
    std::uint64_t histories_without_model = 0;  // runs that were granted something

    void decide(PropertyNumber number) { ++decided[number]; }
    void leave_open(PropertyNumber number, const std::string& missing);
    void add_grant();
    void add_lease(std::int64_t time);
    // Counts histories, since the last call of this, that P29 (unexplained-history) cannot judge.
    void take_histories(CallHistory& calls, const OutsideWorld& world);
    // An acquire that met others has ended: granted or refused, or in another error.
    void add_contended(bool met_a_holder, bool met_all, bool is_judged);
    OutsideTally& operator+=(const OutsideTally& other);

    // Why the answers do not justify "passed" where acquires met a holder, or met all places held;
    // empty: they do.
    [[nodiscard]] std::string contention_not_judged() const;
    // Names a property that was asked for by name and is not judged here, had no case, or had a
    // case that nobody could judge; empty: there is none.
    [[nodiscard]] std::string never_decided(const OutsideWorld& world) const;
    // Why these runs of a rate limiter do not pass; empty: they pass, or it is no rate limiter.
    [[nodiscard]] std::string rate_not_judged(const OutsideWorld& world) const;
    // A sentence for each property that has cases that nobody could judge.
    [[nodiscard]] std::set<std::string> remarks_of_open() const;
    // Stepped: why runs without a violation do not count as passed; empty: they do.
    [[nodiscard]] std::string what_is_missing(const OutsideWorld& world) const;
};

// The checked properties that a lock with a time limit can break only while time passes: "P1
// over-allocation, P17 belief-overlap".
[[nodiscard]] std::string properties_of_time(const OutsideWorld& world);

}  // namespace lockkeeper
