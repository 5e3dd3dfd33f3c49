// SPDX-License-Identifier: Apache-2.0

// Locks of somebody's own, whose type the searches do not know: what happens in the background, to
// the dead, and by the caller's own number is explored as a search sees it that takes every step.
#include <gtest/gtest.h>

#include "model/erased_system.hpp"
#include "model/test_and_set_test.hpp"
#include "model/walk_test.hpp"
#include "scheduler/search/explorer.hpp"
#include "scheduler/search/naive_search_test.hpp"

namespace lockkeeper {
namespace {

using testing_model::acquire;
using testing_model::release;
using testing_model::TestAndSet;
using testing_model::world_of;
using testing_scheduler::NaiveSearch;

// A dead caller's lock is freed in the background, by a record of its own: neither says anything of
// local steps (docs/start/your_lock_cpp.md, "A manager").
struct FreesTheDead : TestAndSet {
    struct Record {
        std::uint8_t holds;
        std::uint8_t is_dead;
    };

    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const {
        TestAndSet::Record letters{};
        const Outcome outcome = TestAndSet::step(shared, letters, call, operation, event);
        if (outcome == Outcome::kAcquired || outcome == Outcome::kReleased) {
            record.holds = outcome == Outcome::kAcquired ? 1 : 0;
        }
        return outcome;
    }
    [[nodiscard]] bool blocked(const Shared& shared, const Record&, const Call& call) const {
        return TestAndSet::blocked(shared, {}, call);
    }
    void on_death(Shared&, Record& record) const { record.is_dead = record.holds; }
    void background(const Shared&, Records<const Record> records, ActionList& out) const {
        for (std::size_t i = 0; i < records.size(); ++i) {
            if (records[i].is_dead != 0) {
                out.add({static_cast<std::uint8_t>(i), ActionKind::kBackground, 0});
            }
        }
    }
    void apply_background(Shared& shared, Records<Record> records, Action action, Event&) const {
        shared.taken[0] = 0;
        records[action.actor] = {};
    }
    [[nodiscard]] bool idle(const Shared&, Records<const Record>) const { return true; }
    [[nodiscard]] std::uint32_t pending_cleanup(const Shared&, Records<const Record>,
                                                std::size_t) const {
        return 0;
    }
    void observe(const Shared& shared, Records<const Record>, Observation& out) const {
        TestAndSet::observe(shared, {nullptr, 1, 0}, out);
    }
    [[nodiscard]] std::string describe_step(const Shared& shared, const Record&, const Call& call,
                                            const Operation& operation) const {
        return TestAndSet::describe_step(shared, {}, call, operation);
    }
    [[nodiscard]] std::string describe_background(const Shared&, Records<const Record>,
                                                  Action) const {
        return "frees what @ held";
    }
};

// Keeps the number of its owner: only without symmetry, and then right.
struct NamesItsOwner : TestAndSet {
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const {
        const Outcome outcome = TestAndSet::step(shared, record, call, operation, event);
        if (shared.taken[0] != 0 && call.at == At::kReturn) {
            shared.taken[0] = static_cast<std::uint8_t>(event.caller + 1);
        }
        return outcome;
    }
};

template <class Lock>
void expect_every_state(const Lock& lock, std::uint8_t crashes) {
    WorldConfig config =
        world_of({{acquire(), release()}, {acquire(), release()}, {acquire(), release()}});
    config.crashes_max = crashes;
    for (CallerConfig& caller : config.callers) {
        caller.group = 0;
        caller.may_crash = true;
    }
    const World<Lock> world(lock, config);
    const ErasedSystem erased(world);
    ASSERT_TRUE(erased.has_local_steps());
    NaiveSearch<World<Lock>> naive(world, {}, {});
    naive.visit_all();
    for (const unsigned jobs : {1U, 2U}) {
        ExploreOptions options;
        options.symmetry = false;
        options.jobs = jobs;
        Explorer<ErasedSystem> search(erased, options);
        search.run();
        EXPECT_EQ(search.reached().size(), naive.states());
        EXPECT_EQ(search.progress().transitions, naive.transitions);
    }
}

TEST(ErasedSearch, TakesWhatHappensInTheBackground) {
    TestAndSet lock;
    lock.posts_letters = true;
    expect_every_state(lock, 0);
}

TEST(ErasedSearch, TakesTheCleanUpAfterTheDead) {
    FreesTheDead lock;
    lock.waits = true;
    expect_every_state(lock, 1);
}

TEST(ErasedSearch, TellsCallersApartWithoutSymmetry) { expect_every_state(NamesItsOwner{}, 0); }

}  // namespace
}  // namespace lockkeeper
