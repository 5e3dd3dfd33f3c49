// SPDX-License-Identifier: Apache-2.0

// How documents are refused: whose fault, where, what was expected.
#include <fmt/format.h>

#include "model/json.hpp"
#include "scenarios/scenario_test_support.hpp"
#include "scenarios/schema_check_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scenarios;

struct Refused {
    const char* name;
    std::string text;
    std::string message;
    bool schema_refuses_too = true;
};

std::ostream& operator<<(std::ostream& out, const Refused& refused) { return out << refused.name; }

std::string with_take(const std::string& members) {
    return with_script("[" + std::string(kTake) + "]", members);
}
std::string with_acquire(const std::string& acquire) {
    return with_script(R"([{"acquire": )" + acquire + "}]");
}

const std::string kRelease = R"({"release": {"key": "db"}})";
constexpr bool kParserOnly = false;

class ARefusedDocument : public ::testing::TestWithParam<Refused> {};

TEST_P(ARefusedDocument, NamesThePlaceWhatWasExpectedAndWhatWasFound) {
    EXPECT_EQ(refusal(GetParam().text), GetParam().message);
}

TEST_P(ARefusedDocument, IsRefusedByThePublishedSchemaUnlessOnlyItsMeaningIsWrong) {
    const auto document = nlohmann::json::parse(GetParam().text);
    EXPECT_EQ(GetParam().schema_refuses_too, !scenario_complaint(document).empty());
}

