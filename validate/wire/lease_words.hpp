// SPDX-License-Identifier: Apache-2.0

// A scenario's description of an unknown server's words: how a reply grants a lease, and which
// parts of its messages differ in each run. Keeps the leases that replies have granted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/scenario.hpp"

namespace lockkeeper::wire {

struct KnownLease {
    std::string name;          // as the server calls it
    std::int64_t ends_at = 0;  // nanoseconds of the harness's clock
    bool is_over = false;
    std::size_t caller = 0;  // whose reply granted it
};

class LeaseWords {
  public:
    // Throws std::invalid_argument where the words cannot be understood.
    explicit LeaseWords(const OutsideServer& server);

    void forget() { leases_.clear(); }
    // A lease that is granted again gets the later one of its two ends: servers end leases late,
    // and never early.
    void take_reply(std::string_view reply, std::int64_t now, std::size_t caller = 0);
    void grant(std::string_view name, std::int64_t ends_at, std::size_t caller);
    [[nodiscard]] std::vector<KnownLease>& leases() { return leases_; }
    // The message with "{lease 1}" in place of the first lease's name, and {} for what changes.
    [[nodiscard]] std::string steady(std::string_view message) const;

  private:
    struct Changing {
        std::string before;
        std::string after;
    };
    std::string before_name_;
    std::string before_seconds_;
    std::string behind_;
    std::vector<Changing> changing_;
    std::vector<KnownLease> leases_;
};

}  // namespace lockkeeper::wire
