// SPDX-License-Identifier: Apache-2.0

// A ticket lock, as at a counter: who comes draws the next number and waits until it is called.
//
//   acquire   kDraw: ticket = next, next = next + 1 --> kWait: blocked until serving == ticket
//             kWait ---------------------------------------------------------------> acquired
//   release   kCall: serving = serving + 1 ----------------------------------------> released
//
// A machine word counts for years. A model of it has a new state for every number, so a search
// never ends. What matters is that no two tickets that are out are equal: numbers begin again after
// as many as there can be callers. With fewer than that two callers get the same ticket.
#pragma once

#include <string>

#include "model/implementation.hpp"

namespace my_service {

using namespace lockkeeper;

// Numbers of two bytes, and so are the counts that stand beside them.
using TicketSize = WorldSize<4, 1, std::uint16_t, std::uint16_t, 2>;

class TicketLock : public BasicImplementation<TicketSize> {
  public:
    static constexpr Traits kTraits{.no_background = true, .by_record = true};
    enum class At : std::uint16_t { kNowhere, kDraw, kWait, kCall };
    struct Shared {
        std::uint16_t next;
        std::uint16_t serving;
        std::uint16_t held;
    };
    struct Call {
        At at;
        std::uint16_t ticket;
    };

    // 0: as many as two bytes have, and no end of the states in sight.
    explicit TicketLock(std::uint16_t tickets) : tickets_(tickets) {}

    Shared initial_shared() const { return {}; }

    void begin(const Operation& operation, Call& call) const {
        call.at = operation.verb == Verb::kAcquire ? At::kDraw : At::kCall;
    }

    bool blocked(const Shared& shared, const Record&, const Call& call) const {
        return call.at == At::kWait && call.ticket != shared.serving;
    }

    Outcome step(Shared& shared, Record&, Call& call, const Operation&, Event&) const {
        switch (call.at) {
            case At::kDraw:
                call = {At::kWait, shared.next};
                shared.next = after(shared.next);
                return Outcome::kContinues;
            case At::kWait: ++shared.held; return Outcome::kAcquired;
            case At::kCall:
                --shared.held;
                shared.serving = after(shared.serving);
                return Outcome::kReleased;
            case At::kNowhere: break;
        }
        unreachable("a label of the ticket lock");
    }

    void observe(const Shared& shared, Observation& out) const {
        KeyObservation& row = out.keys[0];
        row.counters = {shared.held};
        row.counted_least = row.counted_most = shared.held;
    }

    std::string describe_step(const Shared&, const Record&, const Call& call,
                              const Operation&) const {
        return call.at == At::kDraw ? "draw a ticket" : call.at == At::kWait ? "enter" : "call";
    }
    std::string show(const Shared& shared) const {
        return "next " + std::to_string(shared.next) + ", serving " +
               std::to_string(shared.serving);
    }

  private:
    std::uint16_t after(std::uint16_t ticket) const {
        const auto next = static_cast<std::uint16_t>(ticket + 1);
        return next == tickets_ ? std::uint16_t{0} : next;
    }

    std::uint16_t tickets_;
};

}  // namespace my_service
