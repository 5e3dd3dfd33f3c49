// SPDX-License-Identifier: Apache-2.0

// Calls that take several places at once, or several keys at once: sound locks, and wrong ones.
#include "model/acquired_units.hpp"
#include "scenarios/bad_input.hpp"
#include "validate/wire/call_line.hpp"
#include "validate/wire/wire_scenario.hpp"
#include "validate/wire/wire_test.hpp"

namespace lockkeeper::wire {
namespace {

// Each caller takes once, of ten places so many, and gives that back.
OutsideWorld callers_of_weights(const std::vector<std::uint8_t>& weights) {
    OutsideWorld world = two_callers();
    world.world.callers.resize(weights.size(), world.world.callers[0]);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        CallerConfig& caller = world.world.callers[i];
        caller.name = std::string(1, static_cast<char>('A' + i));
        caller.script[0].amount = weights[i];
        for (Operation& operation : caller.script) {
            operation.place_capacity = 10;
        }
    }
    return world;
}

// A takes both keys at once, and its script names one of them; B takes the second one alone.
OutsideWorld callers_of_keys(std::uint8_t named = 0) {
    OutsideWorld world = two_callers();
    world.world.keys = {"a", "b"};
    world.world.callers[0].script[0].signal = key_bit(0) | key_bit(1);
    for (Operation& operation : world.world.callers[0].script) {
        operation.key = named;
    }
    for (Operation& operation : world.world.callers[1].script) {
        operation.key = 1;
    }
    return world;
}

std::string outcome_of(const std::string& kind, OutsideWorld world) {
    Held held(raw_client(kind, "", "several_lock.py"), std::move(world), {}, exploring());
    const OutsideResult result = held.search->search();
    EXPECT_EQ("", result.diverged) << kind;
    if (!result.finding) {
        return result.complete ? "nothing" : "incomplete: " + result.limit;
    }
    if (result.finding->property == nullptr) {
        return "misbehaved: " + result.finding->detail;
    }
    const OutsideTrace trace = held.search->show(held.search->shrink(*result.finding));
    return trace.violated.empty() ? "" : std::string(trace.violated.front()->name);
}

TEST(WireSeveral, ACallIsToldWithItsNumberItsOtherKeysAndItsWeight) {
    WorldConfig world;
    world.keys = {"a", "b", "c"};
    Operation operation;
    EXPECT_EQ("acquire a", line_of_call(world, operation));
    operation.number = 5;
    operation.amount = 3;
    EXPECT_EQ("acquire a 5 weight=3", line_of_call(world, operation));
    operation.signal = key_bit(0) | key_bit(1) | key_bit(2);
    EXPECT_EQ("acquire a 5 with=b,c weight=3", line_of_call(world, operation));
    operation.verb = Verb::kRelease;
    EXPECT_EQ("release a with=b,c weight=3", line_of_call(world, operation));
}

TEST(WireSeveral, AWeightIsSoManyOfThePlaces) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ("nothing", outcome_of("permits", callers_of_weights({7, 4})));
    EXPECT_EQ("over-allocation", outcome_of("one_each", callers_of_weights({7, 4})));
    EXPECT_EQ("leak", outcome_of("one_back", callers_of_weights({7})));
    OutsideWorld refusals = callers_of_weights({7, 3});
    std::erase_if(refusals.check, [](const Property* property) {
        return !property->is(PropertyNumber::kUnderAllocation);
    });
    EXPECT_EQ("nothing", outcome_of("permits", refusals));
    EXPECT_EQ("under-allocation", outcome_of("strict", refusals));
}

TEST(WireSeveral, TheKeysOfOneCallAreAllTakenOrNone) {
    SKIP_WITHOUT_REDIS();
    EXPECT_EQ("nothing", outcome_of("keys", callers_of_keys()));
    OutsideWorld other_key = callers_of_keys();
    other_key.world.callers[0].script[1].key = 1;  // the release
    EXPECT_EQ("nothing", outcome_of("keys", other_key));
    EXPECT_EQ("over-allocation", outcome_of("first_key", callers_of_keys()));
    EXPECT_EQ("leak", outcome_of("one_by_one", callers_of_keys()));
    EXPECT_EQ("under-allocation", outcome_of("last_left", callers_of_keys()));
}

Told granted_until(std::int64_t until) {
    Told told;
    told.until = until;
    return told;
}

Told granted_with(std::int64_t token) {
    Told told;
    told.token = token;
    return told;
}

Told told_lost() {
    Told told;
    told.kind = Told::Kind::kLost;
    return told;
}

