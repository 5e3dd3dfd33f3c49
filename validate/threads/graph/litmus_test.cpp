// SPDX-License-Identifier: Apache-2.0

// Litmus tests: the outcomes that each model allows, by the names that the literature gives them.
//   [B]   Batty, Owens, Sarkar, Sewell, Weber: Mathematizing C++ concurrency, POPL 2011
//   [R]   Lahav, Vafeiadis, Kang, Hur, Dreyer: Repairing sequential consistency in C/C++11, PLDI
//   2017 [M]   Maranget, Sarkar, Sewell: A tutorial introduction to the ARM and POWER relaxed
//   memory
//         models, 2012
//   [S]   ISO C++20, [atomics.order], [intro.races], [atomics.fences]
// An outcome is what the threads read, thread by thread, and the last store of each location.
#include <algorithm>

#include <gtest/gtest.h>

#include "validate/threads/graph/small_program_test.hpp"

namespace lockkeeper::threads {
namespace {

using namespace small;
constexpr Order kRlx = Order::kRelaxed;
constexpr Order kAcq = Order::kAcquire;
constexpr Order kRel = Order::kRelease;
constexpr Order kAR = Order::kAcquireRelease;
constexpr Order kSc = Order::kSeqCst;
constexpr Location kX = 0;
constexpr Location kY = 1;

struct Litmus {
    const char* name;
    SmallProgram program;
    const char* outcome;  // what the threads read: "0;0;"
    bool in_sc;
    bool in_c11;
    const char* source;
};

SmallProgram store_buffering(Order order) {
    return {{store(kX, 1, order), load(kY, order)}, {store(kY, 1, order), load(kX, order)}};
}
SmallProgram store_buffering_with_fences(Order order) {
    return {{store(kX, 1, kRlx), fence(order), load(kY, kRlx)},
            {store(kY, 1, kRlx), fence(order), load(kX, kRlx)}};
}
SmallProgram message_passing(Order stores, Order loads) {
    return {{store(kX, 1, kRlx), store(kY, 1, stores)}, {load(kY, loads), load(kX, kRlx)}};
}
SmallProgram readers_of_two_writers(Order order) {
    return {{store(kX, 1, order)},
            {store(kY, 1, order)},
            {load(kX, order), load(kY, order)},
            {load(kY, order), load(kX, order)}};
}
SmallProgram two_by_two_stores(Order order) {
    return {{store(kX, 1, order), store(kY, 2, order)}, {store(kY, 1, order), store(kX, 2, order)}};
}

const std::vector<Litmus> kLitmusTests = {
    {"SB relaxed", store_buffering(kRlx), "0;0;", false, true, "[R] figure 1"},
    {"SB acquire, release",
     {{store(kX, 1, kRel), load(kY, kAcq)}, {store(kY, 1, kRel), load(kX, kAcq)}},
     "0;0;",
     false,
     true,
     "[R] section 2"},
    {"SB seq_cst", store_buffering(kSc), "0;0;", false, false, "[R] section 2"},
    {"SB seq_cst fences", store_buffering_with_fences(kSc), "0;0;", false, false,
     "[R] section 2.2"},
    {"SB acquire-release fences", store_buffering_with_fences(kAR), "0;0;", false, true,
     "[S] fences 2 to 4"},
    {"SB one seq_cst fence",
     {{store(kX, 1, kRlx), fence(kSc), load(kY, kRlx)}, {store(kY, 1, kRlx), load(kX, kRlx)}},
     "0;0;",
     false,
     true,
     "[M] section 3"},
    {"SB exchanges",
     {{store(kX, 1, kRlx), exchange(2, 1, kAR), load(kY, kRlx)},
      {store(kY, 1, kRlx), exchange(2, 1, kAR), load(kX, kRlx)}},
     "00;10;",
     false,
     false,
     "[B] section 2: the second exchange synchronises with the first"},
    {"MP relaxed", message_passing(kRlx, kRlx), ";10;", false, true, "[M] section 3"},
    {"MP release, acquire", message_passing(kRel, kAcq), ";10;", false, false, "[B] section 2"},
    {"MP release, relaxed", message_passing(kRel, kRlx), ";10;", false, true, "[B] section 2"},
    {"MP relaxed, acquire", message_passing(kRlx, kAcq), ";10;", false, true, "[B] section 2"},
    {"MP seq_cst", message_passing(kSc, kSc), ";10;", false, false, "[B] section 2"},
    {"MP fences",
     {{store(kX, 1, kRlx), fence(kRel), store(kY, 1, kRlx)},
      {load(kY, kRlx), fence(kAcq), load(kX, kRlx)}},
     ";10;",
     false,
     false,
     "[S] fences 2"},
    {"MP release fence alone",
     {{store(kX, 1, kRlx), fence(kRel), store(kY, 1, kRlx)}, {load(kY, kRlx), load(kX, kRlx)}},
     ";10;",
     false,
     true,
     "[S] fences 2"},
    {"MP release fence, acquire load",
     {{store(kX, 1, kRlx), fence(kRel), store(kY, 1, kRlx)}, {load(kY, kAcq), load(kX, kRlx)}},
     ";10;",
     false,
     false,
     "[S] fences 3"},
    {"MP release store, acquire fence",
     {{store(kX, 1, kRlx), store(kY, 1, kRel)}, {load(kY, kRlx), fence(kAcq), load(kX, kRlx)}},
     ";10;",
     false,
     false,
     "[S] fences 4"},
    {"MP fence behind the store",
     {{store(kX, 1, kRlx), store(kY, 1, kRlx), fence(kRel)}, {load(kY, kAcq), load(kX, kRlx)}},
     ";10;",
     false,
     true,
     "[S] fences 3"},
    {"LB relaxed",
     {{load(kX, kRlx), store(kY, 1, kRlx)}, {load(kY, kRlx), store(kX, 1, kRlx)}},
     "1;1;",
     false,
     false,
     "[R] section 4: RC11 forbids it, C++20 allows it; what the page names as not looked at"},
    {"CoRR",
     {{store(kX, 1, kRlx)}, {load(kX, kRlx), load(kX, kRlx)}},
     ";10;",
     false,
     false,
     "[S] races 16"},
    {"CoRR two stores",
     {{store(kX, 1, kRlx)},
      {store(kX, 2, kRlx)},
      {load(kX, kRlx), load(kX, kRlx)},
      {load(kX, kRlx), load(kX, kRlx)}},
     ";;12;21;",
     false,
     false,
     "[B] section 2, coherence"},
    {"CoWR", {{store(kX, 1, kRlx), load(kX, kRlx)}}, "0;", false, false, "[S] races 18"},
    {"CoRW", {{load(kX, kRlx), store(kX, 1, kRlx)}}, "1;", false, false, "[S] races 17"},
    {"CoWW", {{store(kX, 1, kRlx), store(kX, 2, kRlx)}}, "; 0=1", false, false, "[S] races 15"},
    {"IRIW relaxed", readers_of_two_writers(kRlx), ";;10;10;", false, true, "[M] section 6"},
    {"IRIW release, acquire",
     {{store(kX, 1, kRel)},
      {store(kY, 1, kRel)},
      {load(kX, kAcq), load(kY, kAcq)},
      {load(kY, kAcq), load(kX, kAcq)}},
     ";;10;10;",
     false,
     true,
     "[B] section 2"},
    {"IRIW seq_cst", readers_of_two_writers(kSc), ";;10;10;", false, false, "[B] section 2"},
    {"IRIW fences",
     {{store(kX, 1, kRlx)},
      {store(kY, 1, kRlx)},
      {load(kX, kRlx), fence(kSc), load(kY, kRlx)},
      {load(kY, kRlx), fence(kSc), load(kX, kRlx)}},
     ";;10;10;",
     false,
     false,
     "[R] section 2.2, IRIW with seq_cst fences"},
    {"IRIW acquire loads of seq_cst stores",
     {{store(kX, 1, kSc)},
      {store(kY, 1, kSc)},
      {load(kX, kAcq), load(kY, kSc)},
      {load(kY, kAcq), load(kX, kSc)}},
     ";;10;10;",
     false,
     true,
     "[R] figure 2 (IRIW-acq-sc)"},
    {"2+2W relaxed", two_by_two_stores(kRlx), ";; 0=1 1=1", false, true, "[M] section 5"},
    {"2+2W release", two_by_two_stores(kRel), ";; 0=1 1=1", false, true, "[B] section 2"},
    {"2+2W seq_cst", two_by_two_stores(kSc), ";; 0=1 1=1", false, false, "[B] section 2"},
    {"2+2W seq_cst fences",
     {{store(kX, 1, kRlx), fence(kSc), store(kY, 2, kRlx)},
      {store(kY, 1, kRlx), fence(kSc), store(kX, 2, kRlx)}},
     ";; 0=1 1=1",
     false,
     false,
     "[R] psc of fences"},
    {"Z6.U",
     {{store(kX, 1, kSc), store(kY, 1, kRel)},
      {add(kY, 1, kSc), load(kY, kRlx)},
      {store(kY, 3, kSc), load(kX, kSc)}},
     ";13;0; 0=1 1=3",
     false,
     true,
     "[R] figure 4 (Z6.U)"},
    {"W+RWC",
     {{store(kX, 1, kSc)}, {load(kX, kSc), load(kY, kSc)}, {store(kY, 1, kSc), load(kX, kSc)}},
     ";10;0;",
     false,
     false,
     "[R] figure 3, all seq_cst"},
    {"W+RWC acquire",
     {{store(kX, 1, kRlx)},
      {load(kX, kAcq), fence(kSc), load(kY, kRlx)},
      {store(kY, 1, kRlx), fence(kSc), load(kX, kRlx)}},
     ";10;0;",
     false,
     false,
     "[R] section 2.2, RWC with seq_cst fences"},
    {"WRC release, acquire",
     {{store(kX, 1, kRlx)}, {load(kX, kRlx), store(kY, 1, kRel)}, {load(kY, kAcq), load(kX, kRlx)}},
     ";1;10;",
     false,
     false,
     "[M] section 4, by coherence behind happens-before"},
    {"WRC relaxed",
     {{store(kX, 1, kRlx)}, {load(kX, kRlx), store(kY, 1, kRlx)}, {load(kY, kRlx), load(kX, kRlx)}},
     ";1;10;",
     false,
     true,
     "[M] section 4"},
    {"ISA2 release, acquire",
     {{store(kX, 1, kRlx), store(kY, 1, kRel)},
      {load(kY, kAcq), store(2, 1, kRel)},
      {load(2, kAcq), load(kX, kRlx)}},
     ";1;10;",
     false,
     false,
     "[M] section 4"},
    {"S release, acquire",
     {{store(kX, 2, kRlx), store(kY, 1, kRel)}, {load(kY, kAcq), store(kX, 1, kRlx)}},
     ";1; 0=2",
     false,
     false,
     "[M] section 5"},
    {"S relaxed",
     {{store(kX, 2, kRlx), store(kY, 1, kRlx)}, {load(kY, kRlx), store(kX, 1, kRlx)}},
     ";1; 0=2",
     false,
     true,
     "[M] section 5"},
    {"R seq_cst",
     {{store(kX, 1, kSc), store(kY, 1, kSc)}, {store(kY, 2, kSc), load(kX, kSc)}},
     ";0; 0=1 1=2",
     false,
     false,
     "[M] section 5"},
    {"R release, acquire",
     {{store(kX, 1, kRel), store(kY, 1, kRel)}, {store(kY, 2, kRel), load(kX, kAcq)}},
     ";0; 0=1 1=2",
     false,
     true,
     "[M] section 5"},
    {"release sequence by a read-modify-write",
     {{store(kX, 1, kRlx), store(kY, 1, kRel)},
      {add(kY, 1, kRlx)},
      {load(kY, kAcq), load(kX, kRlx)}},
     ";1;20;",
     false,
     false,
     "[S] races 5"},
    {"no release sequence by a store of the same thread",
     {{store(kX, 1, kRlx), store(kY, 1, kRel), store(kY, 2, kRlx)},
      {load(kY, kAcq), load(kX, kRlx)}},
     ";20;",
     false,
     true,
     "[S] races 5, C++20 (C++11 had it)"},
    {"no release sequence through a store of another",
     {{store(kX, 1, kRlx), store(kY, 1, kRel)},
      {load(kY, kRlx), store(kY, 2, kRlx)},
      {load(kY, kAcq), load(kX, kRlx)}},
     ";1;20;",
     false,
     true,
     "[S] races 5"},
    {"additions lose nothing",
     {{add(kX, 1, kRlx)}, {add(kX, 1, kRlx)}},
     "0;0;",
     false,
     false,
     "[S] order 10"},
    {"one compare-exchange wins",
     {{compare_exchange(kX, 1, kRlx)}, {compare_exchange(kX, 2, kRlx)}},
     "0;0;",
     false,
     false,
     "[S] order 10"},
    {"a store cannot come between",
     {{add(kX, 1, kRlx)}, {store(kX, 5, kRlx)}},
     "0;; 0=5",
     true,
     true,
     "[S] order 10"},
    {"exchange release, compare-exchange acquire",
     {{store(kX, 1, kRlx), exchange(kY, 1, kRel)}, {exchange(kY, 2, kAcq), load(kX, kRlx)}},
     "0;10;",
     false,
     false,
     "[B] section 2"},
};

bool is_met(const SmallResult& result, const std::string& outcome) {
    return std::any_of(result.outcomes.begin(), result.outcomes.end(), [&](const auto& met) {
        const std::string& text = met.first;
        return text == outcome || (text.starts_with(outcome) &&
                                   (text.size() == outcome.size() || text[outcome.size()] == ' '));
    });
}

TEST(Litmus, OutcomesAreThoseOfTheModels) {
    for (const Litmus& test : kLitmusTests) {
        const SmallResult sc = explore_small(test.program, Model::kSc);
        const SmallResult c11 = explore_small(test.program, Model::kC11);
        EXPECT_EQ(is_met(sc, test.outcome), test.in_sc) << test.name << ", sc, " << test.source;
        EXPECT_EQ(is_met(c11, test.outcome), test.in_c11) << test.name << ", c11, " << test.source;
    }
}

// The twin that judges by the axioms has the same executions of each of them.
TEST(Litmus, ExecutionsAreThoseOfTheAxioms) {
    for (const Litmus& test : kLitmusTests) {
        const SmallResult naive = naive_c11(test.program);
        const SmallResult found = explore_small(test.program, Model::kC11);
        EXPECT_EQ(naive.graphs.size(), found.graphs.size()) << test.name;
        for (const auto& [graph, times] : found.graphs) {
            EXPECT_EQ(times, 1) << test.name << ": " << graph;
            EXPECT_EQ(naive.graphs.count(graph), 1U) << test.name << ": " << graph;
        }
    }
}

}  // namespace
}  // namespace lockkeeper::threads
