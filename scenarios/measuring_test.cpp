// SPDX-License-Identifier: Apache-2.0

// Laws, traffic and bounds of rates: what is read, what is refused, with which words.
#include <gtest/gtest.h>

#include "model/json.hpp"
#include "scenarios/scenario_test_support.hpp"
#include "scenarios/schema_check_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scenarios;

std::string with(const std::string& members) {
    return with_script("[" + std::string(kTake) + "]", ", " + members);
}

TEST(Laws, AreUniformWeightsOrRates) {
    EXPECT_FALSE(accepted(with(R"("check": "all")")).law);
    EXPECT_EQ(accepted(with(R"("law": "uniform")")).law, Law{});
    const auto weights = accepted(with(R"("law": {"weights": {"crash": 0.001}})")).law;
    ASSERT_TRUE(weights);
    EXPECT_EQ(weights->kind, LawKind::kWeights);
    EXPECT_EQ(weights->weight(ActionClass::kCrash), 0.001);
    EXPECT_EQ(weights->weight(ActionClass::kStep), 1);
}

TEST(Laws, RatesThatAreNotNamedAreThoseOfAStepOrOfWhatNeverHappens) {
    const auto law = accepted(with(R"("law": {"rates_per_second": {"step": 1000, "arrival": 2},
                                              "rates_per_hour": {"crash": 36}})"))
                         .law;
    ASSERT_TRUE(law);
    EXPECT_EQ(law->kind, LawKind::kRates);
    EXPECT_EQ(law->weight(ActionClass::kArrival), 2);
    EXPECT_EQ(law->weight(ActionClass::kCrash), 0.01);
    EXPECT_EQ(law->weight(ActionClass::kBackground), 1000);
    EXPECT_EQ(law->weight(ActionClass::kTime), 1000);
    EXPECT_EQ(law->weight(ActionClass::kResize), 0);
    EXPECT_EQ(law->weight(ActionClass::kFault), 0);
}

TEST(Laws, AreRefusedWithTheirPlace) {
    EXPECT_EQ(refusal(with(R"("law": "unifrom")")),
              R"(x.json: /law: expected "uniform", found the string "unifrom")");
    EXPECT_EQ(refusal(with(R"("law": {"weights": {"stp": 1}})")),
              R"(x.json: /law/weights: unknown key "stp"; did you mean "step"?)");
    EXPECT_EQ(refusal(with(R"("law": {"weights": {"crash": -1}})")),
              "x.json: /law/weights/crash: expected 0 to 1000000000000, found -1");
    EXPECT_EQ(refusal(with(R"("law": {"weights": {"crash": 1e-15}})")),
              "x.json: /law/weights/crash: expected 1e-12 to 1000000000000, found 1e-15");
    EXPECT_EQ(refusal(with(R"("law": {"weights": {"step": 0}})")),
              R"(x.json: /law: "step" needs a number above 0)");
    EXPECT_EQ(refusal(with(R"("law": {"rates_per_hour": {"crash": 1}})")),
              R"(x.json: /law: "step" needs a number above 0)");
    EXPECT_EQ(refusal(with(R"("law": {"rates_per_second": {"step": 1, "crash": 1},
                                      "rates_per_hour": {"crash": 1}})")),
              "x.json: /law/rates_per_hour/crash: has a rate per second already");
    const std::string either = R"(x.json: /law: expected either "weights" or rates )"
                               R"(("rates_per_second", "rates_per_hour"))";
    EXPECT_EQ(refusal(with(R"("law": {})")), either);
    EXPECT_EQ(refusal(with(R"("law": {"weights": {}, "rates_per_second": {"step": 1}})")), either);
}

TEST(Traffic, NeedsTheAcquiresAndNothingElse) {
    const auto traffic = accepted(with(R"("traffic": {"acquires_per_second": 5})")).traffic;
    ASSERT_TRUE(traffic);
    EXPECT_EQ(*traffic, (Traffic{5, 0, 0, 0, 1000}));
    EXPECT_EQ(refusal(with(R"("traffic": {"hold_seconds": 1})")),
              R"(x.json: /traffic: missing key "acquires_per_second")");
    EXPECT_EQ(refusal(with(R"("traffic": {"acquires_per_second": 1, "hold_second": 1})")),
              R"(x.json: /traffic: unknown key "hold_second"; did you mean "hold_seconds"?)");
    EXPECT_EQ(refusal(with(R"("traffic": {"acquires_per_second": 0})")),
              "x.json: /traffic/acquires_per_second: expected 1e-12 to 1000000000000, found 0");
}

TEST(MaxRate, IsAProbabilityAndGoesWithSearches) {
    const auto expect = accepted(with(R"("expect": {"max_rate": {"leak": 1e-6}})")).expect;
    EXPECT_EQ(expect.max_rate, (std::map<std::string, double>{{"leak", 1e-6}}));
    EXPECT_EQ(refusal(with(R"("expect": {"max_rate": {"leak": 1.5}})")),
              "x.json: /expect/max_rate/leak: expected 0 to 1, found 1.5");
    EXPECT_EQ(refusal(with(R"("order": ["A"], "expect": {"max_rate": {"leak": 0}})")),
              R"(x.json: /expect/max_rate: goes with "method": "explore" or "fuzz" only, )"
              R"(without "find")");
}

TEST(Measuring, IsRefusedBySchemaAndParserAlike) {
    for (const char* members :
         {R"("law": "unifrom")", R"("law": {})", R"("law": {"weights": {"crash": 1e-15}})",
          R"("law": {"weights": {}, "rates_per_second": {"step": 1}})",
          R"("traffic": {"hold_seconds": 1})", R"("traffic": {"acquires_per_second": 0})",
          R"("expect": {"max_rate": {"leak": 1.5}})"}) {
        EXPECT_NE(refusal(with(members)), "accepted") << members;
        EXPECT_NE("", scenario_complaint(nlohmann::json::parse(with(members)))) << members;
    }
}

}  // namespace
}  // namespace lockkeeper
