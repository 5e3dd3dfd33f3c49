// SPDX-License-Identifier: Apache-2.0

// Scenarios and traces of locks that are no model, given to the verbs that run models: each says in
// one line what to type instead.
#include "app/command_test.hpp"
#include "model/observation.hpp"
#include "reports/writer.hpp"
#include "validate/wire/wire_scenario.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

const std::string kOneCaller =
    R"("callers": [{"name": "A", "script": [{"acquire": {"key": "db"}}]}])";

struct ModelVerb {
    std::string name;
    std::vector<std::string> words;
    std::string more = {};  // what is typed behind the file
};
std::ostream& operator<<(std::ostream& out, const ModelVerb& verb) { return out << verb.name; }

class OutsideVerbs : public WithFiles, public ::testing::WithParamInterface<ModelVerb> {
  protected:
    void SetUp() override {
        WithFiles::SetUp();
        const bool needs_pages = GetParam().name == "serve" || GetParam().name == "report";
        if (needs_pages && !why_no_pages().empty()) {
            GTEST_SKIP() << why_no_pages();
        }
    }
    [[nodiscard]] std::string scenario(const std::string& system) const {
        return write(system + ".json",
                     R"({"version": 1, "system": ")" + system + "\", " + kOneCaller + "}");
    }
    [[nodiscard]] std::string trace(const std::string& system, const std::string& more) const {
        return write("found.trace.json",
                     R"({"version": 1, "kind": "trace", "command": "./lock --all", )" + more +
                         R"("steps": [{"action": "s0"}], "scenario": {"version": 1, "system": ")" +
                         system + "\", " + kOneCaller + "}}");
    }
    void says(const std::string& file, const std::string& command) const {
        std::vector<std::string> words = GetParam().words;
        std::string more = GetParam().more;
        for (std::string* text : {&more, &words.back()}) {
            if (const std::size_t at = text->find("OUT"); at != std::string::npos) {
                text->replace(at, 3, path("out.html"));
            }
        }
        words.push_back(file);
        const Ran ran = run(words);
        EXPECT_EQ(kExitInput, ran.exit_code) << ran.out << ran.err;
        expect_one_line(ran, "type: lockkeeper validate " + command + " " + file + more + "\n");
    }
};

TEST_P(OutsideVerbs, SayWhatToTypeForAScenarioOfAProgram) {
    says(scenario("program"), "--program COMMAND");
    says(scenario("outside"), "--program COMMAND");
}

TEST_P(OutsideVerbs, SayWhatToTypeForAScenarioOfUnmodifiedClients) {
    says(scenario("wire"), "--wire SERVER --client COMMAND");
}

TEST_P(OutsideVerbs, SayWhatReplaysATraceOfAProgramWhateverItsScenarioIsOf) {
    says(trace("program", ""), "--program './lock --all'");
    says(trace("canal", ""), "--program './lock --all'");
}

TEST_P(OutsideVerbs, SayWhatReplaysATraceOfUnmodifiedClients) {
    says(trace("wire", ""), "--wire SERVER --client './lock --all'");
    says(trace("canal", R"("validate": ["--wire", "redis", "--client", "./lock --all"], )"),
         "--wire redis --client './lock --all'");
}

INSTANTIATE_TEST_SUITE_P(
    Each, OutsideVerbs,
    ::testing::Values(ModelVerb{"run", {"run"}}, ModelVerb{"explore", {"explore"}},
                      ModelVerb{"fuzz", {"fuzz"}}, ModelVerb{"replay", {"replay"}},
                      ModelVerb{"replay_schedule",
                                {"replay", "--schedule", "lk1:1:s0"},
                                " --replay-choices 'lk1:1:s0'"},
                      ModelVerb{"measure", {"measure"}}, ModelVerb{"sweep", {"sweep"}},
                      ModelVerb{"report", {"report", "-o", "OUT"}, " --report OUT"},
                      ModelVerb{"serve", {"serve"}}, ModelVerb{"prove", {"prove"}},
                      ModelVerb{"check_certificate", {"check-certificate", "none.json"}},
                      ModelVerb{"against", {"validate", "--against", "canal/repaired"}}),
    [](const auto& one) { return one.param.name; });

