// SPDX-License-Identifier: Apache-2.0
#include "validate/programs/child_process.hpp"

#include <signal.h>

#include <optional>

#include <gtest/gtest.h>

#include "validate/processes/processes_test.hpp"

namespace lockkeeper {
namespace {

using std::chrono::milliseconds;

Moment in(int milli) { return SteadyClock::now() + milliseconds(milli); }

std::string line_of(ChildProcess& child) {
    std::string line;
    EXPECT_EQ(ChildProcess::Read::kLine, child.read_line(line, in(60'000)));
    return line;
}

template <class Run>
Misbehaviour kind_of(Run run, std::string* text = nullptr) {
    try {
        run();
    } catch (const Misbehaved& error) {
        if (text != nullptr) {
            *text = error.what();
        }
        return error.kind();
    }
    ADD_FAILURE() << "it behaved";
    return Misbehaviour::kCannotStart;
}

TEST(ChildProcess, LinesGoThroughWhole) {
    ChildProcess child("cat");
    child.write_line("one", in(60'000));
    child.write_line("two", in(60'000));
    EXPECT_EQ("one", line_of(child));
    EXPECT_EQ("two", line_of(child));
}

TEST(ChildProcess, ALongLineDoesNotBlockAChildThatAnswersMeanwhile) {
    ChildProcess child("cat");
    const std::string line(kLineBytesMax, 'x');
    for (int i = 0; i < 4; ++i) {
        child.write_line(line, in(60'000));
    }
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(line, line_of(child));
    }
}

// Else a set of texts in Python has another order in each process; whoever wants that says so.
TEST(ChildProcess, HashesAreTheSameInEachProcess) {
    unsetenv("PYTHONHASHSEED");
    ChildProcess unasked("echo $PYTHONHASHSEED; exec cat");
    EXPECT_EQ("0", line_of(unasked));
    ChildProcess asked("export PYTHONHASHSEED=7; echo $PYTHONHASHSEED; exec cat");
    EXPECT_EQ("7", line_of(asked));
    setenv("PYTHONHASHSEED", "random", 1);
    ChildProcess outside("echo $PYTHONHASHSEED; exec cat");
    unsetenv("PYTHONHASHSEED");
    EXPECT_EQ("random", line_of(outside));
}

TEST(ChildProcess, TheDeadlineIsMet) {
    ChildProcess child("cat");
    std::string line;
    EXPECT_EQ(ChildProcess::Read::kNothingYet, child.read_line(line, in(10)));
}

TEST(ChildProcess, AnEndIsToldWithItsStatusAndWhatWasWrittenBefore) {
    ChildProcess child("echo last; echo why >&2; exit 7");
    EXPECT_EQ("last", line_of(child));
    std::string text;
    std::string line;
    EXPECT_EQ(Misbehaviour::kDied,
              kind_of([&] { (void)child.read_line(line, in(60'000)); }, &text));
    EXPECT_EQ("ended with exit status 7", text);
    EXPECT_EQ("why\n", child.last_words());
}

TEST(ChildProcess, WhatItHadWrittenIsThereWhenAWriteNoticesItsEnd) {
    ChildProcess child("exec 0<&-; echo first; echo second; exit 3");
    const auto write = [&] {
        for (;;) {  // until nobody is there any more who could read it
            child.write_line("hello", in(60'000));
        }
    };
    EXPECT_EQ(Misbehaviour::kDied, kind_of(write));
    std::string line;
    EXPECT_TRUE(child.line_left(line));
    EXPECT_EQ("first", line);
    EXPECT_TRUE(child.line_left(line));
    EXPECT_EQ("second", line);
    EXPECT_FALSE(child.line_left(line));
}

TEST(ChildProcess, ASignalIsToldToo) {
    ChildProcess child("kill -SEGV $$");
    std::string text;
    std::string line;
    EXPECT_EQ(Misbehaviour::kDied,
              kind_of([&] { (void)child.read_line(line, in(60'000)); }, &text));
    EXPECT_EQ("ended by signal 11", text);
}

TEST(ChildProcess, WritingToAClosedStdinIsNoSignal) {
    ChildProcess child("exec 0<&-; echo closed; exec sleep 600");
    EXPECT_EQ("closed", line_of(child));
    EXPECT_EQ(Misbehaviour::kDeaf, kind_of([&] { child.write_line("hello", in(60'000)); }));
}

TEST(ChildProcess, AChildThatDoesNotReadIsNotWaitedForForEver) {
    ChildProcess child("exec sleep 600");
    const std::string line(kLineBytesMax, 'x');
    EXPECT_EQ(Misbehaviour::kHung, kind_of([&] {
                  for (int i = 0; i < 64; ++i) {
                      child.write_line(line, in(20));
                  }
              }));
}

TEST(ChildProcess, ALineWithoutEndIsAFlood) {
    ChildProcess child("yes x | tr -d '\\n'");
    std::string line;
    EXPECT_EQ(Misbehaviour::kFlooded, kind_of([&] { (void)child.read_line(line, in(60'000)); }));
}

TEST(ChildProcess, OfStderrTheEndIsKept) {
    ChildProcess child("yes noise | head -c 198000 >&2; echo the end >&2; echo done");
    EXPECT_EQ("done", line_of(child));
    std::string line;
    (void)kind_of([&] { (void)child.read_line(line, in(60'000)); });
    EXPECT_LE(child.last_words().size(), kStderrBytesKept);
    EXPECT_TRUE(child.last_words().ends_with("noise\nthe end\n")) << child.last_words();
}

TEST(ChildProcess, NeitherZombiesNorGrandchildrenAreLeft) {
    std::optional<ChildProcess> child(std::in_place, "sleep 600 & echo $!; wait");
    const testing_processes::AnyProcess process(child->id());
    const testing_processes::AnyProcess grandchild(std::stoi(line_of(*child)));
    EXPECT_FALSE(process.ends_within(0));
    child.reset();
    EXPECT_EQ(-1, ::kill(process.id(), 0)) << "it was waited for";
    EXPECT_TRUE(grandchild.ends_within());
}

// A crash of a program is none of what it has left behind; the end of this process is
// (validate/processes/watcher_test.cpp).
TEST(ChildProcess, WhatHasLeftTheGroupLivesOnWhenItIsKilled) {
    std::optional<ChildProcess> child(std::in_place,
                                      "setsid sh -c 'sleep 600 & echo $!'; exec sleep 600");
    const testing_processes::AnyProcess daemon(std::stoi(line_of(*child)));
    child.reset();
    EXPECT_FALSE(daemon.ends_within(20));
    ::kill(daemon.id(), SIGKILL);
}

}  // namespace
}  // namespace lockkeeper
