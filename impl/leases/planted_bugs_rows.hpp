// Planted bugs that leases in rows have in common, by their rules.
#pragma once

#include "impl/leases/lease_rules.hpp"

namespace lockkeeper::leases::broken {

template <class Sound>
struct ExpiresByClientClock : Sound {
    std::int32_t expiry_clock(std::int32_t /*database*/, const Client& client) const override {
        return client.clock;
    }
};

// Of the client whose clock is ahead most.
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
        event.note(kTokenRepeated, tokens.generations > 1);
        return Tokens::kMiddle + 1;
    }
};

// Of the background action that handles or answers a renewal of this client.
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

}  // namespace lockkeeper::leases::broken
