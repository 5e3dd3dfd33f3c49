// SPDX-License-Identifier: Apache-2.0

// The order in which waits are served: for `measure --ages`, called by RunSampler with each event.
//
// A wait begins when a caller asks for a key, and goes on while the caller is refused and asks for
// the same key again. A grant ends it, and so does any other call, or the caller's death. A grant
// is contended where others ask for the same key at that moment. Numbers of grants; no errors.
// Limit: where one call may return before an earlier grant does, the order of returns counts.
#pragma once

#include <array>
#include <cstdint>

#include "model/event.hpp"
#include "model/observation.hpp"

namespace lockkeeper {

struct ServedByAge {
    std::uint64_t contended = 0;
    std::uint64_t to_longest = 0;  // of these, to the caller who waits longest
    std::uint64_t to_newest = 0;   // to the last one who came
    double by_equal_chances = 0;  // of these, expected for either, if all who ask had equal chances
};

class Waits {
  public:
    // The bits of the events that note() has to be told.
    static constexpr std::uint32_t kTriggers =
        kInvoked | kAcquired | kRefused | kFailed | kLost | kCallerDied | kCrashed;

    void note(const Event& event);
    [[nodiscard]] const ServedByAge& served() const { return served_; }

  private:
    struct Wait {
        std::uint64_t began = 0;  // the number of the first call; 0: does not wait
        std::uint8_t key = 0;
        bool is_asking = false;
    };
    void serve(const Wait& granted);

    std::array<Wait, kCallersMax> waits_{};
    std::uint64_t calls_ = 0;
    ServedByAge served_;
};

}  // namespace lockkeeper
