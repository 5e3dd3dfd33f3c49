// SPDX-License-Identifier: Apache-2.0

// Refused acquires that free what another holds, and what the ladder says of them and of refusals
// where too many hold.
#include "validate/histories/freed_by_refused.hpp"

#include <map>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "validate/histories/random_history_test.hpp"

namespace lockkeeper {
namespace {

using testing_histories::model_of;

// "a invoke acquire", one record each.
RecordedHistory records_of(const std::vector<std::string>& records) {
    std::string text;
    for (const std::string& record : records) {
        const std::size_t first = record.find(' ');
        const std::size_t second = record.find(' ', first + 1);
        text += R"({"process":")" + record.substr(0, first) + R"(","type":")" +
                record.substr(first + 1, second - first - 1) + R"(","f":")" +
                record.substr(second + 1) + "\"}\n";
    }
    return std::get<RecordedHistory>(parse_history(text, "h"));
}

HistoryCheck checked_records(const std::vector<std::string>& records, const std::string& model) {
    return std::get<HistoryCheck>(check_history(records_of(records), model_of(model)));
}

Rung rung_of(const HistoryCheck& check, const std::string& name) {
    for (const Rung& rung : check.ladder) {
        if (rung.name == name) {
            return rung;
        }
    }
    throw std::invalid_argument(name);
}

std::string verdict_text(const Rung& rung) {
    return rung.verdict ? std::string(name_of(*rung.verdict)) : "not applicable";
}

constexpr const char* kFrees = "refused-but-frees";

// b takes the lock file of a, which lives, for an old one, removes it and gets nothing.
const std::vector<std::string> kThief{
    "a invoke acquire", "a ok acquire", "b invoke acquire", "b fail acquire",
    "c invoke acquire", "c ok acquire", "a invoke release", "a ok release",
    "c invoke release", "c ok release",
};

TEST(RefusedButFrees, TheRefusedCallIsBlamedAndNotTheGrantAfterIt) {
    for (const char* model : {"mutex", "owner-aware-mutex", "fenced-mutex"}) {
        const HistoryCheck check = checked_records(kThief, model);
        EXPECT_TRUE(is<Violated>(check.verdict)) << "a lock that does this is wrong";
        const Rung rung = rung_of(check, kFrees);
        EXPECT_EQ("passed", verdict_text(rung)) << model;
        EXPECT_EQ("1 call: the acquire by b (line 3) was refused, and freed what a held (line 1)",
                  rung.detail);
        EXPECT_EQ(kFrees, check.ladder[*check.tightest].name);
    }
}

TEST(RefusedButFrees, ACallThatCameTooLateExplainsNothing) {
    const HistoryCheck check =
        checked_records({"a invoke acquire", "a ok acquire", "c invoke acquire", "c ok acquire",
                         "b invoke acquire", "b fail acquire"},
                        "owner-aware-mutex");
    const Rung rung = rung_of(check, kFrees);
    EXPECT_EQ("violated", verdict_text(rung));
    EXPECT_EQ("no such call explains it", rung.detail);
}

// One call frees one hold: two grants too many need two of them.
TEST(RefusedButFrees, EachCallFreesOneHoldAndAsManyAsAreNeededAreFound) {
    std::vector<std::string> records = kThief;
    records.insert(records.begin() + 6, {"d invoke acquire", "d ok acquire"});
    EXPECT_EQ("violated", verdict_text(rung_of(checked_records(records, "mutex"), kFrees)));
    records.insert(records.begin() + 6, {"b invoke acquire", "b fail acquire"});
    const HistoryCheck check = checked_records(records, "mutex");
    EXPECT_EQ("passed", verdict_text(rung_of(check, kFrees)));
    EXPECT_EQ("2 calls, such as ", rung_of(check, kFrees).detail.substr(0, 17));
}

TEST(RefusedButFrees, OfItsOwnHoldACallFreesNothing) {
    EXPECT_EQ("violated",
              verdict_text(
                  rung_of(checked_records({"a invoke acquire", "a ok acquire", "a invoke acquire",
                                           "a fail acquire", "c invoke acquire", "c ok acquire"},
                                          "owner-aware-mutex"),
                          kFrees)));
}

TEST(RefusedButFrees, AHoldThatBeganDuringTheCallCanBeFreed) {
    EXPECT_EQ("passed", verdict_text(rung_of(
                            checked_records({"b invoke acquire", "a invoke acquire", "a ok acquire",
                                             "b fail acquire", "c invoke acquire", "c ok acquire"},
                                            "owner-aware-mutex"),
                            kFrees)));
}

TEST(RefusedButFrees, IsNotAskedWhereNothingNeedsItAndOfModelsThatCount) {
    const Rung good = rung_of(
        checked_records({"a invoke acquire", "a ok acquire", "b invoke acquire", "b fail acquire"},
                        "mutex"),
        kFrees);
    EXPECT_EQ("not applicable", verdict_text(good));
    EXPECT_EQ("nothing needs it", good.detail);
    EXPECT_EQ("not judged of this model",
              rung_of(checked_records(kThief, "semaphore:1"), kFrees).detail);
}

TEST(RefusedButFrees, GivesUpWhereTheWaysAreTooMany) {
    // The release of a caller that never held is what no refused call explains.
    std::vector<std::string> records;
    for (std::size_t i = 0; i < 2 * kAttemptsMost; ++i) {
        records.insert(records.end(), {"a invoke acquire", "a ok acquire", "b invoke acquire",
                                       "b fail acquire", "a invoke release", "a ok release"});
    }
    records.insert(records.end(), {"c invoke release", "c ok release"});
    const HistoryCheck check = checked_records(records, "owner-aware-mutex");
    EXPECT_EQ("inconclusive", verdict_text(rung_of(check, kFrees)));
    EXPECT_EQ("too many ways to try them all", rung_of(check, kFrees).detail);
}

// --- refusals where too many hold -------------------------------------------------------------

TEST(LeaksButRecovers, DoesNotApplyWhereTooManyHold) {
    std::vector<std::string> records{"a invoke acquire", "a ok acquire", "b invoke acquire",
                                     "b ok acquire"};
    EXPECT_EQ("not applicable",
              verdict_text(rung_of(checked_records(records, "mutex"), "leaks-but-recovers")));
    records.insert(records.end(), {"c invoke acquire", "c fail acquire"});
    const HistoryCheck check = checked_records(records, "mutex");
    const Rung rung = rung_of(check, "leaks-but-recovers");
    EXPECT_EQ("not applicable", verdict_text(rung));
    EXPECT_EQ("too many hold", rung.detail);
}

TEST(LeaksButRecovers, DoesNotApplyWhereSomethingElseIsWrong) {
    const HistoryCheck check =
        checked_records({"a invoke release", "a ok release", "b invoke acquire", "b fail acquire",
                         "b invoke acquire", "b ok acquire"},
                        "owner-aware-mutex");
    const Rung rung = rung_of(check, "leaks-but-recovers");
    EXPECT_EQ("not applicable", verdict_text(rung));
    EXPECT_EQ("something else than the number of holders is wrong", rung.detail);
}

// The number held at once decides: one later grant beside as many others shows that the room is
// there again, for all refusals before it. A later grant beside fewer does not, whoever gets it.
TEST(LeaksButRecovers, IsToldByHowManyHoldAtOnceAndNotByHowManyAreGranted) {
    std::vector<std::string> seven;
    for (int i = 0; i < 7; ++i) {
        seven.insert(seven.end(), {"a invoke acquire", "a fail acquire"});
    }
    seven.insert(seven.end(), {"a invoke acquire", "a ok acquire"});
    EXPECT_EQ(
        "7 of 7 refusals had no reason, 0 of them not recovered; such as line 1",
        rung_of(checked_records(seven, "mutex:refusals=judged"), "leaks-but-recovers").detail);
    const HistoryCheck one =
        checked_records({"a invoke acquire", "a ok acquire", "b invoke acquire", "b fail acquire",
                         "a invoke release", "a ok release", "b invoke acquire", "b ok acquire"},
                        "semaphore:2,refusals=judged");
    EXPECT_EQ("1 of 1 refusals had no reason, 1 of them not recovered; such as line 3",
              rung_of(one, "leaks-but-recovers").detail);
}

// --- a twin that knows one lock and tries all orders ------------------------------------------

struct TwinState {
    int holder = -1;
    std::map<int, int> lost;  // holds that were freed, by owner
};

class EveryOrder {
  public:
    explicit EveryOrder(const KeyOperations& list)
        : operations_(list.operations), placed_(list.operations.size(), false) {}
    bool exists(const TwinState& state) {
        std::size_t first_return = kNeverCompleted;
        for (std::size_t i = 0; i < operations_.size(); ++i) {
            first_return =
                placed_[i] ? first_return : std::min(first_return, operations_[i].completed);
        }
        if (first_return == kNeverCompleted) {
            return true;
        }
        for (std::size_t i = 0; i < operations_.size(); ++i) {
            if (placed_[i] || operations_[i].invoked > first_return) {
                continue;
            }
            placed_[i] = true;
            for (const TwinState& next : after(state, operations_[i])) {
                if (exists(next)) {
                    return true;
                }
            }
            placed_[i] = false;
        }
        return false;
    }

