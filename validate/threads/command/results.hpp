// SPDX-License-Identifier: Apache-2.0

// The result of a program that explored itself, for other formats than text. The program is started
// and writes one JSON document (validate/threads/runtime/report_json.cpp). Plain values, which
// reports/ turns into the tree of results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "validate/threads/command/command.hpp"

namespace lockkeeper::threads {

struct ResultStep {
    std::string thread;  // "main", "T1"
    std::string where;   // "limiter.cpp:12 (try_acquire)"
    std::string file;    // "/src/limiter.cpp:12"; empty: nobody knows
    std::string what;    // "fetch_add used"
    std::string result;  // "reads 0 of step 3, makes it 1"
    std::string mark;    // of the test: "holds"
    std::string object;
    std::uint64_t reads = 0;  // the step, from 1, that it reads from; 0: of none
    bool waits = false;       // and does not go on
};

struct ProgramResult {
    std::string verdict;  // "passed", "violated", "inconclusive", "refused", "not deterministic"
    int exit_code = 70;
    std::string detail;
    std::string scope;
    bool is_complete = false;
    std::string model;
    std::string strategy;
    std::uint64_t seed = 0;
    std::string kind;  // of a violation: "data race", "P1 over-allocation"
    std::string text;  // the same in a sentence
    int property = 0;  // its number; 0: it has none
    std::vector<int> judged;
    std::vector<std::string> lines;
    std::vector<ResultStep> steps;
    std::uint64_t executions = 0;
    std::uint64_t events = 0;
    double seconds = 0;
    std::string replay;   // the command
    std::string printed;  // all of it, as text
    // Not empty: the program said nothing that can be read, and why. Nothing else counts then.
    std::string error;
};

// Starts the program and waits for its end. A program that is not linked with the runtime is
// refused.
[[nodiscard]] ProgramResult run_for_results(const Asked& asked,
                                            const std::vector<std::string>& program);
// Reads what the program has written.
[[nodiscard]] ProgramResult parse_result(const std::string& json);

}  // namespace lockkeeper::threads