std::string name_of_case(const ::testing::TestParamInfo<Refused>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(
    Shape, ARefusedDocument,
    ::testing::Values(
        Refused{"NoObject", "[]", "x.json: expected an object, found an array"},
        Refused{"NoVersion", "{}", R"(x.json: missing key "version")"},
        Refused{"OtherVersion", R"({"version": 2})",
                "x.json: /version: this build reads version 1, found 2: read it with a newer "
                "Lockkeeper, or make the file anew with this one"},
        Refused{"VersionAsText", R"({"version": "1"})",
                R"(x.json: /version: expected an integer, found the string "1")"},
        Refused{"UnknownKey", with_take(R"(, "chekc": "all")"),
                R"(x.json: unknown key "chekc"; did you mean "check"?)"},
        Refused{"UnknownKeyLikeNothing", with_take(R"(, "limits": {"earthquakes": 1})"),
                R"(x.json: /limits: unknown key "earthquakes"; known here: states, steps, )"
                R"(schedules, seconds)"},
        // Only numbers can have names that a system defines.
        Refused{"UnknownFaultOfNoNumber", with_take(R"(, "faults": {"crashs": "2"})"),
                R"(x.json: /faults/crashs: unknown key "crashs"; did you mean "crashes"?)"},
        Refused{"UnknownParameterOfNoNumber", with_take(R"(, "parameters": {"weather": "fine"})"),
                R"(x.json: /parameters/weather: unknown key "weather"; only numbers can have )"
                R"(names that a system defines)"},
        Refused{"NoCallers", R"({"version": 1, "system": "canal", "callers": []})",
                "x.json: /callers: expected 1 to 128 elements, found 0"},
        Refused{"NameOfNothing", with_take(R"(, "variant": "")"),
                "x.json: /variant: expected a name of 1 to 64 letters, digits, '_', '-', '.' or "
                R"(':', found "")"},
        Refused{"RepairsAsText", with_take(R"(, "parameters": {"repairs": "all"})"),
                R"(x.json: /parameters/repairs: expected a list of names or {"all_but": [...]}, )"
                R"(found the string "all")"},
        Refused{"RepairsButNothingNamed", with_take(R"(, "parameters": {"repairs": {}})"),
                R"(x.json: /parameters/repairs: missing key "all_but")"},
        Refused{"RepairsAllButMisspelt",
                with_take(R"(, "parameters": {"repairs": {"all_buts": []}})"),
                R"(x.json: /parameters/repairs: unknown key "all_buts"; did you mean "all_but"?)"},
        Refused{"RepairLeftOutTwice",
                with_take(R"(, "parameters": {"repairs": {"all_but": ["a", "a"]}})"),
                R"(x.json: /parameters/repairs/all_but/1: "a" stands in the list twice)"},
        Refused{"NameTwice", with_take(R"(, "check": ["leak", "leak"])"),
                R"(x.json: /check/1: "leak" stands in the list twice)"},
        Refused{"WrongWord", with_take(R"(, "method": "fuz")"),
                R"(x.json: /method: expected "explore", "fuzz", "order" or "replay", found the )"
                R"(string "fuz"; did you mean "fuzz"?)"},
        Refused{"NegativeSeed", with_take(R"(, "seed": -1)"),
                "x.json: /seed: expected 0 to 18446744073709551615, found -1", kParserOnly},
        Refused{"FractionalLimit", with_take(R"(, "limits": {"states": 1.5})"),
                "x.json: /limits/states: expected an integer, found 1.5"},
        Refused{"NoTime", with_take(R"(, "limits": {"seconds": 0})"),
                "x.json: /limits/seconds: expected 0.001 to 10000000, found 0"}),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    Scripts, ARefusedDocument,
    ::testing::Values(
        Refused{"MisspeltKey", with_acquire(R"({"key": "db", "max_pre": 3, "buckets": 1})"),
                R"(x.json: /callers/0/script/0/acquire: unknown key "max_pre"; did you mean )"
                R"("max_per"?)"},
        Refused{"MissingKey", with_acquire(R"({"max_per": 3, "buckets": 1})"),
                R"(x.json: /callers/0/script/0/acquire: missing key "key")"},
        Refused{"TooManyBuckets", with_acquire(R"({"key": "db", "max_per": 3, "buckets": 100})"),
                "x.json: /callers/0/script/0/acquire/buckets: expected 0 to 99, found 100"},
        Refused{"BucketsAsList", with_acquire(R"({"key": "db", "max_per": 3, "buckets": [1]})"),
                "x.json: /callers/0/script/0/acquire/buckets: expected an integer or "
                R"("current", found an array)"},
        Refused{"FewerThanNoPlaces", with_acquire(R"({"key": "db", "max_per": -1, "buckets": 1})"),
                "x.json: /callers/0/script/0/acquire/max_per: expected 0 to 250, found -1"},
        Refused{"ItsOwnKeyAgain", with_acquire(R"({"key": "db", "with": ["left", "db"]})"),
                R"(x.json: /callers/0/script/0/acquire/with/1: the call asks for "db" already)",
                kParserOnly},
        Refused{"NoWeight", with_acquire(R"({"key": "db", "weight": 0})"),
                "x.json: /callers/0/script/0/acquire/weight: expected 1 to 250, found 0"},
        Refused{"TwoVerbs", with_script(R"([{"exit": {}, "release": {"key": "a"}}])"),
                R"(x.json: /callers/0/script/0: expected one of "acquire", "release", "exit", )"
                R"("repeat", "signal", "wait", "if_holding", "call", "sleep", found 2 of them)"},
        Refused{"EmptyScript", with_script("[]"),
                "x.json: /callers/0/script: expected 1 to 100000 elements, found 0"},
        Refused{"ExitWithSomething", with_script(R"([{"exit": {"code": 1}}])"),
                R"(x.json: /callers/0/script/0/exit: unknown key "code"; known here: )"},
        Refused{"ReleaseOfNothing", with_script("[" + kRelease + "]"),
                "x.json: /callers/0/script/0/release: no acquire of this key stands before it: "
                R"(say "max_per" and "buckets")",
                kParserOnly},
        Refused{"AfterTheExit", with_script(R"([{"exit": {}}, )" + std::string(kTake) + "]"),
                "x.json: /callers/0/script/0: operations that follow an exit never run",
                kParserOnly},
        Refused{
            "FixedAndCurrent",
            with_script("[" + std::string(kTake) +
                            R"(, {"acquire": {"key": "db", "max_per": 3, "buckets": "current"}}])",
                        R"(, "view": 1)"),
            "x.json: /callers/0/script/1/acquire: a script gives the buckets of one key "
            R"(either as numbers or as "current", not both)",
            kParserOnly},
        Refused{"UncheckedAndCurrent",
                with_script(R"([{"acquire": {"key": "db", "max_per": 3, "buckets": "current"}},
                                {"release": {"key": "db", "unchecked": true}}])",
                            R"(, "view": 1)"),
                R"(x.json: /callers/0/script/1/release: "unchecked" does not go with "buckets": )"
                R"("current": a release of nothing has no acquire whose buckets it could repeat)",
                kParserOnly},
        Refused{"CurrentWithoutView",
                with_acquire(R"({"key": "db", "max_per": 3, "buckets": "current"})"),
                R"(x.json: missing key "view": how many buckets "current" means before the first )"
                "resize",
                kParserOnly},
        Refused{"TooLong",
                with_script(R"([{"repeat": [{"repeat": [)" + std::string(kTake) +
                            R"(], "times": 100000}], "times": 100000}])"),
                "x.json: /callers/0/script/0: the script has more than 100000 operations from here "
                "on, repetitions written out",
                kParserOnly}),
    name_of_case);

