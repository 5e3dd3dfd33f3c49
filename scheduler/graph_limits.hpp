// What ends the look at the graph behind a search: the limits that ended the search, too. The time
// of the search counts.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "scheduler/explore.hpp"

namespace lockkeeper {

// Thrown when a limit ends it: the search is then incomplete.
struct GraphLimitReached {
    std::string limit;
};

class GraphLimits {
  public:
    GraphLimits(const ExploreOptions& options, double seconds_before, std::size_t bytes_before)
        : options_(options), seconds_before_(seconds_before), bytes_before_(bytes_before) {}

    // `bytes`: what the graph takes by now. Called every some thousand states.
    void look(std::size_t bytes) const {
        if (interrupt_requested()) {
            throw GraphLimitReached{"interrupted"};
        }
        if (seconds_before_ + seconds() > options_.seconds_max) {
            throw GraphLimitReached{"time"};
        }
        if (bytes_before_ + bytes > options_.bytes_max) {
            throw GraphLimitReached{"memory"};
        }
    }
    // Of the graph alone.
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(Clock::now() - start_).count();
    }

  private:
    using Clock = std::chrono::steady_clock;

    const ExploreOptions& options_;
    double seconds_before_;
    std::size_t bytes_before_;
    Clock::time_point start_ = Clock::now();
};

}  // namespace lockkeeper
