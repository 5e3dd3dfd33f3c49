// SPDX-License-Identifier: Apache-2.0

// `explore --certificate`, and the answers of check-certificate, from the command line.
#include "app/command_test.hpp"
#include "scenarios/registry/read_certificate.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

const std::string kScopes = std::string(LOCKKEEPER_SOURCE_DIR) + "/scenarios/canal/small_scopes/";
const std::string kPassing = kScopes + "1_caller_unlock_before_down.json";
const std::string kLeases =
    std::string(LOCKKEEPER_SOURCE_DIR) + "/scenarios/leases/published/db_ttl_too_short.json";

class Certify : public WithFiles {
  protected:
    // Returns the certificate that the command wrote.
    std::string certificate_of(const std::string& scenario) {
        file_ = path("certificate.json");
        const Ran ran = run({"explore", scenario, "--certificate", file_, "--force"});
        EXPECT_EQ(kExitPassed, ran.exit_code) << ran.out << ran.err;
        EXPECT_TRUE(contains(ran.out, "written: " + file_)) << ran.out;
        return read_whole(file_);
    }
    Ran check(const std::string& text, const std::string& scenario) {
        return run({"check-certificate", write("other.json", text), scenario});
    }
    void expect_no_proof(const std::string& text, const std::string& scenario,
                         const std::string& why) {
        const Ran ran = check(text, scenario);
        EXPECT_EQ(kExitViolated, ran.exit_code) << ran.out << ran.err;
        EXPECT_TRUE(contains(ran.out, "the certificate is no proof: " + why)) << ran.out;
    }

    std::string file_;
};

TEST_F(Certify, APassIsWrittenAndChecked) {
    for (const std::string& scenario : {kPassing, kLeases}) {
        certificate_of(scenario);
        const Ran checked = run({"check-certificate", file_, scenario});
        EXPECT_EQ(kExitPassed, checked.exit_code) << checked.out << checked.err;
        EXPECT_TRUE(contains(checked.out, "verdict: passed: the certificate is a proof"))
            << checked.out;
        EXPECT_TRUE(contains(checked.out, "states listed ")) << checked.out;
    }
}

TEST_F(Certify, TheSameIsWrittenHoweverTheScopeWasExplored) {
    const std::string text = certificate_of(kLeases);
    const std::string again = path("again.json");
    for (const std::vector<std::string>& how : {std::vector<std::string>{"--frontier", "stack"},
                                                {"--no-symmetry"},
                                                {"--jobs", "3"},
                                                {"--reduction", "private-steps"}}) {
        std::vector<std::string> arguments{"explore", kLeases, "--certificate", again, "--force"};
        arguments.insert(arguments.end(), how.begin(), how.end());
        const Ran ran = run(arguments);
        EXPECT_EQ(kExitPassed, ran.exit_code) << how.front() << ran.out << ran.err;
        EXPECT_EQ(read_whole(again), text) << how.front();
        std::filesystem::remove(again);
    }
}

TEST_F(Certify, AGoalOfItsScenarioIsReachedOrTheCheckFails) {
    const std::string text = certificate_of(kPassing);
    const Ran checked = run({"check-certificate", file_, kPassing});
    EXPECT_TRUE(contains(checked.out, "goals reached           released, crashed")) << checked.out;
    std::string other = read_whole(kPassing);
    const std::string reach = R"("reach": ["released", "crashed"])";
    other.replace(other.find(reach), reach.size(), R"("reach": ["full"])");
    const Ran missed = check(text, write("full.json", other));
    EXPECT_EQ(kExitViolated, missed.exit_code) << missed.out;
    EXPECT_TRUE(contains(missed.out, "verdict: unreached: goal full")) << missed.out;
}

TEST_F(Certify, WhatIsViolatedHasNone) {
    const std::string file = path("none.json");
    const Ran ran = run({"explore", write_pair("leaks.json"), "--certificate", file});
    EXPECT_EQ(kExitViolated, ran.exit_code) << ran.out;
    EXPECT_FALSE(std::filesystem::exists(file));
}

