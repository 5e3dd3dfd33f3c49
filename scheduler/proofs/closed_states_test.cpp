// SPDX-License-Identifier: Apache-2.0
#include "scheduler/proofs/closed_states_test.hpp"

#include <gtest/gtest.h>

#include "scheduler/scopes_test.hpp"

namespace lockkeeper::testing_proofs {
namespace {

using namespace testing_scheduler;
using proofs::ClosedStates;

constexpr const char* kMissing = "a state can be reached that is not listed";
constexpr const char* kUnreached = "a state is listed that no step leads to";

std::vector<const Property*> named(const std::vector<const char*>& names) {
    std::vector<const Property*> found;
    found.reserve(names.size());
    for (const char* name : names) {
        found.push_back(find_property(name));
    }
    return found;
}

const std::vector<const Property*>& of_canal() {
    static const auto kCheck = named({"leak", "over-allocation", "caller-death", "deadlock"});
    return kCheck;
}
const Runner& two_callers() {
    static const auto kRunner = runner(once_each({1, 1}, 1, 15));
    return *kRunner;
}

// 0 to 1 to 2, where all is done.
GraphSystem line_of_three() {
    GraphSystem graph;
    graph.nodes.resize(3);
    graph.nodes[0].edges = {{step_of(0), 1}};
    graph.nodes[1].edges = {{step_of(1), 2}};
    graph.nodes[2].finished = graph.nodes[2].quiescent = true;
    return graph;
}
std::string graph_refused(const GraphSystem& graph, const std::vector<const Property*>& check) {
    const auto run = runner(graph);
    return why_refused(certified(*run, check).closed, *run, check);
}

TEST(ClosedStatesTest, WhatTheExplorerReachedIsAccepted) {
    const Certified made = certified(two_callers(), of_canal());
    ASSERT_TRUE(is<Passed>(made.result.verdict));
    EXPECT_EQ(made.closed.states.size(), made.result.states);
    EXPECT_EQ(why_refused(made.closed, two_callers(), of_canal()), "");
    proofs::ProofWatch watch;
    EXPECT_EQ(check_closed_states(made.closed, two_callers().erased(), of_canal(), watch).steps,
              made.result.transitions);
}

// The planted bug: a search that forgets one of its states, whichever.
TEST(ClosedStatesTest, AnExplorerThatForgetsAStateIsRefused) {
    const ClosedStates whole = certified(two_callers(), of_canal()).closed;
    ASSERT_GT(whole.states.size(), 100U);
    for (std::size_t i = 0; i < whole.states.size(); ++i) {
        ClosedStates less = whole;
        less.states.erase(less.states.begin() + static_cast<std::ptrdiff_t>(i));
        EXPECT_EQ(why_refused(less, two_callers(), of_canal()), kMissing) << i;
    }
    ClosedStates none = whole;
    none.states.clear();
    EXPECT_EQ(why_refused(none, two_callers(), of_canal()), kMissing);
}

TEST(ClosedStatesTest, EachChangedByteIsRefused) {
    const ClosedStates whole = certified(two_callers(), of_canal()).closed;
    for (std::size_t i = 0; i < whole.states.size(); i += 7) {
        for (std::size_t byte = 0; byte < whole.states[i].size(); ++byte) {
            ClosedStates other = whole;
            other.states[i][byte] = static_cast<char>(other.states[i][byte] ^ 1);
            std::sort(other.states.begin(), other.states.end());
            EXPECT_NE(why_refused(other, two_callers(), of_canal()), "") << i << " " << byte;
        }
    }
}

// Bytes that no step has made might be a state that no code is written for: they are never run.
TEST(ClosedStatesTest, WhatNoStepLeadsToIsRefused) {
    ClosedStates more = certified(two_callers(), of_canal()).closed;
    more.states.emplace_back(more.states.back().size(), '\xff');
    EXPECT_EQ(why_refused(more, two_callers(), of_canal()), kUnreached);
    more.states.back() += '\xff';
    EXPECT_EQ(why_refused(more, two_callers(), of_canal()), kUnreached);
}

TEST(ClosedStatesTest, TwiceOrOutOfOrderIsRefused) {
    const ClosedStates whole = certified(two_callers(), of_canal()).closed;
    constexpr const char* kOrder = "a state is listed twice, or out of order";
    ClosedStates twice = whole;
    twice.states.insert(twice.states.begin() + 5, twice.states[5]);
    EXPECT_EQ(why_refused(twice, two_callers(), of_canal()), kOrder);
    ClosedStates swapped = whole;
    std::swap(swapped.states[3], swapped.states[4]);
    EXPECT_EQ(why_refused(swapped, two_callers(), of_canal()), kOrder);
}

TEST(ClosedStatesTest, OtherPropertiesAreRefused) {
    constexpr const char* kOthers = "it proves other properties";
    const ClosedStates whole = certified(two_callers(), of_canal()).closed;
    EXPECT_EQ(why_refused(whole, two_callers(), named({"leak"})), kOthers);
    EXPECT_EQ(why_refused(whole, two_callers(), {}), kOthers);
    ClosedStates more = whole;
    more.proved.emplace_back("double-release");
    EXPECT_EQ(why_refused(more, two_callers(), of_canal()), kOthers);
    ClosedStates none = whole;
    none.proved.clear();
    EXPECT_EQ(why_refused(none, two_callers(), {}), kOthers);
    ClosedStates livelock = whole;
    livelock.proved = {"livelock"};
    EXPECT_EQ(why_refused(livelock, two_callers(), named({"livelock"})),
              "a property that states do not show");
}

TEST(ClosedStatesTest, StatesOfAnotherSystemAreRefused) {
    const auto other = runner(once_each({1, 2}, 1, 15));
    const ClosedStates whole = certified(two_callers(), of_canal()).closed;
    EXPECT_EQ(why_refused(whole, *other, of_canal()), kMissing);
}

// The explorer is asked about something else, so that it goes on to the end.
TEST(ClosedStatesTest, AStepThatBreaksAPropertyIsRefused) {
    GraphSystem graph = line_of_three();
    EXPECT_EQ(graph_refused(graph, named({"caller-death"})), "");
    graph.nodes[1].edges[0].what = kCallerDied;
    EXPECT_EQ(graph_refused(graph, named({"caller-death"})), "it allows caller-death");
    EXPECT_EQ(graph_refused(graph, named({"leak"})), "");
}

// One step, which grants; the grants overlap in one of the two states.
struct OneGrant {
    struct State {
        std::uint32_t is_done;
    };
    std::uint32_t overlaps_when = 0;

