// SPDX-License-Identifier: Apache-2.0

// The result, as people and other programs are told: the run that was found, step by step,
// and the verdict. Made by report_steps.cpp, written by report.cpp and report_json.cpp.
#pragma once

#include <string>
#include <vector>

#include "validate/threads/runtime/hosted.hpp"

namespace lockkeeper::threads {

struct ShownStep {
    std::string thread;     // "main", "T1"
    std::string where;      // "limiter.cpp:12 (try_acquire)"
    std::string file;       // the same with the whole path: "/src/limiter.cpp:12"
    std::string what;       // "fetch_add used"
    std::string result;     // "reads 0 of step 3, makes it 1"; empty: it has none
    std::string mark;       // of the test: "holds"; empty: it is none
    std::string object;     // the variable, or the lock
    std::size_t reads = 0;  // the step that it reads from; 0: of none
    bool waits = false;     // and does not go on
};

struct ShownFinding {
    std::vector<std::string> lines;  // who is where, for what
    std::vector<ShownStep> steps;
};
[[nodiscard]] ShownFinding shown_finding(const Hosted& host);

// "limiter.cpp:12 (try_acquire)"
[[nodiscard]] std::string place_of(const Hosted& host, std::uint64_t site);
[[nodiscard]] std::string name_of(Thread thread);

struct ShownResult {
    int exit_code = 0;
    std::string verdict;  // "passed", "violated", "inconclusive", "refused", "not deterministic"
    std::string detail;   // behind the verdict; empty: there is none
    ShownFinding finding;
    std::string scope;
    std::string judged;               // by marks: lines for people
    std::vector<int> judged_numbers;  // of those properties
    std::string replay;  // the command, or what is to be done; empty: nothing was found
    double seconds = 0;
};
[[nodiscard]] std::string text_of(const Hosted& host, const ShownResult& result);
[[nodiscard]] std::string json_of(const Hosted& host, const ShownResult& result);

}  // namespace lockkeeper::threads