// A character of each line, and lines that are missing, are there twice or are of somebody else.
TEST_F(Certify, WhateverIsChangedIsRefused) {
    const std::string text = certificate_of(kPassing);
    const std::size_t states = text.find("\"states\"");
    int tried = 0;
    for (std::size_t at = 0; at < text.size(); at += at < states ? 41 : 3) {
        std::string other = text;
        other[at] = other[at] == '1' ? '2' : '1';
        const Ran ran = check(other, kPassing);
        EXPECT_TRUE(ran.exit_code == kExitViolated || ran.exit_code == kExitInput)
            << at << ran.out << ran.err;
        ++tried;
    }
    EXPECT_GT(tried, 50);
    const std::size_t line = text.find("    [", states);
    const std::size_t next = text.find("    [", line + 1);
    std::string less = text;
    less.erase(line, next - line);
    EXPECT_NE(check(less, kPassing).exit_code, kExitPassed);
    std::string twice = text;
    twice.insert(line, text.substr(line, next - line));
    expect_no_proof(twice, kPassing, "a state is listed twice");
    expect_no_proof(text + "\n", kPassing, "it is not written as certificates are");
}

TEST_F(Certify, ItIsForOneScenarioAndItsPropertiesOnly) {
    const std::string text = certificate_of(kPassing);
    expect_no_proof(text, kLeases, "it belongs to another scenario");
    expect_no_proof(text, kScopes + "3_callers_1x1.json", "it belongs to another scenario");
    for (const char* check : {"leak", "safety"}) {
        const Ran ran = run({"check-certificate", file_, kPassing, "--check", check});
        EXPECT_EQ(kExitViolated, ran.exit_code) << ran.out;
        EXPECT_TRUE(contains(ran.out, "it proves other properties")) << ran.out;
    }
    const Ran crashes = run({"check-certificate", file_, kPassing, "--set", "max_decr_tries=3"});
    EXPECT_TRUE(contains(crashes.out, "it belongs to another scenario")) << crashes.out;
}

// A set of another kind under the name of this one, and numbers that lead nowhere.
TEST_F(Certify, WhatIsNoCertificateIsRefusedWithItsPlace) {
    const std::string text = certificate_of(kPassing);
    const std::size_t states = text.find("\"states\": [\n    [") + 16;
    for (const char* number : {"-1", "999999", "1.5", "\"0\"", "null"}) {
        std::string other = text;
        other.replace(states, 1, number);
        const Ran ran = check(other, kPassing);
        EXPECT_EQ(kExitInput, ran.exit_code) << number << ran.out;
        EXPECT_TRUE(contains(ran.err, "other.json:")) << ran.err;
    }
    const std::size_t parts = text.find("\"parts\": [\n    [\"") + 16;
    for (const char* bytes : {"00", "0", "zz"}) {  // of another width, or none
        std::string other = text;
        other.insert(parts, bytes);
        EXPECT_EQ(kExitInput, check(other, kPassing).exit_code) << bytes;
    }
}

TEST_F(Certify, MoreThanAStateHasIsRefusedBeforeItIsPutTogether) {
    std::string part = "\"";
    part += std::string(std::size_t{2} * 1'000, '0') + "\"";
    const std::string bomb =
        R"({"$schema": "closed_states.schema.json", "kind": "closed states", "version": 1,
        "scenario": "", "proved": ["leak"], "parts": [[)" +
        part + "], [" + part + R"(]], "states": [[0, 0]]})";
    const Ran ran = check(bomb, kPassing);
    EXPECT_EQ(kExitInput, ran.exit_code) << ran.out;
    EXPECT_TRUE(contains(ran.err, "expected the bytes of a state")) << ran.err;
    const std::string huge(kCertificateBytesMax + 1, ' ');
    EXPECT_EQ(kExitInput, check(huge, kPassing).exit_code);
}

TEST_F(Certify, TooManyStatesAreRefusedWithASentence) {
    const std::string file = path("large.json");
    const Ran ran = run({"explore", write("large.json.scenario", R"({"version": 1,
        "system": "canal", "variant": "repaired", "callers": [{"count": 5, "script": [
        {"acquire": {"key": "db", "max_per": 1, "buckets": 2}},
        {"release": {"key": "db", "max_per": 1, "buckets": 2}}]}],
        "check": ["over-allocation"]})"),
                         "--certificate", file});
    EXPECT_EQ(kExitInput, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, "verdict: passed")) << ran.out;
    EXPECT_TRUE(contains(ran.err, "no certificate: more than 200,000 states without symmetry"))
        << ran.err;
    EXPECT_FALSE(std::filesystem::exists(file));
}

