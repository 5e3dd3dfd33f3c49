// SPDX-License-Identifier: Apache-2.0

// Planted bugs that several lease systems have, by their rules.
#pragma once

#include "impl/leases/lease_rules.hpp"

namespace lockkeeper::leases::broken {

template <class Sound>
struct ExpiresByClientClock : Sound {
    std::int32_t expiry_clock(std::int32_t /*database*/, const Client& client) const override {
        return client.clock;
    }
};

// Reaps by the clock of the client that is ahead most.
template <class Sound>
struct ReapsByClientClock : Sound {
    bool is_expired(Instant expires, std::int32_t now, const LeaseOptions& options) const override {
        std::int32_t ahead = 0;
        for (const Client& client : options.clients) {
            ahead = std::max(ahead, client.clock);
        }
        return expires < now + ahead;
    }
};

template <class Sound>
struct ReapsTooLate : Sound {
    bool is_expired(Instant expires, std::int32_t now, const LeaseOptions& options) const override {
        return expires + options.ttl < now;
    }
};

// Tokens are numbers that begin again with each row.
template <class Sound>
struct RestartsTokens : Sound {
    std::uint8_t draw_token(Tokens& tokens, bool small, Event& event) const override {
        static_cast<void>(tokens.draw(small, event));
        event.note(Breach::kTokenRepeated, tokens.generations > 1);
        return Tokens::kMiddle + 1;
    }
    bool is_relative() const override { return false; }
};

template <class Sound>
struct DeadlineFromAnswer : Sound {
    Instant deadline_from(Instant /*sent*/, Instant answered) const override { return answered; }
};

// `kWrites`: the steps in which a guarded write may arrive.
template <class Sound, typename Sound::At... kWrites>
struct KeepsNoFence : Sound {
    Outcome step(const typename Sound::Lock& leases, typename Sound::Shared& shared,
                 typename Sound::Record& record, typename Sound::Call& call,
                 const Operation& operation, Event& event) const override {
        const bool writes = ((call.at == kWrites) || ...);
        const Outcome outcome = Sound::step(leases, shared, record, call, operation, event);
        if (writes && outcome == Outcome::kDone) {
            shared.resources[operation.key].fence = 0;
        }
        return outcome;
    }
};

// True: the background action does `what`, handling or answering, with a renewal.
template <class Lease>
[[nodiscard]] bool is_about_renewal(Action action, Doing what) {
    return action.kind == ActionKind::kBackground && Lease::doing(action) == what;
}

// A renewal that finds no row inserts it again.
template <class Row, class Record>
void insert_again(Row& row, Record& record, std::size_t key) {
    if (row.token == 0) {
        row.token = record.token[key];
        row.generation = record.generation[key];
        record.late_token[key] = record.generation[key] == 0 ? row.token : std::uint8_t{0};
    }
}

// Rows of the tables.
template <class Options>
using Bug = typename PlantedBugs<Options>::value_type;

template <class Options, class Sound>
constexpr Bug<Options> kReapsByClientClock{
    "reaps_by_client_clock", "belief-overlap",
    "a client's clock, not the database's, says which rows have expired",
    follow<ReapsByClientClock<Sound>>};
template <class Options, class Sound>
constexpr Bug<Options> kDeadlineFromAnswer{
    "deadline_from_answer", "belief-overlap",
    "the holder's own deadline counts from the answer, not from the request",
    follow<DeadlineFromAnswer<Sound>>};
template <class Options, class Sound, typename Sound::At... kWrites>
constexpr Bug<Options> kKeepsNoFence{
    "keeps_no_fence", "stale-read",
    "the guarded resource does not remember the tokens that it has seen",
    follow<KeepsNoFence<Sound, kWrites...>>};

}  // namespace lockkeeper::leases::broken
