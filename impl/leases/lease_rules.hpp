// SPDX-License-Identifier: Apache-2.0

// The rules by which the lease systems compare and set, each with a name: a planted bug replaces
// one (planted_bugs_*.cpp). Source: docs/decisions/models/leases.md.
#pragma once

#include "impl/leases/lease_coordinator.hpp"
#include "impl/leases/lease_db.hpp"
#include "impl/leases/lease_service.hpp"
#include "impl/planted_bug.hpp"

namespace lockkeeper::leases {

template <class Lease>
struct LeaseRules : Rules<Lease> {
    virtual void background(const Lease& leases, typename Lease::Shared& shared,
                            Records<typename Lease::Record> records, Action action,
                            Event& event) const {
        leases.sound_background(shared, records, action, event);
    }
    // False: an instant or a number is not compared with others, but with one of the code.
    [[nodiscard]] virtual bool is_relative() const { return true; }
};

// Rules of leases that are rows of a database.
template <class Lease>
struct RowRules : LeaseRules<Lease> {
    using Row = typename Lease::Row;

    // How far the clock that sets expires_at is ahead: the database's, not the client's.
    [[nodiscard]] virtual std::int32_t expiry_clock(std::int32_t database,
                                                    const Client& /*client*/) const {
        return database;
    }
    // The reaper's condition; `now`: on the database's clock.
    [[nodiscard]] virtual bool is_expired(Instant expires, std::int32_t now,
                                          const LeaseOptions& /*options*/) const {
        return expires < now;
    }
    [[nodiscard]] virtual std::uint8_t draw_token(Tokens& tokens, bool small, Event& event) const {
        return tokens.draw(small, event);
    }
    // The condition of a release.
    [[nodiscard]] virtual bool deletes(const Row& row, std::uint8_t token) const {
        return row.token != 0 && row.token == token;
    }
};

struct LeaseDbRules : RowRules<LeaseDb> {
    // The condition of a renewal, of a row that is there.
    [[nodiscard]] virtual bool renews(const Row& row, std::uint8_t token) const {
        return row.token == token;
    }
    // Returns the instant from which the holder's own deadline counts.
    [[nodiscard]] virtual Instant deadline_from(Instant sent, Instant /*answered*/) const {
        return sent;
    }
    // The condition of a guarded write.
    [[nodiscard]] virtual bool guards(const LeaseDb& leases, const Shared& shared,
                                      const Record& record, std::size_t key) const {
        return leases.holds(shared, record, key);
    }
    // The server's part in the death of a client, for each key.
    virtual void connection_lost(Shared& shared, Record& record, std::size_t key) const {
        LeaseDb::roll_back(shared, record, key);
        LeaseDb::end(record, key);
    }
};

struct LeaseCoordinatorRules : RowRules<LeaseCoordinator> {
    // The deadline that the holder keeps; `now`: on its own clock, when the answer comes.
    [[nodiscard]] virtual Instant kept_deadline(Instant returned, std::int32_t /*now*/,
                                                std::int32_t /*ttl*/) const {
        return returned;
    }
    // A nested call that is cancelled cancels the one that it has made.
    [[nodiscard]] virtual bool passes_cancellation_on() const { return true; }
    // Returns which rows a reap covers, as bits; `asked_for`: the number of the call.
    [[nodiscard]] virtual unsigned reaping(unsigned asked_for) const { return asked_for; }
    // An upsert of a row that is there sets its deadline.
    [[nodiscard]] virtual bool upsert_renews() const { return true; }
};

struct LeaseServiceRules : LeaseRules<LeaseService> {
    using Entry = LeaseService::Entry;

    // `own`: the entry that the stream remembers.
    [[nodiscard]] virtual bool may_renew(const Entry& entry, std::uint8_t own, Instant now) const {
        return own == entry.id && entry.expires > now;
    }
    // Asked for a client whose stream has no entry.
    [[nodiscard]] virtual bool is_taken(const Entry& entry, Instant now,
                                        const Client& /*client*/) const {
        return entry.id != 0 && entry.expires > now;
    }
    [[nodiscard]] virtual std::int32_t expiry(Instant now, std::int32_t ttl,
                                              const Client& /*client*/) const {
        return now + ttl;
    }
    // The end of a stream that remembers this entry.
    [[nodiscard]] virtual bool deletes(const Entry& entry, std::uint8_t remembered) const {
        return entry.id == remembered;
    }
    [[nodiscard]] virtual Instant deadline_from(Instant sent, Instant /*answered*/) const {
        return sent;
    }
    [[nodiscard]] virtual bool guards(const LeaseService& service, const Shared& shared,
                                      const Record& record, std::size_t key) const {
        return service.holds(shared, record, key);
    }
};

}  // namespace lockkeeper::leases