std::string nested_conditions(std::size_t count) {
    std::string script = "[" + std::string(kTake) + "]";
    for (std::size_t i = 0; i < count; ++i) {
        script.insert(0, R"([{"if_holding": {"key": "db", "then": )");
        script += "}}]";
    }
    return script;
}

std::string seventeen_signals() {
    std::string script;
    for (int i = 1; i <= 17; ++i) {
        const std::string name = fmt::format(R"({{"name": "s{}"}})", i);
        script +=
            fmt::format(R"({} {{"signal": {}}}, {{"wait": {}}})", i == 1 ? "[" : ",", name, name);
    }
    return script + "]";
}

INSTANTIATE_TEST_SUITE_P(
    Signals, ARefusedDocument,
    ::testing::Values(
        Refused{"NoName", with_script(R"([{"signal": {}}])"),
                R"(x.json: /callers/0/script/0/signal: missing key "name")"},
        Refused{"SignalThatIsKept",
                with_script(R"([{"signal": {"name": "go", "keep": true}}, )"
                            R"({"wait": {"name": "go"}}])"),
                R"(x.json: /callers/0/script/0/signal: unknown key "keep"; known here: name, )"
                "amount"},
        Refused{"MisspeltKeyOfAWait", with_script(R"([{"wait": {"name": "go", "kep": true}}])"),
                R"(x.json: /callers/0/script/0/wait: unknown key "kep"; did you mean "keep"?)"},
        Refused{"KeepAsNumber", with_script(R"([{"wait": {"name": "go", "keep": 1}}])"),
                "x.json: /callers/0/script/0/wait/keep: expected true or false, found 1"},
        Refused{"NothingToSignal", with_script(R"([{"signal": {"name": "go", "amount": 0}}])"),
                "x.json: /callers/0/script/0/signal/amount: expected 1 to 255, found 0"},
        Refused{"TooMuchToWaitFor", with_script(R"([{"wait": {"name": "go", "amount": 256}}])"),
                "x.json: /callers/0/script/0/wait/amount: expected 1 to 255, found 256"},
        Refused{"NobodySignals", with_script(R"([{"wait": {"name": "go"}}])"),
                R"(x.json: /callers/0/script/0/wait/name: nobody signals "go")", kParserOnly},
        Refused{"NobodyWaits", with_script(R"([{"signal": {"name": "go"}}])"),
                R"(x.json: /callers/0/script/0/signal/name: nobody waits for "go")", kParserOnly},
        Refused{"MisspeltSignal",
                with_script(R"([{"wait": {"name": "locked"}}, {"signal": {"name": "lockd"}}])"),
                R"(x.json: /callers/0/script/0/wait/name: nobody signals "locked"; did you mean )"
                R"("lockd"?)",
                kParserOnly},
        Refused{"TooManySignals", with_script(seventeen_signals()),
                R"(x.json: /callers/0/script/32/signal/name: "s17" would be signal number 17; )"
                "a scenario has at most 16",
                kParserOnly},
        Refused{"ConditionWithoutKey",
                with_script(R"([{"if_holding": {"then": [)" + std::string(kTake) + "]}}]"),
                R"(x.json: /callers/0/script/0/if_holding: missing key "key")"},
        Refused{"ConditionWithoutOperations",
                with_script(R"([{"if_holding": {"key": "db", "then": []}}])"),
                "x.json: /callers/0/script/0/if_holding/then: expected 1 to 100000 elements, "
                "found 0"},
        Refused{"ConditionWithAnElse",
                with_script(R"([{"if_holding": {"key": "db", "then": [)" + std::string(kTake) +
                            R"(], "else": []}}])"),
                R"(x.json: /callers/0/script/0/if_holding: unknown key "else"; known here: key, )"
                "then"},
        Refused{"TooManyConditions", with_script(nested_conditions(9)),
                "x.json: /callers/0/script/0/if_holding/then/0/if_holding/then/0/if_holding/then/0/"
                "if_holding/then/0/if_holding/then/0/if_holding/then/0/if_holding/then/0/"
                "if_holding/then/0/if_holding: more than 8 \"if_holding\" inside of each other",
                kParserOnly},
        Refused{"ConditionOnAKeyThatNobodyAcquires",
                with_script("[" + std::string(kTake) +
                            R"(, {"if_holding": {"key": "bd", "then": [)" + kRelease + "]}}]"),
                R"(x.json: /callers/0/script/1/if_holding/key: nobody acquires "bd"; did you mean )"
                R"("db"?)",
                kParserOnly},
        Refused{"AfterTheExitInACondition",
                with_script(R"([{"if_holding": {"key": "db", "then": [{"exit": {}}, )" +
                            std::string(kTake) + "]}}]"),
                "x.json: /callers/0/script/0/if_holding/then/0: operations that follow an exit "
                "never run",
                kParserOnly},
        Refused{"MoreTurnsThanOperationsThatTakeOne",
                with_script("[" + std::string(kTake) +
                                R"(, {"if_holding": {"key": "db", "then": [)" + kRelease + "]}}]",
                            R"(, "order": [{"caller": "A", "times": 3}])"),
                R"(x.json: /order: "A" has 3 turns but only 2 operations)", kParserOnly}),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    Meaning, ARefusedDocument,
    ::testing::Values(
        Refused{"UnknownCaller", with_take(R"(, "order": ["B"])"),
                R"(x.json: /order/0: unknown caller "B"; did you mean "A"?)", kParserOnly},
        Refused{"TooManyTurns", with_take(R"(, "order": [{"caller": "A", "times": 2}])"),
                R"(x.json: /order: "A" has 2 turns but only 1 operations)", kParserOnly},
        Refused{"OrderOfAnotherMethod", with_take(R"(, "method": "fuzz", "order": ["A"])"),
                R"(x.json: /order: goes with "method": "order" only)"},
        Refused{"OrderWithoutOrder", with_take(R"(, "method": "order")"),
                R"(x.json: missing key "order")"},
        Refused{"ReplayWithoutSchedule", with_take(R"(, "method": "replay")"),
                R"(x.json: missing key "schedule")"},
        Refused{"BrokenSchedule", with_take(R"(, "schedule": "lk1:1:s0,q")"),
                "x.json: /schedule: character 10: expected an action: s<caller>, "
                "s<caller>.<question>, b<actor>.<argument>, x<caller>, f<caller>.<fault>, "
                "d<actor>.<fault>, t<actor>.<time> or r",
                kParserOnly},
        Refused{"TableOfUnknownKey", with_take(R"(, "parameters": {"table": {"bd": "cold"}})"),
                R"(x.json: /parameters/table/bd: unknown key "bd"; did you mean "db"?)",
                kParserOnly},
        Refused{"PropertiesWithoutViolation", with_take(R"(, "expect": {"properties": ["leak"]})"),
                R"(x.json: /expect/properties: goes with "verdict": "violated" only)"},
        Refused{"StatesOfOneRun", with_take(R"(, "order": ["A"], "expect": {"states": 3})"),
                R"(x.json: /expect/states: goes with "method": "explore" only)", kParserOnly},
        Refused{"ResultsOfAnExploration", with_take(R"(, "expect": {"results": {}})"),
                R"(x.json: /expect/results: goes with "method": "order" or "replay" only)",
                kParserOnly},
        Refused{"CountThatIsNotReturned",
                with_take(R"(, "order": ["A"], "parameters": {"returns": "plain"},
                             "expect": {"results": {"A": [1]}})"),
                R"(x.json: /expect/results/A/0: expected "acquired": with "returns": "plain" no )"
                "count is returned",
                kParserOnly},
        Refused{"InterleavingsAsWord", with_take(R"(, "expect": {"interleavings": "many"})"),
                "x.json: /expect/interleavings: expected a number from 1 of 1 to 4000 decimal "
                R"(digits, in quotes, found "many")"},
        Refused{"ResizesWithoutView", with_take(R"(, "resizes": [2])"),
                R"(x.json: missing key "view": how many buckets "current" means before the first )"
                "resize"}),
    name_of_case);