// The calls of A and B, at times that the test says.
class Books : public LedgerTime {
  public:
    explicit Books(OutsideWorld world) : world_(std::move(world)) {
        ledger_.begin(accounts_of(accounts_));
    }
    // A takes seven of ten places, and B so many.
    explicit Books(std::uint8_t weight) : Books(callers_of_weights({7, weight})) {}
    void call(std::size_t caller, const Operation& operation) {
        ledger_.step();
        ledger_.call(caller, operation);
    }
    void answer(std::size_t caller, const Told& told = {}) {
        ledger_.step();
        ledger_.answer(caller, told);
    }
    void tell(std::size_t caller, const Operation& operation, const Told& told = {}) {
        call(caller, operation);
        answer(caller, told);
    }
    [[nodiscard]] Operation acquire(std::size_t caller) const {
        return world_.world.callers[caller].script[0];
    }
    [[nodiscard]] Operation release(std::size_t caller) const {
        return world_.world.callers[caller].script[1];
    }
    [[nodiscard]] Operation renewal(std::size_t caller) const {
        Operation renewal = release(caller);
        renewal.verb = Verb::kCall;
        return renewal;
    }
    [[nodiscard]] std::string violated() const {
        return ledger_.violated().empty() ? "" : std::string(ledger_.violated().front()->name);
    }
    [[nodiscard]] std::int64_t now() const override { return now_; }
    [[nodiscard]] bool is_over(std::size_t /*caller*/,
                               const BelievedHolding& holding) const override {
        return holding.until && now_ >= *holding.until;
    }
    [[nodiscard]] std::int64_t time_left(std::size_t /*caller*/,
                                         const BelievedHolding& holding) const override {
        return *holding.until - now_;
    }

    std::int64_t now_ = 0;
    OutsideWorld world_;
    std::vector<Account> accounts_{2};
    Ledger ledger_{world_, *this};
};

TEST(WireSeveral, ARenewalIsOfAllUnitsOfTheGrant) {
    for (const bool is_renewed : {false, true}) {
        Books books(4);
        books.tell(0, books.acquire(0), granted_until(10));
        if (is_renewed) {
            books.tell(0, books.renewal(0), granted_until(20));
        }
        books.now_ = 15;
        books.tell(1, books.acquire(1), granted_until(30));
        EXPECT_EQ(is_renewed ? "over-allocation" : "", books.violated());
    }
}

TEST(WireSeveral, ALossIsOfAllUnitsOfTheGrant) {
    Books books(4);
    books.tell(0, books.acquire(0));
    EXPECT_EQ("A (7)", books.ledger_.holders());
    EXPECT_TRUE(books.ledger_.lost(0, 0));
    EXPECT_EQ("", books.ledger_.holders());
    books.tell(1, books.acquire(1));
    EXPECT_EQ("", books.violated());
}

// Three others leave room for seven of ten, four do not.
TEST(WireSeveral, AReleaseIsFalseWhereALaterGrantHasTakenAUnit) {
    for (const std::uint8_t weight : {std::uint8_t{3}, std::uint8_t{4}}) {
        Books books(weight);
        books.tell(0, books.acquire(0), granted_until(10));
        books.now_ = 15;
        books.tell(1, books.acquire(1), granted_until(30));
        books.tell(0, books.release(0));
        EXPECT_EQ(weight == 4 ? "false-ok" : "", books.violated());
        EXPECT_EQ(weight, books.ledger_.held_count(0));
    }
}

TEST(WireSeveral, ATokenIsAboveThoseOfEachKeyOfItsCall) {
    for (const std::uint8_t named : {std::uint8_t{0}, std::uint8_t{1}}) {
        for (const std::int64_t token : {5, 11}) {
            Books books(callers_of_keys(named));
            books.tell(1, books.acquire(1), granted_with(10));
            books.tell(1, books.release(1));
            books.tell(0, books.acquire(0), granted_with(token));
            EXPECT_EQ(token == 5 ? "token-order" : "", books.violated()) << int{named};
        }
    }
}

// A token that was granted behind the call's beginning may be above the call's own.
TEST(WireSeveral, ATokenIsAboveThoseThatWereGrantedBeforeItsCall) {
    for (const std::uint8_t named : {std::uint8_t{0}, std::uint8_t{1}}) {
        for (const std::int64_t token : {5, 15}) {
            Books books(callers_of_keys(named));
            books.tell(1, books.acquire(1), granted_with(10));
            books.tell(1, books.release(1));
            books.call(0, books.acquire(0));
            books.tell(1, books.acquire(1), granted_with(20));
            books.tell(1, books.release(1));
            books.answer(0, granted_with(token));
            EXPECT_EQ(token == 5 ? "token-order" : "", books.violated()) << int{named};
        }
    }
}

