// SPDX-License-Identifier: Apache-2.0

// A time limit or an interrupt ends a run in its middle: no verdict on the program, and nothing
// that was found is lost. The children hang for ever, and --answer-time is far longer than the
// tests, so that only the limit under test can end them.
#include <nlohmann/json.hpp>

#include "scheduler/search/explore.hpp"
#include "validate/programs/black_box.hpp"
#include "validate/programs/outside_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_outside;

constexpr double kLimit = 0.3;
constexpr double kMuchLess = 30;  // than an answer may take: a loaded machine is no verdict

OutsideOptions limited() {
    OutsideOptions options;
    options.seconds_max = kLimit;
    return options;
}

// Interrupts at the `at`-th line to the program that has the word.
class Interrupts {
  public:
    Interrupts(std::string word, int at) : word_(std::move(word)), at_(at) {}
    ~Interrupts() { clear_interrupt(); }
    Interrupts(const Interrupts&) = delete;
    Interrupts& operator=(const Interrupts&) = delete;
    void attach_to(ProgramOptions& options) {
        options.on_line = [this](const std::string& line) {
            if (line.starts_with("> ") && line.find(word_) != std::string::npos && --at_ == 0) {
                request_interrupt();
            }
        };
    }

  private:
    std::string word_;
    int at_;
};

TEST(TimeLimit, EndsASteppedRunThatHangs) {
    NEEDS_TOOL("python3");
    for (const char* mode : {"hangs", "hangs-at-init"}) {
        const Searched searched(child(mode), pairs(1, 1), limited());
        EXPECT_EQ("nothing", searched.found());
        EXPECT_FALSE(searched.result.complete);
        EXPECT_EQ("time", searched.result.limit);
        EXPECT_EQ(0U, searched.result.schedules);
        EXPECT_LT(searched.result.seconds, kMuchLess);
    }
}

TEST(TimeLimit, OfAProgramThatDoesNotReadIsMetToo) {
    Program program(
        options_for("echo '"
                    R"({"src":"n1","dest":"harness","body":)"
                    R"({"type":"init_ok","in_reply_to":1}})"
                    "'; exec sleep 600",
                    pairs(1, 1)));
    program.start();
    program.stop_by({moment_after(kLimit)});
    const std::string text(kLineBytesMax, 'x');
    EXPECT_THROW(
        for (int i = 0; i < 64; ++i) {
            (void)program.ask("A1", "acquire", {{"key", text}});
        },
        Stopped);
}

TEST(TimeLimit, AnInterruptEndsASteppedRunThatHangs) {
    NEEDS_TOOL("python3");
    OutsideWorld world = pairs(1, 1);
    ProgramOptions options = options_for(child("hangs"), world);
    Interrupts interrupts("\"acquire\"", 1);
    interrupts.attach_to(options);
    Program program(options);
    const OutsideResult result = SteppedSearch(program, world, {}).search();
    EXPECT_FALSE(result.finding || result.complete);
    EXPECT_EQ("interrupted", result.limit);
    EXPECT_LT(result.seconds, kMuchLess);
}

TEST(TimeLimit, AShrinkingThatIsNotFinishedKeepsWhatItHas) {
    NEEDS_TOOL("python3");
    const std::string command = child("hangs-later");
    // One caller: a search of one run.
    const Searched searched(command, pairs(1, 1));
    ASSERT_EQ("double-release", searched.found());
    const OutsideFinding& found = *searched.result.finding;
    // The program of its own has been reset once; every further run hangs.
    SteppedSearch again(*searched.program, searched.world, limited());
    EXPECT_EQ(found.actions, again.shrink(found).actions);
    const Searched fresh(command, pairs(1, 1));
    SteppedSearch late(*fresh.program, fresh.world, limited());
    const OutsideTrace trace = late.show(found);
    EXPECT_TRUE(trace.stopped);
    EXPECT_FALSE(trace.misbehaviour.has_value());
}

TEST(TimeLimit, AnInterruptEndsAShrinkingAndWhatWasFoundIsStillShown) {
    NEEDS_TOOL("python3");
    OutsideWorld world = pairs(2, 1);
    ProgramOptions options = options_for(example("python3", "counter.py"), world);
    Program program(options);
    SteppedSearch search(program, world, {});
    const OutsideResult result = search.search();
    ASSERT_TRUE(result.finding.has_value());
    request_interrupt();
    const OutsideFinding kept = search.shrink(*result.finding);
    const OutsideTrace trace = search.show(kept);
    clear_interrupt();
    EXPECT_EQ(result.finding->actions, kept.actions);
    // Half a second is enough on most machines; on the others it is a part, and nothing else.
    EXPECT_TRUE(trace.stopped || trace.violated == std::vector{result.finding->property});
}

BlackBoxResult run_limited(ProgramOptions program, const OutsideWorld& world, double seconds) {
    BlackBoxOptions options;
    options.schedules_max = 1;
    options.seconds_max = seconds;
    options.model = std::get<ModelChoice>(parse_model("mutex"));
    options.check.ladder = false;
    program.stepped = false;
    return run_black_box(program, world, options);
}

TEST(TimeLimit, EndsABlackBoxRunThatHangs) {
    NEEDS_TOOL("python3");
    const OutsideWorld world = pairs(2, 1);
    for (const char* mode : {"never-answers", "hangs-at-init"}) {
        const BlackBoxResult result = run_limited(options_for(child(mode), world), world, kLimit);
        EXPECT_FALSE(result.misbehaviour) << result.detail;
        EXPECT_FALSE(is<Violated>(result.verdict));
        EXPECT_EQ("time", result.limit);  // although it was the only run that was asked for
        EXPECT_LT(result.seconds, kMuchLess);
    }
}

TEST(TimeLimit, AnInterruptEndsABlackBoxRunThatHangs) {
    NEEDS_TOOL("python3");
    const OutsideWorld world = pairs(2, 1);
    ProgramOptions options = options_for(child("never-answers"), world);
    Interrupts interrupts("\"acquire\"", 2);
    interrupts.attach_to(options);
    const BlackBoxResult result = run_limited(options, world, 1e18);
    EXPECT_FALSE(result.misbehaviour) << result.detail;
    EXPECT_EQ("interrupted", result.limit);
    EXPECT_EQ(2U, result.history.records.size());
}

}  // namespace
}  // namespace lockkeeper