TEST_F(WithFiles, ASweepOfALockOutsideSaysSo) {
    const std::string file = write(
        "s.json", R"({"sweep_version": 1, "about": "x", "scenario": {"version": 1, "system": )"
                  R"("program", )" +
                      kOneCaller + R"(}, "axes": []})");
    const Ran ran = run({"sweep", file});
    EXPECT_EQ(kExitInput, ran.exit_code);
    expect_one_line(ran, "/scenario: ");
    expect_one_line(ran, "type: lockkeeper validate --program COMMAND FILE\n");
}

TEST_F(WithFiles, ATraceWhoseWordsAreNoListIsRefused) {
    const std::string file =
        write("found.trace.json", R"({"version": 1, "kind": "trace", "command": "./lock",
            "validate": "--program", "steps": [{"action": "s0"}], "scenario": {"version": 1, )" +
                                      kOneCaller + "}}");
    const Ran ran = run({"replay", file});
    EXPECT_EQ(kExitInput, ran.exit_code);
    expect_one_line(ran, "/validate: expected an array, found the string \"--program\"");
}

TEST(OutsideCallers, AreAsManyAsPagesHelpAndMessagesSay) {
    const std::string root = LOCKKEEPER_SOURCE_DIR;
    const std::string programs = std::to_string(kCallersMax);
    const std::string clients = std::to_string(wire::kWireCallersMax);
    EXPECT_TRUE(contains(read_whole(root + "/docs/reference/program_rules.md"),
                         "\n- " + programs + " callers, "));
    EXPECT_TRUE(
        contains(read_whole(root + "/docs/reference/wire.md"), "At most " + clients + " callers"));
    EXPECT_TRUE(contains(run({"list", "limits"}).out, "callers"));
    EXPECT_TRUE(contains(run({"validate", "--help"}).out, "so many callers, at most " + clients));
    const Ran many = run({"validate", "--wire", "redis", "--client", "true", "--callers",
                          std::to_string(wire::kWireCallersMax + 1)});
    EXPECT_EQ(kExitUsage, many.exit_code) << many.out;
    expect_one_line(many, "--callers: from 1 to " + clients);
}

TEST_F(WithFiles, AProgramMayHaveAsManyCallersAsAScenario) {
    const auto of = [&](std::size_t callers) {
        const std::string file =
            write("many.json",
                  R"({"version": 1, "system": "program", "callers": [{"name": "A", "count": )" +
                      std::to_string(callers) + R"(, "script": [{"acquire": {"key": "db"}}]}]})");
        return run({"validate", "--program", "false", file});
    };
    expect_one_line(of(kCallersMax), "false: ");  // the program is what is wrong
    expect_one_line(of(kCallersMax + 1), "/callers/0/count: expected 1 to ");
}

// Nothing of a lock needs to run for this: it fails, and that is an annotation as well.
TEST_F(WithFiles, AnAnnotationOfABuiltInScenarioIsAtTheProgram) {
    const std::string lock = write("lock.sh", "exit 3\n");
    const std::string at = "file=" + lock + ",line=1,col=1,title=";
    const Ran program =
        run({"validate", "--program", "sh " + lock, "--format", "github", "built-in:two-callers"});
    EXPECT_TRUE(contains(program.out, at)) << program.out << program.err;
    const Ran sarif =
        run({"validate", "--program", "sh " + lock, "--format", "sarif", "built-in:two-callers"});
    EXPECT_TRUE(contains(sarif.out, "\"uri\":\"file://" + lock + "\"")) << sarif.out;
    EXPECT_FALSE(contains(sarif.out, "\"uri\":\"built-in")) << sarif.out;
}

TEST_F(WithFiles, AnAnnotationOfAScenarioFileIsAtTheScenario) {
    const std::string file =
        write("one.json", "\n{\"version\": 1, \"system\": \"program\", " + kOneCaller + "}");
    const std::string lock = write("lock.sh", "exit 3\n");
    const Ran ran = run({"validate", "--program", "sh " + lock, "--format", "github", file});
    EXPECT_TRUE(contains(ran.out, "file=" + file + ",line=")) << ran.out << ran.err;
}

}  // namespace
}  // namespace lockkeeper
