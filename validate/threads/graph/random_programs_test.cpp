// SPDX-License-Identifier: Apache-2.0

// The search and its naive twins on random small programs: the same executions, none of them twice.
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "validate/threads/graph/small_program_test.hpp"

namespace lockkeeper::threads {
namespace {

class RandomPrograms {
  public:
    explicit RandomPrograms(std::uint64_t seed) : random_(seed) {}

    SmallProgram draw(std::size_t steps_max) {
        SmallProgram program(2 + below(3));
        strength_ = static_cast<Strength>(below(3));
        std::size_t left = steps_max;
        for (auto& thread : program) {
            const std::size_t count = std::min<std::size_t>(left, 1 + below(4));
            bool holds = false;
            for (std::size_t step = 0; step < count; ++step) {
                thread.push_back(draw_step(holds));
            }
            left -= count;
        }
        return program;
    }

  private:
    std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
    // Of all accesses of a program, or the rules of the strongest would hardly meet each other.
    enum class Strength : std::uint8_t { kAny, kSeqCst, kReleaseAcquire };
    Order order(Order drawn) {
        if (strength_ == Strength::kSeqCst) {
            return Order::kSeqCst;
        }
        return strength_ == Strength::kReleaseAcquire && drawn == Order::kSeqCst ? Order::kRelaxed
                                                                                 : drawn;
    }
    Order order() { return order(static_cast<Order>(below(5))); }
    SmallStep draw_step(bool& holds) {
        constexpr Order kLoads[] = {Order::kRelaxed, Order::kAcquire, Order::kSeqCst};
        constexpr Order kStores[] = {Order::kRelaxed, Order::kRelease, Order::kSeqCst};
        constexpr Order kFences[] = {Order::kAcquire, Order::kRelease, Order::kAcquireRelease,
                                     Order::kSeqCst};
        const auto location = static_cast<Location>(below(2));
        const std::uint64_t value = 1 + below(2);
        switch (below(12)) {
            case 0:
            case 1:
            case 2: return small::load(location, order(kLoads[below(3)]));
            case 3:
            case 4:
            case 5: return small::store(location, value, order(kStores[below(3)]));
            case 6: return small::add(location, value, order());
            case 7: return small::exchange(location, value, order());
            case 8: return small::compare_exchange(location, value, order());
            case 9: return small::fence(order(kFences[below(4)]));
            case 10: return small::end_unless(below(2));
            default: holds = !holds; return holds ? small::lock(2) : small::unlock(2);
        }
    }

