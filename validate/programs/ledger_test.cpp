// SPDX-License-Identifier: Apache-2.0
#include "validate/outside/ledger.hpp"

#include "validate/programs/outside_test.hpp"

namespace lockkeeper::testing_ledger {
namespace {

using namespace testing_outside;

constexpr std::size_t kA = 0;
constexpr std::size_t kB = 1;
constexpr std::size_t kC = 2;

// Three callers of one key, and a clock that stands where a test puts it. Each call and each answer
// is a step.
class Books : public LedgerTime {
  public:
    explicit Books(std::uint16_t places = 1, const RateLimit& limit = {})
        : acquire_(operation(Verb::kAcquire, 1, places)), world_(limited(limit)) {
        world_.world.words = {"renew"};
        ledger_.begin(accounts_of(accounts_));
    }

    void call(std::size_t caller, Verb verb = Verb::kAcquire) {
        Operation called = acquire_;
        called.verb = verb;
        ledger_.step();
        ledger_.call(caller, called);
    }
    // An acquire of a caller that sees so many places.
    void ask(std::size_t caller, std::uint16_t places) {
        acquire_.places = places;
        call(caller);
    }
    void answer(std::size_t caller, const Told& told = {}) {
        ledger_.step();
        ledger_.answer(caller, told);
    }
    void acquire(std::size_t caller, const Told& told = {}) {
        call(caller);
        answer(caller, told);
    }
    void release(std::size_t caller, const Told& told = {}) {
        call(caller, Verb::kRelease);
        answer(caller, told);
    }
    void renew(std::size_t caller, const Told& told) {
        call(caller, Verb::kCall);
        answer(caller, told);
    }
    void crash(std::size_t caller) {
        ledger_.crash(caller);
        accounts_[caller].dead = false;
    }

    // "P17 4,6": what is violated, and by which steps; empty: nothing.
    [[nodiscard]] std::string violated() const {
        std::string out;
        for (const Property* property : ledger_.violated()) {
            out += (out.empty() ? "P" : "; P") + std::to_string(property->number);
            for (const std::uint32_t step : ledger_.steps_of(*property)) {
                out += " " + std::to_string(step);
            }
        }
        return out;
    }
    [[nodiscard]] OutsideTally& tally() { return ledger_.tally; }
    void check_too(const Property& property) { world_.check.push_back(&property); }

    std::int64_t time = 0;

  private:
    [[nodiscard]] std::int64_t now() const override { return time; }
    [[nodiscard]] bool is_over(std::size_t, const BelievedHolding& holding) const override {
        return holding.until && time >= *holding.until;
    }
    [[nodiscard]] std::int64_t time_left(std::size_t,
                                         const BelievedHolding& holding) const override {
        return *holding.until - time;
    }

    [[nodiscard]] static OutsideWorld limited(const RateLimit& limit) {
        OutsideWorld world = world_of(3, std::vector<Operation>(20, operation(Verb::kAcquire)));
        world.rate_limit = limit;
        return world;
    }