// 0, 1, 2: so many steps are done.
struct TwoSteps {
    struct State {
        std::uint32_t done;
    };
    [[nodiscard]] static State initial() { return {0}; }
    static void enabled(const State& state, ActionList& out) {
        out.clear();
        if (state.done < 2) {
            out.add({0, ActionKind::kStep, 0});
        }
    }
    static Event apply(State& state, Action) {
        ++state.done;
        return {};
    }
    static void observe(const State&, Observation& out) { out = Observation{}; }
    [[nodiscard]] static bool quiescent(const State&) { return true; }
    [[nodiscard]] static bool finished(const State& state) { return state.done == 2; }
    [[nodiscard]] static std::string describe(const State&, Action) { return "step"; }
    [[nodiscard]] static std::string show(const State&) { return ""; }
};

// An explorer that always passes, and what it says when it is asked for its states.
struct Explored {
    std::vector<std::uint32_t> states;
    Verdict verdict = Passed{};
    std::string limit = {};
};
Registry explorer_that_says(const Explored& said) {
    return fake_registry([said](FakeRunner& runner) {
        runner.system.emplace(TwoSteps());
        runner.on_explore = [said](const ExploreOptions& options) {
            ExploreResult result;
            result.complete = true;
            result.verdict = Passed{};
            if (options.each_state) {
                EXPECT_FALSE(options.symmetry);
                EXPECT_EQ(options.reduction, Reduction::kNone);
                result.verdict = said.verdict;
                result.limit = said.limit;
                for (const std::uint32_t& state : said.states) {
                    options.each_state({reinterpret_cast<const char*>(&state), sizeof(state)});
                }
            }
            return result;
        };
    });
}

// The planted bug: the pass of an explorer that is wrong is none, and nothing is written.
TEST_F(Certify, APassThatIsNotConfirmedIsNone) {
    const std::string scenario = write_pair("two.json", R"("check": ["leak"], )");
    const std::string to = path("c.json");
    const auto explore = [&](const Explored& said) {
        return run(explorer_that_says(said), {"explore", scenario, "--certificate", to});
    };
    for (const std::vector<std::uint32_t>& some :
         {std::vector<std::uint32_t>{0, 1}, {0, 2}, {1, 2}, {}}) {
        const Ran ran = explore({some});
        EXPECT_EQ(kExitInconclusive, ran.exit_code) << ran.out << ran.err;
        EXPECT_TRUE(contains(ran.out,
                             "verdict: inconclusive: its certificate is refused: a state "
                             "can be reached that is not listed"))
            << ran.out;
    }
    for (const Verdict& other : {Verdict(Violated{}), Verdict(Stuck{})}) {
        const Ran ran = explore({{0, 1, 2}, other});
        EXPECT_EQ(kExitInconclusive, ran.exit_code) << ran.out << ran.err;
        EXPECT_TRUE(contains(ran.out, "without symmetry it is not passed")) << ran.out;
    }
    const Ran late = explore({{0, 1, 2}, Inconclusive{"time"}, "time"});
    EXPECT_EQ(kExitInput, late.exit_code) << late.out << late.err;
    EXPECT_TRUE(contains(late.err, "limit time ended the search without symmetry")) << late.err;
    EXPECT_FALSE(std::filesystem::exists(to));
    EXPECT_EQ(kExitPassed, explore({{2, 0, 1}}).exit_code);
    EXPECT_TRUE(std::filesystem::exists(to));
}

TEST_F(Certify, WhereOnlyTheGraphIsAskedAboutThereIsNothingToProve) {
    const std::string file = path("none.json");
    const Ran ran = run({"explore", kPassing, "--check", "livelock", "--certificate", file});
    EXPECT_EQ(kExitInput, ran.exit_code) << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.err, "nothing that is checked is seen in states")) << ran.err;
}

TEST_F(Certify, WrongUsesAreRefused) {
    const std::string to = path("c.json");
    EXPECT_EQ(kExitUsage, run({"explore", kPassing, kLeases, "--certificate", to}).exit_code);
    EXPECT_EQ(kExitUsage, run({"fuzz", kPassing, "--certificate", to}).exit_code);
    const std::string bounds =
        std::string(LOCKKEEPER_SOURCE_DIR) + "/scenarios/leases/bounds/db_free_after_a_crash.json";
    EXPECT_EQ(kExitUsage, run({"explore", bounds, "--certificate", to}).exit_code);
    const std::string other = write("other.txt", "not ours");
    EXPECT_EQ(kExitInput, run({"explore", kPassing, "--certificate", other}).exit_code);
    EXPECT_EQ(read_whole(other), "not ours");
}

}  // namespace
}  // namespace lockkeeper
