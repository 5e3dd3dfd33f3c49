// SPDX-License-Identifier: Apache-2.0

// Histories of a small pool, right and with one planted bug each, and what `pool:N` says of them.
#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "validate/histories/pool_words_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_pools;

enum class Bug : std::uint8_t {
    kNone,
    kOneTooMany,
    kLendsTwice,
    kLendsDestroyed,
    kForgetsWaiter,
    kCancelLosesPlace,
    kDestroyLosesPlace,
    kBrokenLosesPlace,
    kServesCancelled,
    kServesAfterClose,
    kLeavesWaitersAtClose,
};

// Records what callers of the pool see; each number is what one of them does next.
class RecordedPool {
  public:
    RecordedPool(std::size_t places, Bug bug) : places_(places), bug_(bug) {
        history_.file = "pool";
    }

    RecordedHistory run(const std::vector<std::uint32_t>& numbers) {
        for (const std::uint32_t number : numbers) {
            act(callers_[number % callers_.size()], number / callers_.size());
        }
        for (Caller& caller : callers_) {
            if (caller.is_opening) {
                end_opening(caller, 3);
            }
        }
        for (const Caller& caller : callers_) {
            if (caller.is_waiting) {
                add(HistoryType::kInfo, caller.name, "acquire", "still waiting");
            }
        }
        return std::move(history_);
    }

  private:
    struct Caller {
        const char* name;
        bool is_waiting = false;
        bool is_opening = false;      // its own connection, which has a place meanwhile
        std::string connection = {};  // that it has
    };

    Record& add(HistoryType type, const std::string& process, const char* f,
                const char* error = "") {
        Record record;
        record.type = type;
        record.process = process;
        record.f = f;
        record.error = error;
        history_.records.push_back(record);
        return history_.records.back();
    }
    void add_call(const std::string& process, const char* f, const char* name,
                  const std::string& value) {
        add(HistoryType::kInvoke, process, f).value.set(name, Datum::of(value));
        add(HistoryType::kOk, process, f).value.set(name, Datum::of(value));
    }

    void act(Caller& caller, std::size_t what) {
        if (caller.is_waiting) {
            what % 4 == 0   ? give_up(caller)
            : what % 4 == 1 ? cancel(caller)
            : what % 4 == 2 ? leave(caller, "timed out")
                            : static_cast<void>(0);
        } else if (caller.is_opening) {
            end_opening(caller, what % 5);
        } else if (!caller.connection.empty()) {
            // The reaper may come too late.
            what % 5 == 4 ? cancel(caller) : give_back(caller, what % 3 == 0);
        } else if (what % 16 == 0) {
            close();
        } else {
            acquire(caller);
        }
    }
    void acquire(Caller& caller) {
        add(HistoryType::kInvoke, caller.name, "acquire");
        const bool is_shut = is_shut_ && bug_ != Bug::kServesAfterClose;
        const std::size_t most = places_ + (bug_ == Bug::kOneTooMany ? 1 : 0);
        if (is_shut) {
            add(HistoryType::kFail, caller.name, "acquire", "closed");
        } else if (used_ < most && idle_.empty()) {
            ++used_;
            caller.is_opening = true;
        } else if (used_ < most) {
            ++used_;
            lend(caller);
        } else {
            caller.is_waiting = true;
            waiting_.push_back(&caller);
        }
    }
    void end_opening(Caller& caller, std::size_t how) {
        const bool is_shut = is_shut_ && bug_ != Bug::kServesAfterClose;
        if (!is_shut && (how > 2 || (how == 2 && bug_ == Bug::kServesCancelled))) {
            idle_.push_front("c" + std::to_string(++opened_));
            lend(caller);
            return;
        }
        if (!is_shut && how == 2) {
            add_call("reaper", "cancel", "client", caller.name);
        }
        add(HistoryType::kFail, caller.name, "acquire",
            is_shut    ? "closed"
            : how == 0 ? "broken"
            : how == 1 ? "cancelled"
                       : "cancelled by the reaper");
        caller.is_opening = false;
        if (bug_ != Bug::kBrokenLosesPlace) {
            serve_next();
        }
    }
    void lend(Caller& caller) {
        caller.is_waiting = caller.is_opening = false;
        if (idle_.empty()) {
            idle_.push_back("c" + std::to_string(++opened_));
        }
        caller.connection = idle_.front();
        if (bug_ != Bug::kLendsTwice || used_ < 2) {
            idle_.pop_front();
        }
        add(HistoryType::kOk, caller.name, "acquire")
            .value.set("connection", Datum::of(caller.connection));
    }
    void give_back(Caller& caller, bool destroys) {
        add_call(caller.name, destroys ? "destroy" : "release", "connection", caller.connection);
        if (!destroys || bug_ == Bug::kLendsDestroyed) {
            idle_.push_back(caller.connection);
        }
        caller.connection.clear();
        if (!destroys || bug_ != Bug::kDestroyLosesPlace) {
            serve_next();
        }
    }
    void serve_next() {
        if (waiting_.empty() || bug_ == Bug::kForgetsWaiter) {
            --used_;
            return;
        }
        Caller* const next = waiting_.front();
        waiting_.pop_front();
        if (next != nullptr) {  // else the place goes with who was cancelled
            lend(*next);
        }
    }
    void leave(Caller& caller, const char* error) {
        const auto place = std::find(waiting_.begin(), waiting_.end(), &caller);
        if (place == waiting_.end()) {
            return;
        }
        if (bug_ == Bug::kCancelLosesPlace) {
            *place = nullptr;
        } else {
            waiting_.erase(place);
        }
        caller.is_waiting = false;
        add(HistoryType::kFail, caller.name, "acquire", error);
    }
    void give_up(Caller& caller) { leave(caller, "cancelled"); }
    void cancel(Caller& caller) {
        add_call("reaper", "cancel", "client", caller.name);
        if (bug_ != Bug::kServesCancelled) {
            leave(caller, "cancelled by the reaper");
        }
    }
    void close() {
        add(HistoryType::kInvoke, "owner", "close");
        add(HistoryType::kOk, "owner", "close");
        is_shut_ = true;
        while (!waiting_.empty() && bug_ != Bug::kLeavesWaitersAtClose) {
            Caller* const next = waiting_.front();
            next == nullptr ? waiting_.pop_front() : leave(*next, "closed");
            if (!waiting_.empty() && waiting_.front() == nullptr) {
                waiting_.pop_front();
            }
        }
    }

