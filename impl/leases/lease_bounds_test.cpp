// SPDX-License-Identifier: Apache-2.0

// The monitors of P25 and P26 at the edges of their bounds, on rows that are put there by hand.
#include "impl/leases/lease_bounds.hpp"

#include <gtest/gtest.h>

#include "impl/leases/lease_clients_test.hpp"
#include "impl/leases/lease_db.hpp"

namespace lockkeeper::leases {
namespace {

using Bounded = BoundedLease<LeaseDb>;

// One client, whose row is there.
struct Holder {
    explicit Holder(LeaseBounds bounds) : lease(LeaseDb(with_clients(LeaseDbOptions{})), bounds) {
        shared = lease.initial_shared();
        shared.lease.rows[0].expires = kBeginning + 5'000;
        shared.lease.rows[0].token = 1;
        shared.lease.rows[0].generation = 1;
        record.lease.token[0] = 1;
        record.lease.generation[0] = 1;
    }
    // Judges a step that changes nothing, `time` after the beginning.
    Event judge_at(std::int32_t time) {
        shared.lease.now = static_cast<Instant>(kBeginning + time);
        Event event;
        lease.judge(shared, {&record, sizeof(record), 1}, {&held, sizeof(held), 1}, event);
        return event;
    }
    [[nodiscard]] std::int32_t next_stop() const {
        ActionList out;
        lease.background(shared, {&record, sizeof(record), 1}, out);
        for (const Action action : out) {
            if (action.kind == ActionKind::kTime) {
                return action.argument - kBeginning;
            }
        }
        return -1;
    }

    Bounded lease;
    Bounded::Shared shared{};
    Bounded::Record record{};
    Bounded::Held held{1, 0};
};

TEST(LeaseBounds, of_telling_begins_with_the_loss_and_ends_with_the_belief) {
    Holder holder({.told_within = 10});
    EXPECT_FALSE(holder.judge_at(100).is(Breach::kToldLate));
    holder.shared.lease.rows[0] = {};
    EXPECT_FALSE(holder.judge_at(200).is(Breach::kToldLate));
    EXPECT_EQ(holder.next_stop(), 211) << "right after the bound";
    EXPECT_FALSE(holder.judge_at(210).is(Breach::kToldLate));
    EXPECT_TRUE(holder.judge_at(211).is(Breach::kToldLate));
    holder.held[0] = 0;
    EXPECT_FALSE(holder.judge_at(212).is(Breach::kToldLate));
    EXPECT_EQ(holder.record.lost_at[0], 0);
}

TEST(LeaseBounds, of_telling_is_over_when_a_late_renewal_revives_the_row) {
    Holder holder({.told_within = 0});
    EXPECT_FALSE(holder.judge_at(5'000).is(Breach::kToldLate));
    EXPECT_FALSE(holder.judge_at(5'001).is(Breach::kToldLate)) << "lost at this very instant";
    holder.shared.lease.rows[0].expires = kBeginning + 10'000;
    EXPECT_FALSE(holder.judge_at(5'002).is(Breach::kToldLate));
    EXPECT_EQ(holder.record.lost_at[0], 0);
}

TEST(LeaseBounds, of_freeing_begins_with_the_death_and_ends_with_the_row) {
    for (const bool reaped : {false, true}) {
        Holder holder({.free_within = 10});
        holder.shared.lease.now = kBeginning + 100;
        holder.held[0] = 0;
        holder.lease.on_death(holder.shared, holder.record);
        EXPECT_FALSE(holder.judge_at(110).is(Breach::kFreeLate));
        EXPECT_EQ(holder.next_stop(), 111);
        if (reaped) {
            holder.shared.lease.rows[0] = {};
        }
        EXPECT_EQ(holder.judge_at(111).is(Breach::kFreeLate), !reaped);
    }
}

TEST(LeaseBounds, of_freeing_begins_when_what_a_dead_client_had_sent_leaves_a_row_later) {
    Holder holder({.free_within = 10});
    const auto row = std::exchange(holder.shared.lease.rows[0], {});
    holder.held[0] = 0;
    holder.lease.on_death(holder.shared, holder.record);
    EXPECT_FALSE(holder.judge_at(200).is(Breach::kFreeLate));
    holder.shared.lease.rows[0] = row;
    holder.record.lease.late_token[0] = row.token;
    EXPECT_FALSE(holder.judge_at(300).is(Breach::kFreeLate));
    EXPECT_FALSE(holder.judge_at(310).is(Breach::kFreeLate));
    EXPECT_TRUE(holder.judge_at(311).is(Breach::kFreeLate));
}

TEST(LeaseBounds, of_freeing_does_not_begin_with_the_death_of_somebody_else) {
    Holder holder({.free_within = 10});
    Bounded::Record other{};
    holder.lease.on_death(holder.shared, other);
    EXPECT_EQ(holder.shared.died_at[0], 0);
}

TEST(LeaseBounds, that_are_not_asked_for_are_neither_shown_nor_kept) {
    constexpr std::uint32_t kBoth = kBoundsTelling | kBoundsFreeing;
    EXPECT_EQ(Holder({.told_within = 1}).lease.features() & kBoth, kBoundsTelling);
    EXPECT_EQ(Holder({.free_within = 1}).lease.features() & kBoth, kBoundsFreeing);
    Holder holder({.free_within = 1});
    holder.shared.lease.rows[0] = {};
    EXPECT_FALSE(holder.judge_at(1'000).is(Breach::kToldLate));
    EXPECT_EQ(holder.record.lost_at[0], 0);
}

}  // namespace
}  // namespace lockkeeper::leases