    [[nodiscard]] static State initial() { return {0}; }
    static void enabled(const State& state, ActionList& out) {
        out.clear();
        if (state.is_done == 0) {
            out.add(step_of(0));
        }
    }
    static Event apply(State& state, Action) {
        state.is_done = 1;
        Event event;
        event.what = kGranted;
        return event;
    }
    void observe(const State& state, Observation& out) const {
        out = Observation{};
        out.grants_overlap = state.is_done == overlaps_when;
    }
    [[nodiscard]] static bool quiescent(const State&) { return false; }
    [[nodiscard]] static bool finished(const State& state) { return state.is_done == 1; }
    [[nodiscard]] static std::string describe(const State&, Action) { return "grant"; }
    [[nodiscard]] static std::string show(const State&) { return ""; }
};

TEST(ClosedStatesTest, ARuleThatLooksAtTheStateSeesTheOneAfterTheStep) {
    const auto check = named({"grant-overlap"});
    for (const std::uint32_t when : {0U, 1U}) {
        const auto run = runner_of(OneGrant{when});
        EXPECT_EQ(why_refused(certified(*run, check).closed, *run, check),
                  when == 0 ? "" : "it allows grant-overlap");
    }
}

TEST(ClosedStatesTest, AtRestNothingMayBeBroken) {
    GraphSystem graph = line_of_three();
    EXPECT_EQ(graph_refused(graph, named({"leak"})), "");
    graph.nodes[2].counted = 1;
    EXPECT_EQ(graph_refused(graph, named({"leak"})), "it allows leak");
    graph.nodes[2].quiescent = false;
    EXPECT_EQ(graph_refused(graph, named({"leak"})), "");
    graph.nodes[0].counted = 1;  // the first state is one as well
    graph.nodes[0].quiescent = true;
    EXPECT_EQ(graph_refused(graph, named({"leak"})), "it allows leak");
}

// Whether somebody asks for `deadlock` or not, as `explore` has it.
TEST(ClosedStatesTest, AnEndWithSomebodyUnfinishedIsRefused) {
    GraphSystem graph = line_of_three();
    graph.nodes[2].finished = false;
    for (const auto& check : {named({"leak"}), named({"deadlock"})}) {
        EXPECT_EQ(graph_refused(graph, check), "a state is listed in which nobody can go on");
    }
    graph.nodes[2].time_is_over = true;
    EXPECT_EQ(graph_refused(graph, named({"leak"})), "virtual time ends before all is done");
}

TEST(ClosedStatesTest, ALimitIsNoAnswer) {
    const ClosedStates whole = certified(two_callers(), of_canal()).closed;
    proofs::ProofWatch watch(0);
    const auto found = check_closed_states(whole, two_callers().erased(), of_canal(), watch);
    EXPECT_EQ(found.refused, "");
    EXPECT_EQ(found.limit, "time");
}

// The check counts the states that are done, one after the other.
TEST(ClosedStatesTest, ProgressTellsHowManyStatesAreDone) {
    const ClosedStates whole = certified(two_callers(), of_canal()).closed;
    std::size_t next = 0;
    proofs::ProofWatch watch(kNoTimeLimit, UINT64_MAX, [&](const proofs::ProofProgress& at) {
        EXPECT_EQ(at.done, next++);
        EXPECT_EQ(at.all, whole.states.size());
    });
    const auto found = check_closed_states(whole, two_callers().erased(), of_canal(), watch);
    EXPECT_EQ(found.refused + found.limit, "");
    EXPECT_EQ(next, whole.states.size());
}

TEST(ClosedStatesTest, ASystemWithoutPartsIsOnePart) {
    const auto run = runner(line_of_three());
    const ClosedStates closed = certified(*run, named({"leak"})).closed;
    EXPECT_EQ(closed.widths, std::vector<std::size_t>{sizeof(GraphSystem::State)});
    EXPECT_NE(to_text(closed).find("    [\"00000000\", \"01000000\", \"02000000\"]\n  ],\n"
                                   "  \"states\": [\n    [0],\n    [1],\n    [2]\n  ]\n"),
              std::string::npos)
        << to_text(closed);
}

}  // namespace
}  // namespace lockkeeper::testing_proofs
