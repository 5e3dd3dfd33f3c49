// SPDX-License-Identifier: Apache-2.0

// The planted bugs of the database leases.
#include "impl/leases/planted_bugs.hpp"
#include "impl/leases/planted_bugs_shared.hpp"

namespace lockkeeper::leases {
namespace broken::db {

using Sound = LeaseDbRules;
using At = LeaseDbAt;

struct ReapsTooEarly : Sound {
    bool is_expired(Instant expires, std::int32_t now, const LeaseOptions& options) const override {
        return expires - options.ttl / 2 < now;
    }
};

struct ReleasesByKey : Sound {
    bool deletes(const Row& row, std::uint8_t /*token*/) const override { return row.token != 0; }
};

struct IgnoresRowCount : Sound {
    Outcome step(const LeaseDb& leases, Shared& shared, Record& record, Call& call,
                 const Operation& operation, Event& event) const override {
        const bool deletes = call.at == At::kDelete || call.at == At::kDeleteWaits;
        const std::uint8_t flags = record.flags[operation.key];
        const Outcome outcome = Sound::step(leases, shared, record, call, operation, event);
        if (!deletes || event.error != static_cast<std::uint8_t>(Error::kLeaseLost)) {
            return outcome;
        }
        event.error = 0;
        event.note(Breach::kFalseOk, (flags & LeaseDb::kInterrupted) != 0);
        return Outcome::kReleased;
    }
};

struct ForgetsToDelete : Sound {
    Outcome step(const LeaseDb& leases, Shared& shared, Record& record, Call& call,
                 const Operation& operation, Event& event) const override {
        if (call.at != At::kDelete || LeaseDb::is_orphaned(shared, call)) {
            return Sound::step(leases, shared, record, call, operation, event);
        }
        static_cast<void>(met(shared.left, operation));
        LeaseDb::stop(record, operation.key);
        return Outcome::kReleased;
    }
};

struct GuardsByKey : Sound {
    bool guards(const LeaseDb& /*leases*/, const Shared& shared, const Record& /*record*/,
                std::size_t key) const override {
        return shared.rows[key].token != 0;
    }
};

struct RenewsByKey : Sound {
    bool renews(const Row& /*row*/, std::uint8_t /*token*/) const override { return true; }
};

struct RenewsByInsert : Sound {
    void background(const LeaseDb& leases, Shared& shared, Records<Record> records, Action action,
                    Event& event) const override {
        if (is_about_renewal<LeaseDb>(action, Doing::kHandle)) {
            const std::size_t key = LeaseDb::key_of(action);
            insert_again(shared.rows[key], records[action.actor], key);
        }
        Sound::background(leases, shared, records, action, event);
    }
};

struct KeepsTransactions : Sound {
    void connection_lost(Shared& shared, Record& record, std::size_t key) const override {
        if (!LeaseDb::is_locked(shared, record, key)) {
            Sound::connection_lost(shared, record, key);
        }
    }
};

struct BelievesAnyAnswer : Sound {
    void background(const LeaseDb& leases, Shared& shared, Records<Record> records, Action action,
                    Event& event) const override {
        if (is_about_renewal<LeaseDb>(action, Doing::kAnswer)) {
            records[action.actor].renewal[LeaseDb::key_of(action)].gone = 0;
        }
        Sound::background(leases, shared, records, action, event);
    }
};

void pick_anyway(LeaseDbOptions& options) {
    options.repairs = static_cast<std::uint16_t>(options.repairs & ~kDbCheckedPick);
}

}  // namespace broken::db

PlantedBugs<LeaseDbOptions> lease_db_bugs() {
    using namespace broken;
    using namespace broken::db;
    static constexpr PlantedBugs<LeaseDbOptions>::value_type kBugs[] = {
        {"reaps_too_early", "belief-overlap", "reaps rows at half of their time",
         follow<ReapsTooEarly>},
        {"releases_by_key", "foreign-removal", "release deletes the row of the key, whosever it is",
         follow<ReleasesByKey>},
        {"ignores_row_count", "false-ok", "release does not look whether it has deleted a row",
         follow<IgnoresRowCount>},
        {"forgets_to_delete", "phantom", "release ends the renewals and leaves the row",
         follow<ForgetsToDelete>},
        {"restarts_tokens", "token-order", "the numbers of tokens begin again with each row",
         follow<RestartsTokens<Sound>>},
        {"guards_by_key", "unprotected-effect", "an effect asks whether there is a row, not whose",
         follow<GuardsByKey>},
        kKeepsNoFence<LeaseDbOptions, Sound, At::kSendWrite, At::kWriteArrives>,
        {"renews_by_key", "belief-overlap", "a renewal extends the row of the key, whosever it is",
         follow<RenewsByKey>},
        {"renews_by_insert", "phantom", "a renewal that finds no row inserts it again",
         follow<RenewsByInsert>},
        {"expires_by_client_clock", "belief-overlap",
         "the client's clock, not the database's, says when a row expires",
         follow<ExpiresByClientClock<Sound>>},
        kReapsByClientClock<LeaseDbOptions, Sound>,
        kDeadlineFromAnswer<LeaseDbOptions, Sound>,
        {"keeps_transactions", "deadlock",
         "nobody notices that a client died within its transaction", follow<KeepsTransactions>},
        {"believes_any_answer", "told-late",
         "an answer to a renewal counts as a grant, whatever it says", follow<BelievesAnyAnswer>},
        {"reaps_too_late", "free-late", "reaps rows a ttl after they have expired",
         follow<ReapsTooLate<Sound>>},
        {"picks_anyway", "repeated-effect",
         "a pick sets the call to executing, whatever it is by then", pick_anyway},
    };
    return kBugs;
}

}  // namespace lockkeeper::leases