  private:
    static std::vector<TwinState> after(TwinState state, const TimedOperation& timed) {
        const int owner = static_cast<int>(timed.owner);
        if (timed.operation.is_refused) {
            std::vector<TwinState> all{state};
            if (state.holder >= 0 && state.holder != owner) {
                ++state.lost[state.holder];
                state.holder = -1;
                all.push_back(state);
            }
            return all;
        }
        if (timed.operation.code == LockCode::kAcquire) {
            if (state.holder >= 0) {
                return {};
            }
            state.holder = owner;
            return {state};
        }
        if (state.lost[owner] > 0) {  // the oldest is what it gives back
            --state.lost[owner];
            return {state};
        }
        if (state.holder != owner) {
            return {};
        }
        state.holder = -1;
        return {state};
    }

    const std::vector<TimedOperation>& operations_;
    std::vector<bool> placed_;
};

// Three processes; each releases what it was granted, and then asks again.
std::vector<std::string> random_records(const std::vector<std::uint32_t>& numbers) {
    std::array<const char*, 3> under_way{};
    std::array<bool, 3> holds{};
    std::vector<std::string> records;
    const auto end = [&](std::size_t process, bool fails) {
        const bool refused = fails && !holds[process];
        records.push_back(std::to_string(process) + (refused ? " fail " : " ok ") +
                          under_way[process]);
        holds[process] = !holds[process] && !refused;
        under_way[process] = nullptr;
    };
    for (const std::uint32_t number : numbers) {
        const std::size_t process = number % 3;
        if (under_way[process] != nullptr) {
            end(process, number / 3 % 2 == 0);
            continue;
        }
        under_way[process] = holds[process] ? "release" : "acquire";
        records.push_back(std::to_string(process) + " invoke " + under_way[process]);
    }
    for (std::size_t process = 0; process < 3; ++process) {
        if (under_way[process] != nullptr) {
            end(process, true);
        }
    }
    return records;
}

RC_GTEST_PROP(RefusedButFreesProperty, AgreesWithTheTwinThatTriesAllOrders, ()) {
    const auto numbers = *rc::gen::resize(
        18, rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange(0U, 1U << 20U)));
    const std::vector<std::string> records = random_records(numbers);
    RC_PRE(!records.empty());
    const RecordedHistory history = records_of(records);
    ModelChoice choice = model_of("owner-aware-mutex:refusals=judged");
    const auto judging = make_model(choice);
    auto read = read_operations(history, *judging);
    const auto lists = std::get<std::vector<KeyOperations>>(read);
    RC_PRE(lists.size() == 1);
    choice.judges_refusals = false;
    const FreedByRefused found =
        explain_by_refused(lists[0], *make_model(choice), SearchBudget({}));
    RC_CLASSIFY(!found.freed.empty());
    const bool expected = EveryOrder(lists[0]).exists({});
    RC_ASSERT(name_of(found.verdict) == (expected ? Passed::kName : Violated::kName));
}

}  // namespace
}  // namespace lockkeeper
