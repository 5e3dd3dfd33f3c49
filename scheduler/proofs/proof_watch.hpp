// SPDX-License-Identifier: Apache-2.0

// Ends the search for a proof, or the check of one, at a limit, and shows its progress meanwhile.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "scheduler/base/deadline.hpp"
#include "scheduler/base/process_memory.hpp"
#include "scheduler/proofs/proof_progress.hpp"
#include "scheduler/search/explore.hpp"

namespace lockkeeper::proofs {

using ShowProgress = std::function<void(const ProofProgress&)>;

class ProofWatch {
  public:
    explicit ProofWatch(double seconds_max = kNoTimeLimit,
                        std::uint64_t process_bytes_max = UINT64_MAX, ShowProgress show = {})
        : deadline_(seconds_max),
          memory_(ProcessLimit::from_now_on(process_bytes_max)),
          show_(std::move(show)) {}

    // Ask often. Empty: go on; else the limit that ends it.
    [[nodiscard]] std::string look(ProofProgress progress) {
        if (show_) {
            progress.seconds = std::chrono::duration<double>(Clock::now() - began_).count();
            show_(progress);
        }
        return interrupt_requested()   ? "interrupted"
               : deadline_.is_past()   ? "time"
               : memory_.is_exceeded() ? "memory"
                                       : "";
    }
    [[nodiscard]] bool is_past() const { return deadline_.is_past(); }

  private:
    using Clock = std::chrono::steady_clock;

    Deadline deadline_;
    ProcessLimit memory_;
    ShowProgress show_;
    Clock::time_point began_ = Clock::now();
};

}  // namespace lockkeeper::proofs
