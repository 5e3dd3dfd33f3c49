// SPDX-License-Identifier: Apache-2.0

// A connection limiter: one row of a table says how many connections are in use.
//
//   acquire   kRead: limit reached -----------------> refused
//              |  ^
//         room |  | kIfUnchanged: the row is no longer what was read
//              v  |
//             kWrite: row = what was read + 1 -------> acquired
//   release   kSubtract: row = row - 1, at least 0 -> released
#pragma once

#include <string>

#include "model/implementation.hpp"

namespace my_service {

using namespace lockkeeper;

enum class At : std::uint8_t { kRead, kWrite, kSubtract };
enum class Write { kBlindly, kIfUnchanged };  // as it was, as it should be

class ConnectionLimiter : public BasicImplementation<> {
  public:
    // Nothing here is handed more than one caller's record: `prove` needs that.
    static constexpr Traits kTraits{.no_background = true, .by_record = true};
    struct Shared {
        std::uint8_t in_use;
    };
    struct Call {
        At at;
        std::uint8_t seen;
    };

    explicit ConnectionLimiter(Write write) : write_(write) {}

    Shared initial_shared() const { return {0}; }

    void begin(const Operation& operation, Call& call) const {
        call.at = operation.verb == Verb::kAcquire ? At::kRead : At::kSubtract;
    }

    Outcome step(Shared& shared, Record&, Call& call, const Operation& operation, Event&) const {
        switch (call.at) {
            case At::kRead:
                call = {At::kWrite, shared.in_use};
                return call.seen < operation.capacity() ? Outcome::kContinues : Outcome::kRefused;
            case At::kWrite:
                if (write_ == Write::kIfUnchanged && shared.in_use != call.seen) {
                    call = {At::kRead, 0};
                    return Outcome::kContinues;
                }
                shared.in_use = static_cast<std::uint8_t>(call.seen + 1);
                return Outcome::kAcquired;
            case At::kSubtract:
                if (shared.in_use > 0) {
                    --shared.in_use;
                }
                return Outcome::kReleased;
        }
        unreachable("a label of the connection limiter");
    }

    void observe(const Shared& shared, Observation& out) const {
        KeyObservation& row = out.keys[0];
        row.counters = {shared.in_use};
        row.counted_least = row.counted_most = shared.in_use;
    }

    std::string describe_step(const Shared&, const Record&, const Call& call,
                              const Operation&) const {
        return call.at == At::kRead ? "read" : call.at == At::kWrite ? "write" : "subtract";
    }
    std::string show(const Shared& shared) const {
        return "in use " + std::to_string(shared.in_use);
    }

  private:
    Write write_;
};

}  // namespace my_service
