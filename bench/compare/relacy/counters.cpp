// SPDX-License-Identifier: Apache-2.0

// The counters of the canal lock (no manager) under Relacy's random scheduler: how many executions
// and atomic steps a second? N threads, each acquires once and, if it was granted, releases once.
//
//   relacy_counters N SECONDS     first half of the threads (rounded down) sees 1 bucket, the
//                                 others 2; max_per 2, cold, 2 tries; N = 2..4
//
// Each numbered step of the algorithm is one atomic read-modify-write, at whose beginning Relacy
// chooses who goes on. Atomics have no add with a cap, so the value itself stands beside the atomic
// and is changed right after it: Relacy switches threads nowhere else, so nothing comes between.
// Memory orders are relaxed, the fastest for Relacy, because a read-modify-write sees the latest
// value anyhow.
//
// Executions are some percent shorter than those of `lockkeeper fuzz --strategy random`: the first
// time that Relacy chooses a thread it only starts it, so threads meet less often, and its
// generator is simple. Steps a second are what compares.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sstream>
#include <string>

// Last: it defines macros of the names that are undefined here.
#include <relacy/relacy.hpp>
#undef new
#undef delete
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef assert
#undef errno

namespace {

constexpr int kMaxPer = 2;
constexpr int kCap = kMaxPer + 1;
constexpr int kMaxDecrTries = 2;
constexpr int kAbsent = -1000;

// Beyond one execution; Relacy runs everything on one system thread.
std::uint64_t steps_taken = 0;

class SharedCell {
  public:
    // The begin of an atomic step on this cell; whoever calls it may then read and write the value.
    int& step() {
        atomic_.fetch_add(0, rl::mo_relaxed, rl::debug_info());
        ++steps_taken;
        return value_;
    }

  private:
    rl::atomic<int> atomic_{0};
    int value_ = kAbsent;
};

template <unsigned Threads>
struct Counters : rl::test_suite<Counters<Threads>, Threads> {
    std::array<SharedCell, 2> buckets;
    SharedCell highest;

    // Relacy's invariant, called after every step, is the empty one of its base.
    void thread(unsigned index) {
        const std::size_t seen = index < Threads / 2 ? 1 : 2;
        if (acquire(seen)) {
            release();
        }
    }

    bool acquire(std::size_t seen) {
        std::size_t bucket = 1;
        while (true) {
            int& counter = buckets[bucket - 1].step();  // step 1
            if (counter == kAbsent) {
                if (insert_new(bucket)) {
                    return register_bucket(bucket);
                }
                continue;
            }
            counter = std::min(counter + 1, kCap);
            if (counter != kCap) {
                return true;
            }
            if (bucket == seen) {
                return false;
            }
            ++bucket;
        }
    }

    bool insert_new(std::size_t bucket) {
        int& counter = buckets[bucket - 1].step();  // step 2
        if (counter != kAbsent) {
            return false;
        }
        counter = 1;
        return true;
    }

    // False: the caller dies.
    bool register_bucket(std::size_t bucket) {
        int& count = highest.step();  // step 3
        if (bucket == 1) {
            count = 1;
        } else if (count == kAbsent) {
            return false;
        } else {
            ++count;
        }
        return true;
    }

    void release() {
        const int count = highest.step();  // step 5
        if (count == kAbsent) {
            return;  // dies
        }
        for (auto bucket = static_cast<std::size_t>(count); bucket > 0; --bucket) {
            int& counter = buckets[bucket - 1].step();  // step 6
            if (counter == kAbsent) {
                return;  // dies
            }
            const int left = --counter;
            if (left >= 0) {
                if (left == kMaxPer) {
                    subtract_mark(bucket);
                }
                return;
            }
            ++buckets[bucket - 1].step();  // step 7
        }
    }

    void subtract_mark(std::size_t bucket) {
        for (int tries = kMaxDecrTries; tries > 0; --tries) {
            int& counter = buckets[bucket - 1].step();  // step 8
            counter = std::max(counter - 1, 0);
            if (counter != kMaxPer) {
                return;
            }
        }
        int& counter = buckets[bucket - 1].step();  // step 9
        counter = std::max(counter - 2, 0);
    }
};

struct Spent {
    bool passed;
    double seconds;
};

template <unsigned Threads>
Spent execute(std::uint64_t executions) {
    std::ostringstream silent;
    rl::test_params parameters;
    parameters.search_type = rl::random_scheduler_type;
    parameters.output_stream = &silent;
    parameters.progress_stream = &silent;
    parameters.iteration_count = static_cast<rl::iteration_t>(executions);
    steps_taken = 0;
    const std::clock_t begin = std::clock();
    const bool passed = rl::simulate<Counters<Threads>>(parameters);
    if (!passed) {
        std::fprintf(stderr, "relacy_counters: %s\n", silent.str().c_str());
    }
    return {passed, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC};
}

// A first, short run says how many executions take so long: Relacy seeds its generator with the
// number of the execution, so a run that is repeated shows nothing new.
template <unsigned Threads>
int measure(double seconds) {
    constexpr std::uint64_t kTrial = 100'000;
    const Spent trial = execute<Threads>(kTrial);
    if (!trial.passed) {
        return EXIT_FAILURE;
    }
    const double wanted = kTrial * seconds / std::max(trial.seconds, 0.001);
    const auto executions = std::max(static_cast<std::uint64_t>(wanted), kTrial);
    const auto [passed, spent] = execute<Threads>(executions);
    if (!passed) {
        return EXIT_FAILURE;
    }
    std::printf(
        "{\"tool\":\"relacy\",\"scope\":\"counters N=%u max_per=%d tries=%d cold\","
        "\"executions\":%llu,\"steps\":%llu,\"cpu_s\":%.3f,\"executions_per_s\":%.0f,"
        "\"steps_per_s\":%.0f}\n",
        Threads, kMaxPer, kMaxDecrTries, static_cast<unsigned long long>(executions),
        static_cast<unsigned long long>(steps_taken), spent,
        static_cast<double>(executions) / spent, static_cast<double>(steps_taken) / spent);
    return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string threads = argc == 3 ? argv[1] : "";
    const double seconds = argc == 3 ? std::atof(argv[2]) : 0;
    if (seconds > 0 && threads == "2") {
        return measure<2>(seconds);
    }
    if (seconds > 0 && threads == "3") {
        return measure<3>(seconds);
    }
    if (seconds > 0 && threads == "4") {
        return measure<4>(seconds);
    }
    std::fprintf(stderr, "usage: relacy_counters 2|3|4 SECONDS\n");
    return 64;
}