TEST(Refusal, SyntaxErrorsGiveLineAndColumn) {
    const std::string message = refusal_with_position("{\n  \"version\": tru\n}");
    EXPECT_EQ(message.rfind("x.json:2:17: not JSON: ", 0), 0U) << message;
    EXPECT_EQ(refusal_with_position("").rfind("x.json:1:1: not JSON: ", 0), 0U);
    EXPECT_NE(refusal("{} // a comment").find("not JSON"), std::string::npos);
    const std::string large = refusal_with_position(R"({"version": 1e999})");
    EXPECT_EQ(large.rfind("x.json:1:", 0), 0U) << large;
    EXPECT_NE(large.find(": number overflow"), std::string::npos) << large;
    EXPECT_NE(large.find("1e999"), std::string::npos) << large;
}

TEST(Refusal, WhatIsWrongInItsMeaningHasLineAndColumnAndPointer) {
    const std::string text = with_script(
        "[\n" + std::string(kTake) + ",\n  {\"acquire\": {\"key\": \"db\", \"max_per\": 251}}]");
    EXPECT_EQ(refusal_with_position(text),
              "x.json:3:40: /callers/0/script/1/acquire/max_per: expected 0 to 250, found 251");
    EXPECT_EQ(refusal_with_position("{\"version\": 1,\n \"systm\": 2}"),
              R"(x.json:2:2: unknown key "systm"; did you mean "system"?)");
    EXPECT_EQ(refusal_with_position("\n {}"), R"(x.json:2:2: missing key "version")");
    EXPECT_EQ(refusal_with_position("{\"a\": 1,\n\n  \"a\": 2}"),
              R"(x.json:3:3: duplicate key "a" in one object)");
}