    std::mt19937_64 random_;
    Strength strength_ = Strength::kAny;
};

std::string text_of(const SmallProgram& program) {
    constexpr const char* kNames[] = {"load",  "store", "add",    "exchange",  "compare_exchange",
                                      "fence", "lock",  "unlock", "end_unless"};
    std::string text;
    for (const auto& thread : program) {
        for (const SmallStep& step : thread) {
            text += std::string(kNames[static_cast<int>(step.what)]) + " " +
                    std::to_string(step.location) + " " + std::to_string(step.value) + " order " +
                    std::to_string(static_cast<int>(step.order)) + "; ";
        }
        text += "\n";
    }
    return text;
}

void expect_same(const SmallProgram& program, const SmallResult& found, const SmallResult& naive) {
    for (const auto& [graph, times] : found.graphs) {
        ASSERT_EQ(times, 1) << "met more than once: " << graph << "\n" << text_of(program);
        ASSERT_EQ(naive.graphs.count(graph), 1U) << "impossible: " << graph << "\n"
                                                 << text_of(program);
    }
    for (const auto& [graph, times] : naive.graphs) {
        ASSERT_EQ(found.graphs.count(graph), 1U) << "not found: " << graph << "\n"
                                                 << text_of(program);
    }
}

// A loop that only waits in the place of some loads, taken as one or as any other.
SmallProgram with_spins(SmallProgram program, bool waits_in_loop) {
    for (auto& thread : program) {
        for (SmallStep& step : thread) {
            if (step.what == SmallStep::What::kLoad) {
                step.what = SmallStep::What::kSpin;
                step.value = 1;
                step.waits_in_loop = waits_in_loop;
            }
        }
    }
    return program;
}

int programs_count(int usual) {
    const char* asked = std::getenv("LOCKKEEPER_THREADS_PROGRAMS");
    return asked == nullptr ? usual : std::atoi(asked);
}

TEST(RandomThreadPrograms, HaveTheSameEndsWhereLoopsThatOnlyWaitReadNothingTwice) {
    std::uint64_t fewer = 0;
    RandomPrograms random(3);
    for (int count = programs_count(1000) / 4; count > 0; --count) {
        const SmallProgram program = random.draw(6);
        for (const Model model : {Model::kSc, Model::kC11}) {
            const SmallResult whole = explore_small(with_spins(program, false), model);
            const SmallResult less = explore_small(with_spins(program, true), model);
            for (const auto& [outcome, times] : whole.outcomes) {
                ASSERT_EQ(less.outcomes.count(outcome), 1U) << outcome << "\n" << text_of(program);
            }
            ASSERT_EQ(less.outcomes.size(), whole.outcomes.size()) << text_of(program);
            for (const auto& [graph, times] : less.graphs) {
                ASSERT_EQ(times, 1) << graph << "\n" << text_of(program);
            }
            fewer += whole.counts.complete - less.counts.complete;
        }
    }
    EXPECT_GT(fewer, 0U);
}

TEST(RandomThreadPrograms, HaveTheExecutionsOfAllInterleavings) {
    RandomPrograms random(1);
    for (int count = programs_count(1000); count > 0 && !testing::Test::HasFatalFailure();
         --count) {
        const SmallProgram program = random.draw(8);
        expect_same(program, explore_small(program, Model::kSc), naive_sc(program));
    }
}

TEST(RandomThreadPrograms, HaveTheExecutionsThatTheAxiomsAllow) {
    RandomPrograms random(2);
    for (int count = programs_count(1000); count > 0 && !testing::Test::HasFatalFailure();
         --count) {
        const SmallProgram program = random.draw(6);
        expect_same(program, explore_small(program, Model::kC11), naive_c11(program));
    }
}

// Each graph that was chosen is one of all.
void expect_some(const SmallProgram& program, const SmallResult& chosen, const SmallResult& all) {
    EXPECT_FALSE(chosen.graphs.empty()) << text_of(program);
    for (const auto& [graph, times] : chosen.graphs) {
        ASSERT_EQ(all.graphs.count(graph), 1U) << "impossible: " << graph << "\n"
                                               << text_of(program);
    }
}

TEST(ChosenRuns, AreExecutionsOfTheProgram) {
    RandomPrograms random(3);
    for (int count = 0; count < 300 && !testing::Test::HasFatalFailure(); ++count) {
        const Model model = count % 2 == 0 ? Model::kC11 : Model::kSc;
        const SmallProgram program = random.draw(7);
        const SmallResult all = explore_small(program, model);
        RandomChoices by_chance(1, 50);
        expect_some(program, run_small(program, model, by_chance), all);
        PctChoices by_priority(1, 50, 3);
        expect_some(program, run_small(program, model, by_priority), all);
    }
}

TEST(ChosenRuns, MeetEveryExecutionIfThereAreEnough) {
    RandomPrograms random(4);
    for (int count = 0; count < 40 && !testing::Test::HasFatalFailure(); ++count) {
        const Model model = count % 2 == 0 ? Model::kC11 : Model::kSc;
        const SmallProgram program = random.draw(6);
        const SmallResult all = explore_small(program, model);
        if (all.graphs.size() > 12) {
            continue;
        }
        RandomChoices by_chance(1, 1500);
        const SmallResult chosen = run_small(program, model, by_chance);
        ASSERT_EQ(chosen.graphs.size(), all.graphs.size()) << text_of(program);
    }
}

TEST(ChosenRuns, ComeBackByTheirLine) {
    RandomPrograms random(5);
    for (int count = 0; count < 100 && !testing::Test::HasFatalFailure(); ++count) {
        const Model model = count % 2 == 0 ? Model::kC11 : Model::kSc;
        const SmallProgram program = random.draw(7);
        RandomChoices by_chance(1, 10);
        for (const SmallResult& runs :
             {explore_small(program, model), run_small(program, model, by_chance)}) {
            for (const auto& [graph, line] : runs.lines) {
                const std::optional<RunLine> parsed = parse_run_line(line);
                ASSERT_TRUE(parsed.has_value()) << line;
                ScriptedChoices script(*parsed);
                const SmallResult again = run_small(program, parsed->model, script);
                ASSERT_FALSE(script.is_another_program()) << line << "\n" << text_of(program);
                ASSERT_EQ(again.graphs.size(), 1U) << line << "\n" << text_of(program);
                ASSERT_EQ(again.graphs.begin()->first, graph) << line << "\n" << text_of(program);
            }
        }
    }
}

TEST(RunLines, RefuseWhatIsNone) {
    for (const char* text : {"", "threads1:", "threads1:c12:a", "threads2:c11:a", "threads1:c11:1a",
                             "threads1:c11:aq", "threads1:sc:a99999999999"}) {
        EXPECT_FALSE(parse_run_line(text).has_value()) << text;
    }
    const std::optional<RunLine> line = parse_run_line("threads1:sc:ab12a");
    ASSERT_TRUE(line.has_value());
    EXPECT_EQ(line->model, Model::kSc);
    ASSERT_EQ(line->steps.size(), 3U);
    EXPECT_EQ(line->steps[1].number, 12U);
}

}  // namespace
}  // namespace lockkeeper::threads
