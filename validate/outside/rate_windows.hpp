// SPDX-License-Identifier: Apache-2.0

// The grants of a rate limiter, and how many of them fall into a window. A grant happened at an
// unknown moment of its call, between the call's first moment and its last.
//
// A window includes its beginning and not its end: grants a whole length apart share no window.
// Where clocks show time only in steps of a grain, less than a grain decides nothing.
//
//   certain    the window that ends now includes every moment that the grant can have had
//   possible   the window that ends now includes some of these moments
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "model/observation.hpp"
#include "model/rate_limit.hpp"

namespace lockkeeper {

// The last moment of a grant that may still come.
inline constexpr std::int64_t kAnyLater = std::numeric_limits<std::int64_t>::max();

class RateWindows {
  public:
    RateWindows(const RateLimit& limit, std::int64_t grain) : limit_(limit), grain_(grain) {}

    void begin() { keys_ = {}; }
    // `step`: the step of its return.
    void grant(std::uint8_t key, std::int64_t first, std::int64_t last, std::uint32_t step);
    // Adds a grant that may have happened; `last` may be kAnyLater.
    void doubt(std::uint8_t key, std::int64_t first, std::int64_t last);

    // The steps of the certain grants, rising.
    [[nodiscard]] std::vector<std::uint32_t> certain(std::uint8_t key, std::int64_t now) const;
    [[nodiscard]] std::uint32_t possible(std::uint8_t key, std::int64_t now) const;
    // The key was granted in this run, or may have been.
    [[nodiscard]] bool was_granted(std::uint8_t key) const { return keys_[key].was_granted; }
    // The moment from which no grant is possible any more; kAnyLater: nobody knows.
    [[nodiscard]] std::int64_t free_at(std::uint8_t key) const;
    // The next moment at which a grant leaves the window.
    [[nodiscard]] std::optional<std::int64_t> next_end(std::int64_t now) const;
    // Drops the grants that are possible no longer. True: there were some.
    bool forget(std::int64_t now);
    void write_key(std::int64_t now, std::string& out) const;

  private:
    struct Grant {
        std::int64_t first = 0;
        std::int64_t last = 0;
        std::optional<std::uint32_t> step;  // nothing: a doubt
    };
    struct OfKey {
        std::vector<Grant> grants;
        bool was_granted = false;
    };
    [[nodiscard]] bool is_certain(const Grant& grant, std::int64_t now) const {
        return grant.step && now - grant.first + grain_ < limit_.within;
    }
    [[nodiscard]] std::int64_t end_of(const Grant& grant) const {
        return grant.last == kAnyLater ? kAnyLater : grant.last + limit_.within + grain_;
    }

    RateLimit limit_;
    std::int64_t grain_;
    std::array<OfKey, kKeysMax> keys_{};
};

}  // namespace lockkeeper
