// SPDX-License-Identifier: Apache-2.0

// Each system's claims about the steps of its slots (Hints::wide_steps in model/hints.hpp) hold in
// every state that the test visits, in all shipped scenarios: the explorer learns steps by them.
#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "model/schedule.hpp"
#include "model/slow_build_test.hpp"
#include "scenarios/find_files.hpp"
#include "scenarios/registry/registry.hpp"
#include "scenarios/registry/shipped_systems.hpp"
#include "scheduler/base/random.hpp"

namespace lockkeeper {
namespace {

constexpr std::size_t kStatesOfScenario = testing_model::kIsSlowBuild ? 40 : 400;

// The bytes of a state, by part.
class Parts {
  public:
    Parts(const ErasedSystem& system, const ErasedSystem::State& state)
        : layout_(system.parts()),
          text_(reinterpret_cast<const char*>(state.bytes.data()), system.used_bytes()) {}

    [[nodiscard]] const std::string& all() const { return text_; }
    [[nodiscard]] std::string slot(std::size_t at) const {
        return text_.substr(at * layout_.slot_bytes, layout_.slot_bytes);
    }
    [[nodiscard]] std::string shared() const {
        return text_.substr(shared_at(), layout_.shared_bytes);
    }
    // Returns the shared part and the rest.
    [[nodiscard]] std::string no_slot() const { return text_.substr(shared_at()); }
    [[nodiscard]] std::string other_slots(std::size_t at) const {
        std::string others = text_.substr(0, shared_at());
        return others.erase(at * layout_.slot_bytes, layout_.slot_bytes);
    }

  private:
    [[nodiscard]] std::size_t shared_at() const { return layout_.slots_max * layout_.slot_bytes; }

    PartLayout layout_;
    std::string text_;
};

struct Learned {
    bool is_alone = false;
    std::uint32_t what = 0;
    std::string after;  // the slot, what is shared and the rest

    friend bool operator==(const Learned&, const Learned&) = default;
};

// One scenario's system, and what its steps have been up to now.
class LocalSteps {
  public:
    explicit LocalSteps(ErasedSystem system) : system_(std::move(system)) {}

    [[nodiscard]] std::size_t alone() const { return alone_; }
    [[nodiscard]] std::size_t wide() const { return wide_; }

    void look_around(std::uint64_t seed, std::size_t states) {
        Random random(seed);
        std::vector<ErasedSystem::State> pending{system_.initial()};
        std::set<std::string> seen{Parts(system_, pending.front()).all()};
        ActionList actions;
        for (std::size_t looked = 0; looked < states && !pending.empty(); ++looked) {
            // Now and then an old one, mostly the newest: walks that branch.
            const std::size_t at = random.below(4) == 0
                                       ? random.below(static_cast<std::uint32_t>(pending.size()))
                                       : pending.size() - 1;
            std::swap(pending[at], pending.back());
            const ErasedSystem::State state = pending.back();
            pending.pop_back();
            look_at(state);
            system_.enabled(state, actions);
            for (const Action action : actions) {
                ErasedSystem::State after = state;
                system_.apply(after, action);
                if (seen.insert(Parts(system_, after).all()).second) {
                    pending.push_back(after);
                }
            }
        }
    }

  private:
    void look_at(const ErasedSystem::State& state) {
        const Parts parts(system_, state);
        std::multiset<std::string> told;
        bool may_rest = true;
        for (std::size_t at = 0; at < system_.slots_count(); ++at) {
            ActionList actions;
            system_.enabled_of(state, at, actions);
            may_rest = may_rest && system_.may_rest(state, at);
            const auto situation =
                std::make_tuple(system_.group(at), parts.slot(at), parts.no_slot());
            std::string list;
            for (Action action : actions) {
                told.insert(to_text(action));
                ASSERT_EQ(action.actor, at);
                action.actor = 0;
                list += to_text(action) + " ";
            }
            ASSERT_EQ(lists_.emplace(situation, list).first->second, list);
            for (const Action action : actions) {
                take(state, parts, action, situation);
            }
        }
        ActionList elsewhere;
        system_.enabled_elsewhere(state, elsewhere);
        for (const Action action : elsewhere) {
            told.insert(to_text(action));
        }
        ActionList all;
        system_.enabled(state, all);
        std::multiset<std::string> expected;
        for (const Action action : all) {
            expected.insert(to_text(action));
        }
        ASSERT_EQ(told, expected);
        const bool acts = system_.acts_elsewhere(state);
        ASSERT_TRUE(acts || elsewhere.empty());
        ASSERT_EQ(acts_.emplace(parts.shared(), acts).first->second, acts);
        ASSERT_TRUE(may_rest || !system_.quiescent(state));
    }

