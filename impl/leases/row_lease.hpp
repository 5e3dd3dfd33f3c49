// SPDX-License-Identifier: Apache-2.0

// The common part of leases that are rows of a database: the row and its token, an insert that may
// come late, the clean-up of what an unanswered request may have left, and further faults.
//
// `Lease` has kRowRepairs, delete_row(shared, key), end(record, key), Shared::rows, Shared::clock,
// and Record::late_token and late_by.
#pragma once

#include "impl/leases/lease_side.hpp"

namespace lockkeeper::leases {

// Which bits of the options' repairs they are.
struct RowRepairs {
    unsigned clean_up;
    unsigned tombstones;
    unsigned growing_tokens;
};

template <class Lease>
class RowLease : public LeaseSide<Lease> {
    using Side = LeaseSide<Lease>;

  public:
    static constexpr Traits kTraits = Side::kTraits.with(&Traits::begins_unblocked)
                                          .with(&Traits::faults)
                                          .with(&Traits::faults_left)
                                          .with(&Traits::tells_what_concerns_others);

    explicit RowLease(const LeaseOptions& options) : Side(options) {}

    template <class Shared>
    [[nodiscard]] static auto& left(Shared& shared) {
        return shared.left;
    }

    template <class Shared, class Record>
    [[nodiscard]] bool can_restart(const Shared&, const Record& record) const {
        return !this->lease().has_under_way(record);
    }
    // Notes acquisitions whose row is gone without a release, and forgets late inserts without one.
    template <class Shared, class Record>
    void watch(const Shared& shared, Records<Record> records) const {
        for (std::size_t caller = 0; caller < records.size(); ++caller) {
            Record& record = records[caller];
            for (std::size_t key = 0; key < this->keys_count(); ++key) {
                if (record.generation[key] != 0 &&
                    shared.rows[key].generation != record.generation[key]) {
                    record.flags[key] |= Side::kInterrupted;
                }
                if (shared.rows[key].token != record.late_token[key]) {
                    record.late_token[key] = 0;
                }
            }
        }
    }
    // Others are told when a row comes, goes or becomes somebody else's.
    template <class Shared, class Record>
    [[nodiscard]] bool concerns_others(const Shared& before, const Record&, const Shared& after,
                                       const Record&) const {
        for (std::size_t key = 0; key < this->keys_count(); ++key) {
            if (before.rows[key].generation != after.rows[key].generation ||
                before.rows[key].token != after.rows[key].token) {
                return true;
            }
        }
        return false;
    }

  protected:
    // An acquire would not be refused.
    template <class Shared>
    [[nodiscard]] static bool is_free(const Shared& shared, std::size_t key) {
        return shared.rows[key].token == 0;
    }
    // The row of the key is this caller's, whether or not it has expired.
    template <class Shared, class Record>
    [[nodiscard]] static bool stands(const Shared& shared, const Record& record, std::size_t key) {
        const std::uint8_t token = shared.rows[key].token;
        return token != 0 && (token == record.token[key] || token == record.late_token[key]);
    }
    template <class Shared>
    [[nodiscard]] static std::int32_t database_time(const Shared& shared) {
        return shared.now + shared.clock;
    }
    [[nodiscard]] bool cleans_up() const { return this->repairs(Lease::kRowRepairs.clean_up); }
    // The first token has none before it.
    template <class Shared>
    [[nodiscard]] bool draws_random(const Shared& shared) const {
        return !this->repairs(Lease::kRowRepairs.growing_tokens) && shared.tokens.generations > 0;
    }

    // The caller cannot know whether the row is there: with the repair it cleans up, then fails.
    // `token`: 0, when no insert of the call is known to the model; a late one may come.
    template <class Call>
    Outcome unanswered(Call& call, std::uint8_t token, Error cause, Event& event) const {
        if (!this->lease().cleans_up()) {
            return Side::fail(cause, event);
        }
        call.at = decltype(call.at)::kCleanUp;
        call.token = token;
        call.cause = static_cast<std::uint8_t>(cause);
        return Outcome::kContinues;
    }
    // Takes the transaction of that clean-up, again until it is answered.
    template <class Shared, class Record, class Call>
    Outcome clean_up(Shared& shared, Record& record, const Call& call, const Operation& operation,
                     Event& event) const {
        const std::size_t key = operation.key;
        const StepFault fault = met(shared.left, operation);
        const std::uint8_t token = call.token != 0 ? call.token : record.late_token[key];
        if (fault != StepFault::kLostRequest && token != 0 && shared.rows[key].token == token) {
            this->lease().delete_row(shared, key);
        }
        if (fault != StepFault::kLostRequest && call.token == 0 &&
            this->repairs(Lease::kRowRepairs.tombstones)) {
            record.late_by[key] = 0;  // whenever it comes, it finds the tombstone
        }
        if (fault != StepFault::kNone) {
            return Outcome::kContinues;
        }
        if (call.token != 0) {
            Lease::end(record, key);
        }
        return Side::fail(static_cast<Error>(call.cause), event);
    }

    // Adds the faults of renewals, of rows and of the database's clock; `may_go(row)`: somebody may
    // delete the row.
    template <class Shared, class AnyRecords, class MayGo>
    void add_disturbances(const Shared& shared, const AnyRecords& records, MayGo may_go,
                          ActionList& out) const {
        for (std::size_t caller = 0; caller < records.size(); ++caller) {
            for (std::size_t key = 0; key < this->keys_count(); ++key) {
                Side::add_message_losses(shared.left, records[caller].renewal[key], caller, key,
                                         out);
            }
        }
        for (std::size_t key = 0; shared.left.deletions > 0 && key < this->keys_count(); ++key) {
            if (may_go(shared.rows[key])) {
                Side::add(out, 0, Disturbance::kDelete, key);
            }
        }
        if (shared.left.clock_jumps > 0) {
            Side::add(out, 0, Disturbance::kForward, 0);
            Side::add(out, 0, Disturbance::kBack, 0);
        }
    }
    template <class Shared, class Record>
    void disturb_row(Shared& shared, Record& record, std::size_t key, Disturbance what) const {
        switch (what) {
            case Disturbance::kLoseRequest:
                --shared.left.lost_requests;
                record.renewal[key].phase = Phase::kSilent;
                return;
            case Disturbance::kLoseReply:
                --shared.left.lost_replies;
                record.renewal[key].phase = Phase::kSilent;
                record.renewal[key].gone = 0;
                return;
            case Disturbance::kDelete:
                --shared.left.deletions;
                shared.rows[key] = {};
                return;
            case Disturbance::kForward:
            case Disturbance::kBack: break;
            default: unreachable("a disturbance of a database of leases");
        }
        const std::int32_t by = this->options().jump;
        --shared.left.clock_jumps;
        jump(shared.clock, what == Disturbance::kForward ? by : -by);
    }
};

}  // namespace lockkeeper::leases
