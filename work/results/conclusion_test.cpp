// SPDX-License-Identifier: Apache-2.0

// The name of each verdict, and the exit code that follows from it.
#include "work/results/conclusion.hpp"

#include <set>

#include <gtest/gtest.h>

#include "model/json.hpp"

namespace lockkeeper {
namespace {

struct Known {
    Verdict verdict;
    std::string_view name;
    int exit_code;
};
const Known kAll[] = {
    {Passed{}, "passed", 0},
    {Violated{}, "violated", 1},
    {Stuck{}, "stuck", 1},
    {Unreached{}, "unreached", 1},
    {Inconclusive{}, "inconclusive", 2},
    {Diverged{}, "diverged", 3},
    {NotDeterministic{}, "not deterministic", 3},
    {RefusedFile{}, "error", 65},
    {Disagreement{}, "disagreement", 70},
    {Error{}, "error", 70},
};

TEST(Verdicts, HaveANameAndAnExitCodeEach) {
    std::set<std::size_t> kinds;
    for (const Known& known : kAll) {
        EXPECT_EQ(known.name, name_of(known.verdict));
        EXPECT_EQ(known.exit_code, exit_code_of(known.verdict)) << known.name;
        kinds.insert(known.verdict.index());
    }
    EXPECT_EQ(std::variant_size_v<Verdict>, kinds.size());
}

TEST(Verdicts, HaveOtherWordsWhereNobodyIsTested) {
    const VerdictWords words{"satisfied", "exceeded"};
    EXPECT_EQ("satisfied", name_of(Passed{}, words));
    EXPECT_EQ("exceeded", name_of(Violated{}, words));
    EXPECT_EQ("inconclusive", name_of(Inconclusive{}, words));
}

TEST(Verdicts, SayWhichLimitOrWhatElse) {
    EXPECT_EQ("inconclusive: ended by limit: time", verdict_text(Inconclusive{"time"}));
    EXPECT_EQ("inconclusive: nothing was granted",
              verdict_text(Inconclusive{"", "nothing was granted"}));
    EXPECT_EQ("passed", verdict_text(Passed{}));
    EXPECT_EQ("violated: other", verdict_text(with_detail(Violated{"one"}, "other")));
}

TEST(Verdicts, AreTwoMembersOfADocument) {
    nlohmann::ordered_json json;
    add_verdict(Diverged{"step 3"}, {}, json);
    EXPECT_EQ(R"({"verdict":"diverged","detail":"step 3"})", json.dump());
}

TEST(Conclusion, AnInterruptAndAFileThatCannotBeWrittenChangeTheExitCode) {
    EXPECT_EQ(kExitViolated, exit_code_of(Conclusion{Violated{}}));
    EXPECT_EQ(kExitInterrupted, exit_code_of(Conclusion{Violated{}, true, true}));
    EXPECT_EQ(kExitInput, exit_code_of(Conclusion{Violated{}, false, true}));
    EXPECT_EQ(kExitInternal, exit_code_of(Conclusion{Error{}, false, true}));
}

}  // namespace
}  // namespace lockkeeper