    using Situation = std::tuple<std::uint8_t, std::string, std::string>;

    void take(const ErasedSystem::State& before, const Parts& parts, Action action,
              const Situation& situation) {
        const std::size_t at = action.actor;
        ErasedSystem::State expected = before;
        const Event event = system_.apply(expected, action);
        ErasedSystem::State after = before;
        Event shown;
        const bool is_alone = system_.apply_alone(after, action, shown);
        const Parts changed(system_, after);
        ASSERT_EQ(changed.all(), Parts(system_, expected).all());
        ASSERT_EQ(event.what & ~shown.what, 0U);
        Learned step{is_alone, 0, {}};
        if (is_alone) {
            ASSERT_EQ(changed.other_slots(at), parts.other_slots(at));
            step.what = shown.what;
            step.after = changed.slot(at) + changed.no_slot();
        }
        ++(is_alone ? alone_ : wide_);
        Action by_anybody = action;
        by_anybody.actor = 0;
        const auto [known, is_new] =
            steps_.emplace(std::make_pair(situation, to_text(by_anybody)), step);
        ASSERT_EQ(known->second.is_alone, step.is_alone) << system_.describe(before, action);
        ASSERT_TRUE(known->second == step) << system_.describe(before, action);
    }

    ErasedSystem system_;
    std::size_t alone_ = 0;
    std::size_t wide_ = 0;
    std::map<Situation, std::string> lists_;
    std::map<std::pair<Situation, std::string>, Learned> steps_;
    std::map<std::string, bool> acts_;
};

void look_at_all_shipped_scenarios(std::size_t states_of_scenario) {
    const Registry registry = shipped_systems();
    std::map<std::string, std::size_t> alone;
    std::map<std::string, std::size_t> wide;
    for (const InputFile& file :
         find_files({std::string(LOCKKEEPER_SOURCE_DIR) + "/scenarios"}, FileKind::kScenarios)) {
        SCOPED_TRACE(file.path);
        auto loaded = load_scenario(file.path);
        ASSERT_TRUE(std::holds_alternative<Scenario>(loaded));
        const auto& scenario = std::get<Scenario>(loaded);
        auto made = registry.make(scenario);
        ASSERT_TRUE(std::holds_alternative<std::unique_ptr<Runner>>(made));
        const ErasedSystem system = std::get<std::unique_ptr<Runner>>(made)->erased();
        if (!system.has_local_steps()) {
            continue;
        }
        LocalSteps steps(system);
        try {
            steps.look_around(file.path.size(), states_of_scenario);
        } catch (const LimitExceeded&) {
            // A scenario that has no end has gone on for as long as it can.
        }
        ASSERT_FALSE(::testing::Test::HasFatalFailure());
        alone[scenario.system] += steps.alone();
        wide[scenario.system] += steps.wide();
    }
    for (const char* system :
         {"transactional_pg", "transactional_innodb", "try_retry", "session_lock_pool"}) {
        EXPECT_GT(wide[system], states_of_scenario / 2) << system;
        EXPECT_GT(alone[system], states_of_scenario / 2) << system;
    }
    for (const char* system : {"monglock_write", "monglock_multi"}) {
        EXPECT_GT(alone[system], states_of_scenario / 2) << system;
        EXPECT_GT(wide[system], 0U) << system;
    }
}

TEST(LocalSteps, OfAllShippedScenariosAreWhatTheSystemsSay) {
    look_at_all_shipped_scenarios(kStatesOfScenario);
}

// With the label `long`, as local_steps_long (cmake/LockkeeperTests.cmake).
TEST(LocalSteps, DISABLED_LongOfAllShippedScenariosAreWhatTheSystemsSay) {
    look_at_all_shipped_scenarios(2000);
}

}  // namespace
}  // namespace lockkeeper
