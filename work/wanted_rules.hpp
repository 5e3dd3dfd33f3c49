// SPDX-License-Identifier: Apache-2.0

// How far a run has come with the operations that it is wanted to have, and whether a step is one
// of them. Used by the searches of wanted_run.hpp (a lock's own steps) and wanted_program_run.hpp
// (a program's), which try the steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/event.hpp"
#include "work/wanted_run.hpp"

namespace lockkeeper {

// How far one caller has come. Without padding: it is part of what a search knows again.
struct CallerProgress {
    std::uint16_t returned = 0;   // of its operations
    std::uint8_t is_open = 0;     // the next one is under way
    std::uint8_t has_effect = 0;  // and has taken effect
};
static_assert(sizeof(CallerProgress) == 4);
using WantedProgress = std::vector<CallerProgress>;

[[nodiscard]] bool is_wanted_call(Verb verb);

class WantedRules {
  public:
    static constexpr const char* kTooEarly = "another call was to come before";

    // `operations` must outlive it.
    explicit WantedRules(const std::vector<WantedOperation>& operations);

    [[nodiscard]] std::size_t callers() const { return own_.size(); }
    [[nodiscard]] WantedProgress beginning() const { return WantedProgress(own_.size()); }
    [[nodiscard]] bool is_done(const WantedProgress& progress) const;
    [[nodiscard]] static std::size_t returned(const WantedProgress& progress);

    // Follows what the step does to the wanted operations; a text: it is not as wanted.
    const char* follow(WantedProgress& progress, const Event& event) const;
    [[nodiscard]] bool may_begin(const WantedProgress& progress, const Event& event) const;

    // The operation that the caller is to return from next; there is one.
    [[nodiscard]] std::size_t next_of(const WantedProgress& progress, std::size_t caller) const {
        return own_[caller][progress[caller].returned];
    }
    [[nodiscard]] bool has_next(const WantedProgress& progress, std::size_t caller) const {
        return caller < own_.size() && progress[caller].returned < own_[caller].size();
    }
    // The first operation that has not returned; the last one, where all have.
    [[nodiscard]] std::size_t first_missing(const WantedProgress& progress) const;

  private:
    const std::vector<WantedOperation>& operations_;
    std::vector<std::vector<std::size_t>> own_;  // by caller: its operations
    std::vector<std::size_t> place_;             // of each operation, among its caller's
    std::vector<std::size_t> must_;              // by caller: the number that must return
};

}  // namespace lockkeeper
