// SPDX-License-Identifier: Apache-2.0

// Parts of the states of the three lease systems, and the options that a scenario gives all three.
// Source: docs/decisions/models/leases.md.
#pragma once

#include <string>
#include <vector>

#include "impl/leases/lease_words.hpp"
#include "model/capped_ages.hpp"
#include "model/check.hpp"
#include "model/event.hpp"
#include "model/virtual_time.hpp"

namespace lockkeeper::leases {

struct LeaseOptions {
    std::int32_t ttl = 5'000;
    std::int32_t grace = 0;       // the holder gives up so much earlier than the server
    std::int32_t pause = 0;       // a client does what is due at most so much later
    std::int32_t delay = 0;       // a message travels at most so long
    std::int32_t reaper = 1'000;  // an expired record is reaped at most so much later
    std::int32_t until = 15'000;  // virtual time ends
    std::int32_t jump = 1;        // how far the server's clock jumps
    Budgets faults{};
    std::vector<Client> clients;
    std::vector<std::string> keys{"lease"};
    std::uint16_t repairs = 0;
    std::int32_t time_unit = 1;  // of the scenario's times in one of these
};

// How far a clock can be ahead of the true time, or behind it.
[[nodiscard]] std::int32_t farthest_clock_of(const LeaseOptions& options);
// How long a ttl can take by a client's timer.
[[nodiscard]] std::int32_t longest_timer_of(const LeaseOptions& options);

enum class Phase : std::uint8_t {
    kNone,
    kWaits,
    kAsked,
    kAnswered,
    kSilent,
    kGhost,
    kBlocked,       // a database's: at the server, behind a transaction that has its row
    kBlockedGhost,  // the same, and its sender does not expect it any more
};

struct Renewal {
    Instant at;    // waits: due; else: times out
    Instant sent;  // the request under way
    Instant by;    // the message under way is there at the latest; blocked: what it will write
    Phase phase;
    std::uint8_t gone;  // answered: the record was not there

    [[nodiscard]] bool under_way() const {
        return phase == Phase::kAsked || phase == Phase::kAnswered || phase == Phase::kGhost;
    }
    [[nodiscard]] bool is_blocked() const {
        return phase == Phase::kBlocked || phase == Phase::kBlockedGhost;
    }
    [[nodiscard]] bool is_ghost() const {
        return phase == Phase::kGhost || phase == Phase::kBlockedGhost;
    }
};

// A guarded resource: which acquisition changed it last, and the largest token it has seen.
struct Resource {
    std::uint8_t newest;
    std::uint8_t fence;
};

// Acquisitions are numbered for the judgement; tokens are what the system itself compares.
struct Tokens {
    std::uint8_t generations;
    std::uint8_t largest;
    std::uint8_t smallest;
    static constexpr std::uint8_t kMiddle = 128;

    void restart() {
        largest = kMiddle;
        smallest = kMiddle;
    }
    std::uint8_t next_generation() {
        if (generations == kMiddle - 1) {
            throw LimitExceeded("more than 127 acquisitions");
        }
        return ++generations;
    }
    // `small`: a random token that is smaller than all before.
    std::uint8_t draw(bool small, Event& event) {
        if (small) {
            event.note(Breach::kTokenRepeated);
            return --smallest;
        }
        return ++largest;
    }
};

// The background's actions: argument = what * kKeysMax + key.
enum class Doing : std::uint8_t {
    kSend,      // a client sends what is due
    kHandle,    // the server handles a renewal
    kAnswer,    // its answer arrives
    kGiveUp,    // the client's time-out
    kDeadline,  // the client's own deadline
    kReap,
    kCleanUp,
    kNotice,    // the service notices that a stream ended; a retry is scheduled ...
    kLate,      // what was under way comes, although its sender does not expect it any more
    kTakeBack,  // a client deletes what a request without an answer may have extended
    kCut,       // the statement time-out of a renewal that waits for its row
    kUnlock,    // the transaction of somebody else that has locked a row ends
    kCallOn,    // a nested call makes one of its own
};

}  // namespace lockkeeper::leases
