// SPDX-License-Identifier: Apache-2.0

// A lock that looks before it takes, and three threads that each hold it once, under Relacy:
//   relacy_ttas full          every interleaving
//   relacy_ttas random N      N schedules by chance
// Prints iterations, and the atomic steps that the threads have taken. A macro of Relacy replaces
// what the C library has, so that no file of the harness includes it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <relacy/relacy.hpp>
#include <sstream>
#include <string>

namespace {

constexpr unsigned kCount = 3;
std::uint64_t steps = 0;
std::uint64_t iterations = 0;

struct Ttas : rl::test_suite<Ttas, kCount> {
    rl::atomic<int> taken;
    rl::var<int> counter;

    void before() {
        ++iterations;
        taken.store(0, rl::mo_relaxed, rl::debug_info());
        VAR(counter) = 0;
    }
    void thread(unsigned) {
        rl::linear_backoff backoff;
        while (true) {
            ++steps;
            while (taken.load(rl::mo_relaxed, rl::debug_info()) != 0) {
                backoff.yield(rl::debug_info());
                ++steps;
            }
            ++steps;
            if (taken.exchange(1, rl::mo_acquire, rl::debug_info()) == 0) {
                break;
            }
        }
        VAR(counter) = VAR(counter) + 1;
        ++steps;
        taken.store(0, rl::mo_release, rl::debug_info());
    }
};

}  // namespace

int main(int count, char** arguments) {
    rl::test_params params;
    std::ostringstream quiet;
    params.output_stream = &quiet;
    params.progress_stream = &quiet;
    const bool is_full = count > 1 && std::string(arguments[1]) == "full";
    params.search_type = is_full ? rl::fair_full_search_scheduler_type : rl::random_scheduler_type;
    if (!is_full && count > 2) {
        params.iteration_count = static_cast<rl::iteration_t>(std::atoi(arguments[2]));
    }
    const bool is_right = rl::simulate<Ttas>(params);
    std::printf("%llu iterations, %llu steps\n", static_cast<unsigned long long>(iterations),
                static_cast<unsigned long long>(steps));
    return is_right ? 0 : 1;
}