TEST(WireSeveral, ARenewalWithoutATimeIsJudgedForEachKey) {
    for (const std::uint8_t named : {std::uint8_t{0}, std::uint8_t{1}}) {
        Books leased(callers_of_keys());
        leased.tell(0, leased.acquire(0), granted_until(10));
        leased.now_ = 15;
        leased.tell(1, leased.acquire(1), granted_until(30));
        Operation renewal = leased.renewal(0);
        renewal.key = named;
        leased.tell(0, renewal);
        EXPECT_EQ("belief-overlap", leased.violated()) << int{named};
        Books lost(callers_of_keys());
        lost.tell(0, lost.acquire(0));
        EXPECT_TRUE(lost.ledger_.lost(0, 0));
        lost.tell(1, lost.acquire(1));
        lost.tell(0, renewal);
        EXPECT_EQ("over-allocation", lost.violated()) << int{named};
        Books meanwhile(callers_of_keys());
        meanwhile.tell(0, meanwhile.acquire(0), granted_until(10));
        meanwhile.now_ = 9;
        meanwhile.call(0, renewal);
        meanwhile.now_ = 15;
        meanwhile.tell(1, meanwhile.acquire(1), granted_until(30));
        meanwhile.answer(0);
        EXPECT_EQ("", meanwhile.violated()) << int{named};
    }
}

TEST(WireSeveral, AReleaseIsFalseAlsoWhereACallWasToldThatTheLockIsLost) {
    for (const std::uint8_t weight : {std::uint8_t{3}, std::uint8_t{4}}) {
        Books books(weight);
        books.tell(0, books.acquire(0), granted_until(10));
        books.now_ = 15;
        books.tell(0, books.renewal(0), told_lost());
        books.tell(1, books.acquire(1), granted_until(30));
        books.tell(0, books.release(0));
        EXPECT_EQ(weight == 4 ? "false-ok" : "", books.violated());
    }
    Books keys(callers_of_keys());
    keys.tell(0, keys.acquire(0));
    keys.tell(0, keys.renewal(0), told_lost());
    keys.tell(1, keys.acquire(1));
    keys.tell(0, keys.release(0));
    EXPECT_EQ("false-ok", keys.violated());
}

// A grant behind the call of a release may have come after the effect of the release.
TEST(WireSeveral, AGrantDuringAReleaseBreaksNothing) {
    Books books(4);
    books.tell(0, books.acquire(0));
    books.call(0, books.release(0));
    books.tell(1, books.acquire(1));
    books.answer(0);
    EXPECT_EQ("", books.violated());
}

// The state's key: the call may still be granted the second key, later than B or not.
TEST(WireSeveral, ACallThatBeganAfterAGrantOfItsSecondKeyIsAnotherState) {
    const auto key_where = [](bool is_after) {
        Books books(callers_of_keys());
        if (!is_after) {
            books.call(0, books.acquire(0));
        }
        books.tell(1, books.acquire(1));
        if (is_after) {
            books.call(0, books.acquire(0));
        }
        books.ledger_.refresh([](std::size_t) { return false; });
        std::string key;
        books.ledger_.write_key(key);
        return key;
    };
    EXPECT_NE(key_where(false), key_where(true));
}

TEST(WireSeveral, NoHistoryOfACallForSeveralIsSaidToBeJudged) {
    Books books(4);
    books.tell(0, books.acquire(0));
    EXPECT_EQ("", books.ledger_.calls().model);
    const OutsideTally tally = books.ledger_.take_tally();
    EXPECT_EQ(1U, tally.remarks.count("calls ask for several keys or places; not judged: P29 "
                                      "unexplained-history"));
}

TEST(WireSeveral, AWeightOfMoreThanAllPlacesIsRefusedWhereItStands) {
    const auto scenario = value_or_throw(parse_scenario(
        R"({"version": 1, "system": "wire", "callers": [{"name": "A", "script": [
{"acquire": {"key": "db", "max_per": 3, "weight": 2}}, {"release": {"key": "db"}},
{"acquire": {"key": "db", "max_per": 3, "weight": 4}}]}]})",
        "x.json"));
    std::string refusal;
    try {
        static_cast<void>(for_wire(scenario, {}, {}, false));
    } catch (const BadInput& error) {
        refusal = error.what();
    }
    EXPECT_TRUE(refusal.starts_with("x.json:3:51: /callers/0/script/2/acquire/weight: "))
        << refusal;
}

}  // namespace
}  // namespace lockkeeper::wire
