// SPDX-License-Identifier: Apache-2.0
#include "validate/threads/marked/judge_marks.hpp"

#include <gtest/gtest.h>

#include "validate/threads/marked/order_of_marks.hpp"

namespace lockkeeper::threads {
namespace {

using What = Mark::What;
constexpr int kLock = 0;

// Threads with events of one variable, in the order in which they are written down, and marks
// between them. A read-modify-write comes behind all of the variable before it.
class MarkedGraph {
  public:
    explicit MarkedGraph(std::uint32_t capacity = 1) : capacity_(capacity) {}

    MarkedGraph& mark(Thread thread, What what, std::uint32_t units = 1, bool has_end = false) {
        Mark made;
        made.what = what;
        made.thread = thread;
        made.at = graph_.length(thread);
        made.lock = &kLock;
        made.capacity = capacity_;
        made.units = units;
        made.has_end = has_end;
        marks_.push_back(made);
        return *this;
    }
    MarkedGraph& change(Thread thread, Location location = 0) {
        Event load;
        load.kind = Kind::kLoad;
        load.is_rmw = true;
        load.location = location;
        const auto stores = graph_.stores(location);
        load.from = stores.empty() ? kInitial : stores.back();
        graph_.add(thread, load);
        Event store = load;
        store.kind = Kind::kStore;
        store.from = kInitial;
        const EventId added = graph_.add(thread, store);
        graph_.place(added, static_cast<std::uint32_t>(graph_.stores(location).size()));
        return *this;
    }
    // The calls from here on say so much.
    MarkedGraph& of(std::uint32_t capacity) {
        capacity_ = capacity;
        return *this;
    }
    MarkedGraph& acquire(Thread thread, std::uint32_t units = 1) {
        return mark(thread, What::kAcquiring, units).change(thread).mark(thread, What::kAcquired);
    }
    MarkedGraph& refuse(Thread thread) {
        return mark(thread, What::kAcquiring).change(thread).mark(thread, What::kRefused);
    }
    MarkedGraph& release(Thread thread) {
        return mark(thread, What::kReleasing).change(thread).mark(thread, What::kReleased);
    }
    MarkedGraph& look(Thread thread, std::uint32_t units) {
        return mark(thread, What::kLook).change(thread).mark(thread, What::kAtRest, units);
    }

    // "P1" or "passed".
    [[nodiscard]] std::string verdict(std::optional<int> only = std::nullopt) const {
        MarksJudge judge(only);
        const std::optional<BrokenPromise> broken = judge.judge(marks_, graph_);
        return broken ? "P" + std::to_string(broken->property->number) : "passed";
    }
    [[nodiscard]] std::size_t orders() const {
        std::size_t count = 0;
        EXPECT_TRUE(
            OrderOfMarks(marks_, graph_).visit(100'000, [&](const auto& order, const auto&) {
                EXPECT_EQ(order.size(), marks_.size());
                ++count;
                return true;
            }));
        return count;
    }
    [[nodiscard]] const std::vector<Mark>& marks() const { return marks_; }
    [[nodiscard]] const Graph& graph() const { return graph_; }