    std::size_t places_;
    Bug bug_;
    std::size_t used_ = 0;
    std::size_t opened_ = 0;
    bool is_shut_ = false;
    std::deque<std::string> idle_;
    std::deque<Caller*> waiting_;
    std::array<Caller, 5> callers_{Caller{"1"}, Caller{"2"}, Caller{"3"}, Caller{"4"}, Caller{"5"}};
    RecordedHistory history_;
};

// By reason: how many of 150 random histories the model refuses.
std::map<std::string, int> refused(std::size_t places, Bug bug) {
    std::uint32_t random = 7;
    std::map<std::string, int> reasons;
    for (int i = 0; i < 150; ++i) {
        const RecordedHistory history =
            RecordedPool(places, bug).run(pseudo_random_numbers(30, random));
        const HistoryCheck check = checked_pool(history, "pool:" + std::to_string(places));
        if (is<Violated>(check.verdict)) {
            ++reasons[check.explanations.front().reason];
        } else {
            EXPECT_TRUE(is<Passed>(check.verdict)) << check.limit;
        }
    }
    return reasons;
}

TEST(PoolHistories, OfARightPoolOfOneOrThreePlacesPass) {
    for (const std::size_t places : {std::size_t{1}, std::size_t{3}}) {
        EXPECT_TRUE(refused(places, Bug::kNone).empty()) << places;
    }
}

struct Planted {
    Bug bug;
    const char* reason;  // some history of one place is refused for it
};
class PlantedInPools : public ::testing::TestWithParam<Planted> {};

TEST_P(PlantedInPools, IsFoundWithOnePlaceAndWithThree) {
    EXPECT_GT(refused(1, GetParam().bug)[GetParam().reason], 0);
    EXPECT_FALSE(refused(3, GetParam().bug).empty());
}

INSTANTIATE_TEST_SUITE_P(
    Histories, PlantedInPools,
    ::testing::Values(Planted{Bug::kOneTooMany, "1 of 1 lent"},
                      Planted{Bug::kLendsDestroyed, "that connection was destroyed before"},
                      Planted{Bug::kForgetsWaiter, "a place is free, and the caller waits"},
                      Planted{Bug::kCancelLosesPlace, "a place is free, and the caller waits"},
                      Planted{Bug::kDestroyLosesPlace, "a place is free, and the caller waits"},
                      Planted{Bug::kBrokenLosesPlace, "a place is free, and the caller waits"},
                      Planted{Bug::kServesCancelled, "the caller was cancelled before"},
                      Planted{Bug::kServesAfterClose, "the pool was shut down before"},
                      Planted{Bug::kLeavesWaitersAtClose,
                              "the pool is shut down, and the caller waits"}));

