// SPDX-License-Identifier: Apache-2.0

// A shortest run that a best scheduler may bring about, as a schedule of the System itself. Called
// by extremes.cpp. Of several best choices the shortest way takes any; nature acts where that is
// shortest: the schedule is possible, and not certain.
#pragma once

#include <optional>

#include "measure/extremes.hpp"

namespace lockkeeper {

class ScheduleSearch {
  public:
    ScheduleSearch(const ErasedSystem& system, const MeasureOptions& options,
                   const ChainGraph& graph)
        : system_(system), options_(options), graph_(graph) {}

    // Finds a schedule that violates in its last step.
    [[nodiscard]] std::optional<Schedule> violating(const ExtremePolicy& policy,
                                                    std::uint32_t violated) const;
    // Finds a schedule that ends without a violation.
    [[nodiscard]] std::optional<Schedule> keeping(const ExtremePolicy& policy,
                                                  std::uint32_t violated) const;

  private:
    [[nodiscard]] std::optional<Schedule> search(const ExtremePolicy& policy,
                                                 std::uint32_t violated, bool to_violation) const;
    [[nodiscard]] Schedule walk(const std::vector<std::uint64_t>& transitions) const;

    const ErasedSystem& system_;
    const MeasureOptions& options_;
    const ChainGraph& graph_;
};

}  // namespace lockkeeper
