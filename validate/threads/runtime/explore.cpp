// SPDX-License-Identifier: Apache-2.0

// Run after run, until something is found or there is no other.
#include "validate/threads/runtime/run.hpp"
#include "validate/threads/runtime/system.hpp"

namespace lockkeeper::threads {
namespace {

void find_stuck(Hosted& host) {
    host.found = {};
    host.found.kind = "deadlock";
    host.found.text = "threads wait for what no thread will do";
}

// False: something was found, or the run cannot be hosted.
bool judge(Hosted& host, RunEnd end) {
    switch (end) {
        case RunEnd::kDropped: return true;
        case RunEnd::kOver:
            if (host.search.finish() == Ending::kStuck) {
                find_stuck(host);
                return false;
            }
            return true;
        case RunEnd::kFound:
            if (!host.search.is_consistent()) {
                host.found = {};
                return true;
            }
            return false;
        case RunEnd::kExited:
            host.found = {};
            if (!host.search.is_consistent()) {
                return true;
            }
            host.found.kind = "exit code";
            host.found.text = "the test ends with " + std::to_string(host.exit_code);
            return false;
        case RunEnd::kDiverged:
            host.refused =
                "the program did not do the same from the same values: it depends on "
                "something else (time, random numbers, addresses, state in a library)";
            return false;
        case RunEnd::kRefused: return false;
    }
    return true;
}

}  // namespace

int explore(Hosted& host) {
    const double begin = seconds_now();
    host.deadline = begin + static_cast<double>(host.settings.seconds_max);
    bool is_complete = true;
    bool is_over = false;
    std::uint64_t runs = 0;
    while (!is_over && host.search.begin()) {
        const RunEnd end = run_once(host);
        if (!judge(host, end)) {
            if (host.refused.empty()) {  // once more, to tell it
                const Finding found = host.found;
                host.is_telling = true;
                host.told.clear();
                host.watched = host.found.address & ~std::uint64_t{7};
                host.search.repeat();
                const RunEnd again = run_once(host);
                host.is_telling = false;
                if (again != end) {
                    host.refused = "what was found is not found when the same is run again";
                }
                host.found = found;
            }
            is_over = true;
        }
        ++runs;
        if (runs >= host.settings.executions_max || host.is_late ||
            (runs % 256 == 0 && seconds_now() > host.deadline)) {
            is_complete = is_over;
            break;
        }
    }
    return report(host, is_complete, seconds_now() - begin);
}

}  // namespace lockkeeper::threads