    Operation acquire_;
    OutsideWorld world_;
    std::vector<Account> accounts_{3};
    Ledger ledger_{world_, *this, Histories::kElsewhere};
};

Told token(std::int64_t number) { return {.token = number}; }
Told until(std::int64_t time) { return {.until = time}; }
const Told kLost{.kind = Told::Kind::kLost};
const Told kToldNo{.kind = Told::Kind::kRefused};

// Promises that nobody has written into the ledger.
constexpr Property kNobodyIsRefused{
    .number = 900,
    .name = "nobody-is-refused",
    .triggers = kRefused,
    .holds_not = [](const Observation&, const Event& event) { return event.is(kRefused); }};
constexpr Property kAtMostTwoHold{
    .number = 901,
    .name = "at-most-two-hold",
    .triggers = kAcquired | kCrashed,
    .needs = kHasCapacity,
    .needs_observation = true,
    .holds_not = [](const Observation& seen, const Event&) { return seen.keys[0].believed > 2; }};

TEST(Ledger, ARuleThatReadsWhatItTellsIsJudgedWithoutAnotherLine) {
    Books books(5);
    books.check_too(kNobodyIsRefused);
    books.check_too(kAtMostTwoHold);
    books.acquire(kA);
    books.acquire(kB);
    EXPECT_EQ("", books.violated());
    books.acquire(kC);
    EXPECT_EQ("P901 6", books.violated());
    EXPECT_EQ(3U, books.tally().decided[PropertyNumber(901)]);
    EXPECT_EQ(0U, books.tally().decided.count(PropertyNumber(900)));
    books.crash(kA);
    EXPECT_EQ(4U, books.tally().decided[PropertyNumber(901)]);
    books.acquire(kA, kToldNo);
    EXPECT_EQ("P3 7 8; P900 8; P901 6", books.violated());
}

// All others need more than calls, answers, deaths and the clock.
TEST(Ledger, TellsEnoughForTheseRulesOfTheCatalogue) {
    std::string told;
    for (const Property& property : all_properties()) {
        told += is_told(property) ? "P" + std::to_string(property.number) + " " : "";
    }
    EXPECT_EQ("P1 P3 ", told);
    EXPECT_TRUE(is_told(kNobodyIsRefused));
    EXPECT_TRUE(is_told(kAtMostTwoHold));
}

TEST(Ledger, TokensThatRiseAreRight) {
    Books books(3);
    books.acquire(kA, token(1));
    books.acquire(kB, token(7));
    books.acquire(kC, token(8));
    EXPECT_EQ("", books.violated());
    EXPECT_EQ(2U, books.tally().decided[PropertyNumber::kTokenOrder]);
}

TEST(Ledger, AGrantThatWasAskedForLaterHasALargerToken) {
    Books books(3);
    books.acquire(kA, token(5));
    books.acquire(kB, token(4));
    EXPECT_EQ("P23 2 4", books.violated());
}

TEST(Ledger, GrantsThatOverlapMayComeInAnyOrder) {
    Books books(3);
    books.call(kA);
    books.call(kB);
    books.answer(kB, token(2));
    books.answer(kA, token(1));
    EXPECT_EQ("", books.violated());
}

TEST(Ledger, NoTwoGrantsHaveTheSameToken) {
    Books books(3);
    books.call(kA);
    books.call(kB);
    books.answer(kA, token(1));
    books.answer(kB, token(1));
    EXPECT_EQ("P23 3 4", books.violated());
}

// A larger one has been granted meanwhile, so that neither the largest nor the one that C has to be
// above is the one that it gets.
TEST(Ledger, ATokenThatIsNotTheLargestIsNotGrantedTwiceEither) {
    Books books(3);
    books.call(kC);
    books.acquire(kA, token(5));
    books.acquire(kB, token(7));
    books.answer(kC, token(5));
    EXPECT_EQ("P23 3 6", books.violated());
}

TEST(Ledger, AHolderThatAcquiresAgainMayGetItsTokenAgain) {
    Books books;
    books.acquire(kA, token(1));
    books.acquire(kA, token(1));
    books.release(kA);
    books.acquire(kA, token(1));
    books.release(kA);
    books.release(kA);
    books.acquire(kB, token(2));
    EXPECT_EQ("", books.violated());
}

TEST(Ledger, WhoHoldsNoLongerGetsAnotherToken) {
    for (const char* end : {"release", "crash", "lost release", "lost renewal"}) {
        Books books;
        books.acquire(kA, token(1));
        if (end == std::string("crash")) {
            books.crash(kA);
        } else if (end == std::string("lost renewal")) {
            books.renew(kA, kLost);
        } else {
            books.release(kA, end == std::string("release") ? Told{} : kLost);
        }
        books.acquire(kA, token(1));
        EXPECT_EQ(0U, books.violated().find("P23 2 ")) << end << ": " << books.violated();
    }
}

TEST(Ledger, ABeliefEndsAtItsOwnTime) {
    for (const std::int64_t time : {9, 10}) {
        Books books;
        books.acquire(kA, until(10));
        books.time = time;
        books.acquire(kB, until(20));
        EXPECT_EQ(time < 10 ? "P17 2 4" : "", books.violated());
    }
}

TEST(Ledger, AGrantIsInTheWindowForItsLengthAndNoLonger) {
    for (const std::int64_t time : {9, 10}) {
        Books granted(1, {.grants = 1, .within = 10});
        granted.acquire(kA);
        granted.time = time;
        granted.acquire(kB);
        EXPECT_EQ(time < 10 ? "P31 2 4" : "", granted.violated());

        Books refused(1, {.grants = 1, .within = 10});
        refused.acquire(kA);
        refused.time = time;
        refused.acquire(kB, kToldNo);
        EXPECT_EQ(time < 10 ? "" : "P32 3 4", refused.violated());
    }
}

TEST(Ledger, AsManyGrantsAsALimiterPromisesAreAReasonToRefuse) {
    for (const std::size_t grants : {1U, 2U}) {
        Books books(1, {.grants = 3, .within = 10, .at_least = 2});
        books.acquire(kA);
        if (grants > 1) {
            books.acquire(kB);
        }
        books.acquire(kC, kToldNo);
        EXPECT_EQ(grants < 2 ? "P32 3 4" : "", books.violated());
    }
}

TEST(Ledger, AReleaseARefusedRenewalAndACrashEndABelief) {
    for (const char* end : {"release", "renewal", "crash", "nothing"}) {
        Books books;
        books.acquire(kA);
        if (end == std::string("release")) {
            books.call(kA, Verb::kRelease);
        } else if (end == std::string("renewal")) {
            books.renew(kA, kLost);
        } else if (end == std::string("crash")) {
            books.crash(kA);
        }
        books.acquire(kB);
        EXPECT_EQ(end == std::string("nothing") ? "P1 2 4" : "", books.violated()) << end;
    }
}

TEST(Ledger, ARenewalThatComesLateMeetsWhoHasTakenOver) {
    Books books;
    books.acquire(kA, until(10));
    books.time = 11;
    books.acquire(kB, until(30));
    EXPECT_EQ("", books.violated());
    books.renew(kA, until(25));
    EXPECT_EQ("P17 4 6", books.violated());
}

TEST(Ledger, OfTwoPlacesAThirdHolderIsTooMany) {
    Books books(2);
    books.acquire(kA);
    books.acquire(kB);
    EXPECT_EQ("", books.violated());
    books.acquire(kC);
    EXPECT_EQ("P1 2 4 6", books.violated());
}

// Found by models that are driven as sources.
TEST(Ledger, WhereCallersSeeDifferentPlacesTheOrderOfGrantsThatOverlapIsOpen) {
    for (const bool overlaps : {true, false}) {
        Books books;
        if (overlaps) {
            books.ask(kA, 1);
        }
        books.ask(kB, 2);
        books.answer(kB);
        if (!overlaps) {
            books.ask(kA, 1);
        }
        books.answer(kA);  // A, then B: one was held when B was granted the second of two
        EXPECT_EQ(overlaps ? "" : "P1 2 4", books.violated());
        books.ask(kC, 2);
        books.answer(kC);
        EXPECT_EQ(overlaps ? "P1 3 4 6" : "P1 2 4", books.violated());
    }
}

TEST(Ledger, NoOrderLeavesTwoOfThreeTheOnlyPlace) {
    Books books;
    books.ask(kA, 1);
    books.ask(kB, 1);
    books.ask(kC, 3);
    books.answer(kC);
    books.answer(kA);
    EXPECT_EQ("", books.violated());
    books.answer(kB);
    EXPECT_EQ("P1 4 5 6", books.violated());
}

TEST(Ledger, ARefusalNeedsSomebodyWhoMayHoldAtSomeMomentOfTheCall) {
    Books books;
    books.call(kA);
    books.acquire(kB, kToldNo);  // A may have it
    books.answer(kA);
    books.release(kA);
    EXPECT_EQ("", books.violated());
    books.acquire(kB, kToldNo);
    EXPECT_EQ("P3 7 8", books.violated());
}

TEST(Ledger, ARefusalOfWhoMeetsAnotherOnTheWayInIsCountedApart) {
    for (const std::uint16_t places : {std::uint16_t{1}, std::uint16_t{3}}) {
        Books books(places);
        books.call(kA);
        books.acquire(kB, kToldNo);  // no place is known to be taken
        EXPECT_EQ(1U, books.tally().answers.refusals_while_free);
        books.answer(kA);
        books.acquire(kB, kToldNo);
        EXPECT_EQ(places == 1 ? 1U : 2U, books.tally().answers.refusals_while_free);
        EXPECT_EQ(2U, books.tally().answers.refusals);
    }
}

TEST(Ledger, AReleaseAfterAnotherWasGrantedEverythingIsNotInTime) {
    Books books;
    books.acquire(kA, until(10));
    books.time = 10;
    books.acquire(kB, until(20));
    books.release(kA);
    EXPECT_EQ("P21 2 4 6", books.violated());
}

}  // namespace
}  // namespace lockkeeper::testing_ledger
