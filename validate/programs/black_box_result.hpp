// SPDX-License-Identifier: Apache-2.0

// The findings of recorded runs of a program (black_box.hpp). Plain values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/property.hpp"
#include "validate/histories/check_history.hpp"
#include "validate/outside/misbehaviour.hpp"
#include "validate/outside/tally.hpp"

namespace lockkeeper {

// A violation that a recorded run shows without a model of its history.
struct BlackBoxFinding {
    const Property* property = nullptr;  // null: no property, but "expired on return"
    std::string name;                    // "P2 leak", "expired on return"
    std::string reason;                  // one sentence, with the operations
    std::vector<std::size_t> records;    // positions in the history that show it, rising
};

[[nodiscard]] inline BlackBoxFinding finding_of(const Property& property, std::string reason,
                                                std::vector<std::size_t> records) {
    return {&property, "P" + std::to_string(property.number) + " " + std::string(property.name),
            std::move(reason), std::move(records)};
}

struct BlackBoxResult {
    std::optional<Misbehaviour> misbehaviour;
    std::string detail;      // of the misbehaviour
    std::string last_words;  // the program's, on stderr, before it
    std::string refused;     // not empty: the model cannot judge such histories, and why
    // The history of the run that ended the search, else of the last run.
    RecordedHistory history;
    std::optional<HistoryCheck> check;
    std::optional<BlackBoxFinding> finding;  // beside what the model says
    bool has_until = false;                  // some grant, of any run
    bool judged_by_tokens = false;           // the same
    bool judged_by_model = false;            // some history
    Verdict verdict;                         // violated before inconclusive
    std::string limit;  // reached before the last schedule: "time", "interrupted"
    std::uint64_t schedules = 0;
    std::uint64_t operations = 0;
    std::uint64_t crashes = 0;
    OutsideTally tally;  // of all runs, without the probes' answers; times are milliseconds
    double seconds = 0;
};

}  // namespace lockkeeper
