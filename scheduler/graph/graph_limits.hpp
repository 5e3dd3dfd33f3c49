// SPDX-License-Identifier: Apache-2.0

// Ends the look at the graph behind a search at the limits of the search. The time and memory of
// the search count, too. Memory is counted as far as it grows with the number of states.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "scheduler/base/process_memory.hpp"
#include "scheduler/search/explore.hpp"

namespace lockkeeper {

// Thrown when a limit ends it: the search is then incomplete.
struct GraphLimitReached {
    std::string limit;
};

class GraphLimits {
  public:
    GraphLimits() = default;  // none
    GraphLimits(const ExploreOptions& options, double seconds_before, std::size_t bytes_before)
        : options_(&options),
          seconds_before_(seconds_before),
          bytes_before_(bytes_before),
          process_limit_(options.process_bytes_max) {}

    // Looks are worth their time after so many states.
    static constexpr std::size_t kStatesALook = 16'384;

    // Counts memory that stays while something else is made.
    void keep(std::size_t bytes) { bytes_kept_ = bytes; }

    // `bytes`: what is being made takes by now.
    void look(std::size_t bytes) const {
        if (options_ == nullptr) {
            return;
        }
        if (has_to_stop(*options_)) {
            throw GraphLimitReached{"interrupted"};
        }
        if (seconds_before_ + seconds() > options_->seconds_max) {
            throw GraphLimitReached{"time"};
        }
        if (bytes_before_ + bytes_kept_ + bytes > options_->bytes_max ||
            process_limit_.is_exceeded()) {
            throw GraphLimitReached{"memory"};
        }
    }
    // The time of the graph alone.
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(Clock::now() - start_).count();
    }

  private:
    using Clock = std::chrono::steady_clock;

    const ExploreOptions* options_ = nullptr;
    double seconds_before_ = 0;
    std::size_t bytes_before_ = 0;
    std::size_t bytes_kept_ = 0;
    mutable ProcessLimit process_limit_{UINT64_MAX};
    Clock::time_point start_ = Clock::now();
};

}  // namespace lockkeeper
