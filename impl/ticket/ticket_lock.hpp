// A ticket lock: who comes draws the next number and waits until it is called.
//
//   acquire   kDraw: ticket = next, next + 1 --> kWait: blocked until serving == ticket --> acquired
//   release   kCall: serving + 1 --> released
//
// Invariants
//   1. No two tickets that are out are equal: there are more numbers than callers.
//   2. Whoever drew first is granted first.
//
// Limits: 4 callers, 1 key. A dead caller's ticket is called, and nobody answers.
#pragma once

#include <string>

#include "model/implementation.hpp"

namespace lockkeeper::ticket {

class TicketLock : public BasicImplementation<> {
  public:
    enum class At : std::uint8_t { kNowhere, kDraw, kWait, kCall };
    static constexpr std::uint8_t kTickets = Size::kCallers + 1;
    struct Shared {
        std::uint8_t next;
        std::uint8_t serving;
        std::uint8_t held;
    };
    struct Call {
        At at;
        std::uint8_t ticket;
    };

    [[nodiscard]] Shared initial_shared() const { return {}; }

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

    void observe(const Shared& shared, Records<const Record>, Observation& out) const {
        KeyObservation& seen = out.keys[0];
        seen.counters = {shared.held};
        seen.counted_least = seen.counted_most = shared.held;
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
    static std::uint8_t after(std::uint8_t ticket) {
        return static_cast<std::uint8_t>((ticket + 1) % kTickets);
    }
};

}  // namespace lockkeeper::ticket