  private:
    std::uint32_t capacity_;
    Graph graph_;
    std::vector<Mark> marks_;
};

MarkedGraph lock() { return MarkedGraph(); }
MarkedGraph of_three() { return MarkedGraph(3); }

TEST(MarksJudge, SectionsBehindEachOtherKeepEveryPromise) {
    EXPECT_EQ(lock().acquire(0).release(0).acquire(1).release(1).look(0, 1).verdict(), "passed");
    EXPECT_EQ(
        of_three().acquire(0).acquire(1).acquire(2).release(1).acquire(3).look(0, 0).verdict(),
        "passed");
}

TEST(MarksJudge, OneTooManyIsOverAllocation) {
    EXPECT_EQ(lock().acquire(0).acquire(1).release(0).release(1).verdict(), "P1");
    EXPECT_EQ(of_three().acquire(0).acquire(1).acquire(2).acquire(3).verdict(), "P1");
}

// The one that gives back has done so before the other asks, but nothing of the graph says it.
TEST(MarksJudge, SectionsThatNothingOrdersCanBeAtOnce) {
    MarkedGraph graph;
    graph.mark(0, What::kAcquiring).change(0, 0).mark(0, What::kAcquired);
    graph.mark(0, What::kReleasing).change(0, 0).mark(0, What::kReleased);
    graph.mark(1, What::kAcquiring).change(1, 1).mark(1, What::kAcquired);
    EXPECT_EQ(graph.verdict(), "P1");
}

TEST(MarksJudge, SeveralUnitsCountAsMany) {
    EXPECT_EQ(of_three().acquire(0, 2).acquire(1).release(0).acquire(1, 2).look(0, 0).verdict(),
              "passed");
    EXPECT_EQ(of_three().acquire(0, 2).acquire(1, 2).verdict(), "P1");
}

TEST(MarksJudge, ARefusalNeedsEnoughThatIsTaken) {
    EXPECT_EQ(lock().acquire(0).refuse(1).release(0).verdict(), "passed");
    EXPECT_EQ(lock().acquire(0).release(0).refuse(1).verdict(), "P3");
    EXPECT_EQ(of_three().acquire(0).acquire(1).acquire(2).refuse(3).verdict(), "passed");
    EXPECT_EQ(of_three().acquire(0).acquire(1).refuse(3).verdict(), "P3");
}

// Two of three, and a third that is given back before the fourth asks, in some order.
TEST(MarksJudge, SomeOrderIsEnoughForARefusalWithoutReason) {
    MarkedGraph graph(1);
    graph.mark(0, What::kAcquiring).change(0, 0).mark(0, What::kAcquired);
    graph.mark(0, What::kReleasing).change(0, 0).mark(0, What::kReleased);
    graph.mark(1, What::kAcquiring).change(1, 1).mark(1, What::kRefused);
    EXPECT_EQ(graph.verdict(), "P3");
}

TEST(MarksJudge, AtRestAsMuchIsFreeAsNobodyHolds) {
    EXPECT_EQ(lock().acquire(0).release(0).look(0, 0).verdict(), "P2");
    EXPECT_EQ(lock().acquire(0).release(0).look(0, 2).verdict(), "P4");
    EXPECT_EQ(of_three().acquire(0).acquire(1).release(1).look(1, 2).verdict(), "passed");
    EXPECT_EQ(of_three().acquire(0).acquire(1).release(1).look(1, 1).verdict(), "P2");
    EXPECT_EQ(of_three().acquire(0).acquire(1).release(1).look(1, 3).verdict(), "P4");
}

// A limiter changes how much it has, and may be smaller or larger at rest than it ever was.
TEST(MarksJudge, EachCallSaysHowMuchThereIs) {
    const auto grows = [] { return lock().acquire(0).of(2).acquire(1); };
    EXPECT_EQ(grows().verdict(), "passed");
    EXPECT_EQ(grows().release(0).of(1).acquire(0).verdict(), "P1");
    EXPECT_EQ(grows().release(0).of(1).refuse(0).verdict(), "passed");
    EXPECT_EQ(grows().release(0).refuse(0).verdict(), "P3");
    EXPECT_EQ(of_three().refuse(0).verdict(), "P3");
    for (const std::uint32_t at_rest : {1U, 5U}) {
        const auto rest = [&](std::uint32_t units) {
            return of_three().acquire(0).release(0).of(at_rest).look(0, units).verdict();
        };
        EXPECT_EQ(rest(at_rest), "passed");
        EXPECT_EQ(rest(at_rest - 1), "P2");
        EXPECT_EQ(rest(at_rest + 1), "P4");
    }
}

// Nobody holds the lock that one asks for while others, who see more of it, have all they see.
TEST(MarksJudge, ACallThatHasNoAnswerBreaksNothing) {
    EXPECT_EQ(lock().mark(0, What::kAcquiring).change(0).of(2).acquire(1).acquire(2).verdict(),
              "passed");
}

// Somebody acquires while the other looks.
TEST(MarksJudge, WhatIsNotAtRestDecidesNothing) {
    MarkedGraph graph(3);
    graph.acquire(0).mark(0, What::kLook).change(0).acquire(1).change(0);
    graph.mark(0, What::kAtRest, 3);
    EXPECT_EQ(graph.verdict(), "passed");
    EXPECT_EQ(of_three().mark(1, What::kAcquiring).change(1).look(0, 1).verdict(), "passed");
}

TEST(MarksJudge, ALockThatExpiresIsHeldUntilItsHolderKnows) {
    const auto lease = [](bool is_told) {
        MarkedGraph graph;
        graph.mark(0, What::kAcquiring).change(0).mark(0, What::kAcquired, 1, true);
        if (is_told) {
            graph.mark(0, What::kExpired).change(0);
        }
        graph.mark(1, What::kAcquiring).change(1).mark(1, What::kAcquired, 1, true);
        return graph;
    };
    EXPECT_EQ(lease(true).verdict(), "passed");
    EXPECT_EQ(lease(false).verdict(), "P17");
}

TEST(MarksJudge, AReleaseOfALostLockDoesNotSayOk) {
    const auto lease = [](What answer) {
        MarkedGraph graph;
        graph.mark(0, What::kAcquiring).change(0).mark(0, What::kAcquired, 1, true);
        graph.mark(0, What::kExpired).change(0);
        graph.mark(1, What::kAcquiring).change(1).mark(1, What::kAcquired, 1, true);
        return graph.mark(0, What::kReleasing).change(0).mark(0, answer);
    };
    EXPECT_EQ(lease(What::kLost).verdict(), "passed");
    EXPECT_EQ(lease(What::kReleased).verdict(), "P21");
}

// Where P1 is not judged, the models of histories see it.
TEST(MarksJudge, NoCorrectLockHasTheseCalls) {
    constexpr int kUnexplained = 29;
    EXPECT_EQ(lock().acquire(0).acquire(1).verdict(kUnexplained), "P29");
    EXPECT_EQ(lock().acquire(0).release(0).acquire(1).verdict(kUnexplained), "passed");
    EXPECT_EQ(of_three().acquire(0).acquire(1).acquire(2).acquire(3).verdict(kUnexplained), "P29");
    EXPECT_EQ(of_three().acquire(0, 2).acquire(2).verdict(kUnexplained), "passed");
}

TEST(MarksJudge, EachLockIsJudgedByItself) {
    MarkedGraph graph;
    graph.acquire(0).acquire(1);
    std::vector<Mark> marks = graph.marks();
    constexpr int kOther = 0;
    for (Mark& mark : marks) {
        mark.lock = mark.thread == 0 ? &kLock : &kOther;
    }
    MarksJudge judge;
    EXPECT_FALSE(judge.judge(marks, graph.graph()).has_value());
}

TEST(MarksJudge, SaysWhatItHasJudged) {
    MarkedGraph graph;
    graph.acquire(0).release(0).look(0, 1);
    MarksJudge judge;
    EXPECT_EQ(judge.text(), "");
    judge.warm_up();
    EXPECT_EQ(judge.text(), "");
    EXPECT_FALSE(judge.judge(graph.marks(), graph.graph()).has_value());
    EXPECT_NE(judge.text().find("judged: P1 over-allocation, P2 leak, P4"), std::string::npos)
        << judge.text();
    EXPECT_NE(judge.text().find("without a case: P3 under-allocation, P17"), std::string::npos)
        << judge.text();
}

// A violation is found again, however often it is asked for.
TEST(MarksJudge, FindsTheSameTwice) {
    MarkedGraph graph;
    graph.acquire(0).acquire(1);
    MarksJudge judge;
    for (int time = 0; time < 2; ++time) {
        const std::optional<BrokenPromise> broken = judge.judge(graph.marks(), graph.graph());
        ASSERT_TRUE(broken.has_value());
        EXPECT_EQ(broken->order, (std::vector<std::size_t>{0, 1, 2, 3}));
        EXPECT_EQ(broken->other, std::optional<std::size_t>(1));
    }
}

// The second asks before the first has the lock, before it gives it back, or behind that.
TEST(OrderOfMarks, ACallCanBeginLongBeforeItsEffect) {
    EXPECT_EQ(lock().acquire(0).release(0).acquire(1).release(1).orders(), 3U);
}

TEST(OrderOfMarks, ItDoesNotMatterWhichThreadDoesWhat) {
    const auto text = [](Thread one, Thread other) {
        const MarkedGraph graph =
            MarkedGraph().acquire(one).release(one).acquire(other).release(other);
        return OrderOfMarks(graph.marks(), graph.graph()).text();
    };
    EXPECT_EQ(text(0, 1), text(1, 0));
    EXPECT_EQ(text(0, 1), text(5, 2));
    const MarkedGraph another = MarkedGraph().acquire(0).acquire(1).release(0).release(1);
    EXPECT_NE(text(0, 1), OrderOfMarks(another.marks(), another.graph()).text());
}

// Each returns before the other is called. At once is no stricter.
TEST(OrderOfMarks, CallsThatNothingOrdersComeInBothOrders) {
    MarkedGraph graph;
    graph.mark(0, What::kAcquiring).change(0, 0).mark(0, What::kRefused);
    graph.mark(1, What::kAcquiring).change(1, 1).mark(1, What::kRefused);
    EXPECT_EQ(graph.orders(), 2U);
}

// Store buffering: each has written before the other reads, and has read before the other writes.
TEST(OrderOfMarks, WeakMemoryLeavesCausesAlone) {
    Graph graph;
    std::vector<Mark> marks;
    for (Thread thread = 0; thread < 2; ++thread) {
        Event store;
        store.kind = Kind::kStore;
        store.location = thread;
        const EventId stored = graph.add(thread, store);
        graph.place(stored, 0);
        Mark mark;
        mark.what = What::kAcquiring;
        mark.thread = thread;
        mark.at = 1;
        mark.lock = &kLock;
        marks.push_back(mark);
        Event load;
        load.kind = Kind::kLoad;
        load.location = 1U - thread;
        graph.add(thread, load);
        mark.what = What::kAcquired;
        mark.at = 2;
        marks.push_back(mark);
    }
    MarksJudge judge;
    const std::optional<BrokenPromise> broken = judge.judge(marks, graph);
    ASSERT_TRUE(broken.has_value());
    EXPECT_EQ(broken->property->number, 1);
}

TEST(OrderOfMarks, SaysThatThereAreMore) {
    MarkedGraph graph(9);
    for (Thread thread = 0; thread < 8; ++thread) {
        graph.mark(thread, What::kAcquiring).change(thread, thread).mark(thread, What::kRefused);
    }
    EXPECT_FALSE(OrderOfMarks(graph.marks(), graph.graph()).visit(50, [](const auto&, const auto&) {
        return true;
    }));
}

}  // namespace
}  // namespace lockkeeper::threads
