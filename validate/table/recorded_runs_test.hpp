// SPDX-License-Identifier: Apache-2.0

// The rows of small_locks.json as programs that keep their own state: recorded runs
// (black_box.hpp).
#pragma once

#include <string>
#include <vector>

#include "validate/programs/black_box.hpp"
#include "validate/programs/outside_test.hpp"
#include "validate/table/rows_test.hpp"

namespace lockkeeper::table {

inline ProgramOptions program_options(const std::vector<Row>& rows = all_rows()) {
    ProgramOptions options;
    options.command = testing_outside::running("python3") + " " + kClient + "program";
    options.answer_seconds = 60;
    for (const Row& row : rows) {
        options.keys.push_back(row.lock);
    }
    options.callers = {"A", "B", "C", "D"};
    return options;
}

// --------------------------------------------------------------------------------

// Makes the first caller of a lease slow, and lets the others come when its time is over.
inline OutsideWorld with_real_time(const Row& row, OutsideWorld world) {
    constexpr std::uint32_t kLate = 120;  // of 100 milliseconds (small_lock.py)
    for (CallerConfig& caller : world.world.callers) {
        Operation sleep;
        sleep.verb = Verb::kSleep;
        sleep.number = row.ttl > 0 ? kLate * row.ttl : 0;
        const bool is_first = &caller == world.world.callers.data();
        if (sleep.number > 0) {
            caller.script.insert(caller.script.begin() + (is_first ? 1 : 0), sleep);
        }
    }
    return world;
}

inline BlackBoxOptions recording(const Row& row) {
    BlackBoxOptions options;
    options.recovery_seconds = 0.3;
    options.check.ladder = false;
    options.model_is_chosen = false;
    options.model =
        std::get<ModelChoice>(parse_model(row.places > 1 ? "semaphore:" + std::to_string(row.places)
                                          : row.reentrant.value_or(true) ? "reentrant-mutex"
                                                                         : "mutex"));
    return options;
}

// The name of what the runs broke; empty: nothing.
inline std::string broken_in(const BlackBoxResult& result) {
    if (result.misbehaviour) {
        return "misbehaved: " + std::string(name_of(*result.misbehaviour));
    }
    if (result.finding) {
        const Property* property = result.finding->property;
        return property == nullptr ? result.finding->name : std::string(property->name);
    }
    return is<Violated>(result.verdict) ? "unexplained-history" : "";
}

// Judges a row by random runs with real time, of any length. A busy machine may release too late
// and acquire too late, so the runs go on until everything asked for was decided.
inline Says of_records(const Row& row, const OutsideWorld& plain) {
    if (plain.check.empty()) {
        return {kNotJudged};
    }
    constexpr std::uint64_t kRounds = 40;
    const std::string expected = row.expected().is;
    BlackBoxOptions options = recording(row);
    options.schedules_max = 6;
    ProgramOptions program = program_options();
    program.answer_seconds = expected.starts_with("misbehaved") ? 2 : 60;
    OutsideTally tally;
    Says says{kPass};
    for (std::uint64_t round = 0; round < kRounds; ++round) {
        options.seed = 1 + round * options.schedules_max;
        for (const OutsideWorld& world :
             row.ttl > 0 ? std::vector{with_real_time(row, plain), plain} : std::vector{plain}) {
            const BlackBoxResult result = run_black_box(program, world, options);
            if (const std::string broken = broken_in(result); !broken.empty()) {
                return {broken};
            }
            tally += result.tally;
        }
        says.missing = tally.answers.what_is_missing();
        says.missing = says.missing.empty() ? tally.never_decided(plain) : says.missing;
        says.is = says.missing.empty() ? kPass : kNotJudged;
        if (says.is == expected) {
            break;
        }
    }
    return says;
}

}  // namespace lockkeeper::table