TEST(PoolHistories, AConnectionThatIsLentTwiceIsNoMatterOfHowMany) {
    EXPECT_GT(refused(3, Bug::kLendsTwice)["that connection is lent to another"], 0);
}

// B waits from 2 to 8 for 5; A gives the only place back at `released`.
std::string timed_out(int released) {
    const std::string at = std::to_string(released);
    return R"({"time":0,"process":"A","type":"invoke","f":"acquire"}
{"time":1,"process":"A","type":"ok","f":"acquire"}
{"time":2,"process":"B","type":"invoke","f":"acquire","value":{"timeout":5}}
{"time":)" +
           at + R"(,"process":"A","type":"invoke","f":"release"}
{"time":)" +
           at + R"(,"process":"A","type":"ok","f":"release"}
{"time":8,"process":"B","type":"fail","f":"acquire","error":"timed out"})";
}

TEST(PoolHistories, ATimeOutBesideAFreePlaceIsJudgedWhereItsTimeIsKnown) {
    const std::string early = timed_out(3);
    EXPECT_EQ(kPassed, name_of(checked_pool(pool_history(early), "pool:1").verdict));
    const HistoryCheck check = checked_pool(pool_history(early), "pool:1,error=1");
    ASSERT_EQ(kViolated, name_of(check.verdict));
    EXPECT_EQ("a place was free: the caller should have been served",
              check.explanations.front().reason);
    EXPECT_EQ(2U, check.explanations.front().invocation);  // its call, and not the moment
    // Freed within the error of the end of the wait, or after it.
    EXPECT_EQ(kPassed, name_of(checked_pool(pool_history(timed_out(6)), "pool:1,error=1").verdict));
    EXPECT_EQ(kPassed, name_of(checked_pool(pool_history(timed_out(7)), "pool:1,error=0").verdict));
}

TEST(PoolHistories, ThatSayTooLittleAreRefused) {
    const auto message = [](const std::string& lines, const char* model) {
        const auto checked = check_history(pool_history(lines), model_of(model));
        const auto* error = std::get_if<HistoryError>(&checked);
        return error == nullptr ? "" : error->message;
    };
    const std::string call = R"({"process":"A","type":"invoke","f":)";
    const std::string answer = R"({"process":"A","type":"ok","f":)";
    const std::string named = call + "\"acquire\"}\n" + answer +
                              R"("acquire","value":{"connection":"c1"}})" + "\n" + call +
                              "\"release\"}\n";
    EXPECT_EQ("does not say its \"connection\", and other calls do", message(named, "pool:1"));
    EXPECT_EQ("a cancel says its \"client\": whose acquire it ends",
              message(call + "\"cancel\"}", "pool:1"));
    EXPECT_EQ("the model looks at times; \"time\" must be there and not below 0",
              message(call + "\"acquire\"}", "pool:1,error=1"));
    EXPECT_EQ("\"close\" is no operation of mutex (acquire, release, write, exit)",
              message(call + "\"close\"}", "mutex"));
    EXPECT_EQ("\"renew\" is no operation of pool (acquire, release, destroy, cancel, close)",
              message(call + "\"renew\"}", "pool:1"));
}

TEST(PoolHistories, TheirModelSaysHowManyPlaces) {
    const auto problem = [](const char* text) {
        const auto parsed = parse_model(text);
        const auto* error = std::get_if<ModelError>(&parsed);
        return error == nullptr ? "" : error->message;
    };
    EXPECT_EQ("pool: needs the number of places, as in pool:10", problem("pool"));
    EXPECT_EQ("pool: \"places\" is a whole number from 1 to 1000000, not \"0\"", problem("pool:0"));
    EXPECT_EQ("pool: \"refusals\" is judged or ignored: each caller waits for one place",
              problem("pool:1,refusals=fair"));
    EXPECT_EQ("pool: has no parameter \"writes\"", problem("pool:1,writes=holder"));
    EXPECT_EQ("", problem("pool:places=3,error=0.5,refusals=ignored"));
}

}  // namespace
}  // namespace lockkeeper