TEST(Refusal, NumbersAreQuotedAsTheyAreWritten) {
    for (const char* number : {"99999999999999999999", "-99999999999999999999"}) {
        EXPECT_EQ(
            refusal(with_take(std::string(R"(, "seed": )") + number)),
            std::string("x.json: /seed: expected 0 to 18446744073709551615, found ") + number);
    }
    EXPECT_EQ(refusal(with_take(R"(, "limits": {"states": 1.50e2})")),
              "x.json: /limits/states: expected an integer, found 1.50e2");
    const std::string digits(300, '9');
    EXPECT_EQ(
        refusal(with_take(R"(, "seed": )" + digits)),
        "x.json: /seed: expected 0 to 18446744073709551615, found " + digits.substr(0, 60) + "...");
}

// The library takes it for the end of the text.
TEST(Refusal, ANulByteIsRefusedWithLineAndColumnWhereverItStands) {
    const std::string nul(1, '\0');
    EXPECT_EQ(refusal_with_position(with_take("") + "\n  " + nul).rfind("x.json:2:3: ", 0), 0U);
    EXPECT_EQ(refusal_with_position("{}\n  " + nul + "{}"), "x.json:2:3: not JSON: a NUL byte");
    EXPECT_EQ(refusal_with_position("{\"a" + nul + "\": 1}"), "x.json:1:4: not JSON: a NUL byte");
}

TEST(Refusal, AKeyThatStandsInAnObjectTwiceIsRefusedWithItsPlace) {
    EXPECT_EQ(refusal(R"({"callers": [{}, {"script": [], "script": []}]})"),
              R"(x.json: /callers/1: duplicate key "script" in one object)");
}

TEST(Refusal, SizesAreBoundedBeforeAnythingIsBuilt) {
    EXPECT_EQ(refusal(std::string(kScenarioBytesMax + 1, ' ')),
              "x.json: 4194305 bytes; a scenario has at most 4194304");
    const std::string deep = std::string(100'000, '[');
    EXPECT_NE(refusal(deep).find("nested deeper than 64 levels"), std::string::npos);
    const auto one_too_many =
        R"({"version": 1, "system": "canal", "callers": [{"count": 128, "script": [)" +
        std::string(kTake) + R"(]}, {"script": [)" + kTake + "]}]}";
    EXPECT_EQ(refusal(one_too_many), "x.json: /callers/1: more than 128 callers");
}

TEST(Refusal, TwoCallersOfOneNameAreRefused) {
    const std::string script = R"("script": [)" + std::string(kTake) + "]";
    EXPECT_EQ(
        refusal(R"({"version": 1, "system": "canal", "callers": [{"name": "a", "count": 2, )" +
                script + R"(}, {"name": "a2", )" + script + "}]}"),
        R"(x.json: /callers/1: another caller is named "a2")");
}

TEST(Refusal, AMessageIsOneLineWhateverTheInput) {
    const std::string message = refusal("{\"version\": 1, \"a\\nb\\u001b[31m\": 2}");
    EXPECT_EQ(message.find_first_of("\n\x1b"), std::string::npos) << message;
}

TEST(Refusal, AFileThatCannotBeReadIsTheAuthorsFaultToo) {
    for (const char* file : {"no/such/file.json", "."}) {
        const auto parsed = load_scenario(file);
        ASSERT_TRUE(std::holds_alternative<InputError>(parsed));
        EXPECT_EQ(std::get<InputError>(parsed).text().rfind(std::string(file) + ": cannot be ", 0),
                  0U);
    }
}

}  // namespace
}  // namespace lockkeeper
