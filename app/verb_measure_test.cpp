// SPDX-License-Identifier: Apache-2.0

// `measure` and the bounds of `run` from end to end, in-process.
#include <algorithm>
#include <cmath>

#include "app/command_test.hpp"
#include "model/json.hpp"
#include "scenarios/schema_check_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;
using nlohmann::json;
using testing_scenarios::report_complaint;

class Measure : public WithFiles {
  protected:
    [[nodiscard]] std::string leaky(const std::string& more = "") const {
        return write_pair("a.json", R"("check": ["leak", "over-allocation"], )" + more);
    }
    static json measured(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "measure");
        arguments.insert(arguments.end(), {"--format", "json"});
        const Ran ran = run(arguments);
        EXPECT_EQ("", report_complaint(ran.out, "measure.schema.json")) << ran.out << ran.err;
        return json::parse(ran.out);
    }
    static double leak_per_run(const json& point) {
        return point["result"]["properties"][0]["per_run"]["value"].get<double>();
    }
};

TEST_F(Measure, SaysLawPrecisionAndTheCommandThatRepeatsIt) {
    const std::string file = leaky();
    const Ran ran = run({"measure", file});
    EXPECT_EQ(kExitPassed, ran.exit_code) << ran.err;
    EXPECT_EQ("", ran.err);
    EXPECT_TRUE(contains(ran.out, "seed 1  law uniform (default)  scope: 2 callers"));
    EXPECT_TRUE(contains(ran.out, "canal/faithful, exact: "));
    EXPECT_TRUE(contains(ran.out, "\nchecked: 20,000 sampled runs agree: "));
    EXPECT_TRUE(contains(ran.out, "\nP2 leak  "));
    EXPECT_TRUE(contains(ran.out, "\nnever: P1 over-allocation\n"));
    EXPECT_TRUE(contains(ran.out, "verdict: measured\nprecision: 1 exact (1 also sampled)\n"));
    EXPECT_TRUE(contains(ran.out, "repeat: lockkeeper measure " + file + " --seed 1\n"));
    const Ran own = run({"measure", file, "--law", "weights:step=1"});
    EXPECT_TRUE(contains(own.out, " --seed 1 --law 'weights:step=1'\n")) << own.out;
}

TEST_F(Measure, AGoalThatIsMissedIsUnreached) {
    EXPECT_TRUE(contains(run({"measure", leaky(R"("reach": ["released"], )")}).out,
                         "goals reached           released\nverdict: measured"));
    const Ran missed = run({"measure", leaky(R"("reach": ["released", "lost"], )")});
    EXPECT_EQ(kExitViolated, missed.exit_code) << missed.err;
    EXPECT_TRUE(contains(missed.out, "verdict: unreached: goal lost\n")) << missed.out;
}

TEST_F(Measure, ExactAndSampledAreAboutTheSameRuns) {
    const std::string file = leaky();
    const json exact = measured({file, "--method", "exact"})["files"][0]["points"][0];
    const json sampled =
        measured({file, "--method", "sampled", "--runs", "50000"})["files"][0]["points"][0];
    const json& figure = sampled["result"]["properties"][0]["per_run"];
    EXPECT_GT(leak_per_run(exact), 0);
    EXPECT_LE(figure["low"], leak_per_run(exact));
    EXPECT_GE(figure["high"], leak_per_run(exact));
    EXPECT_EQ(sampled["result"]["runs"], 50'000);
    EXPECT_TRUE(exact["agreement"].is_null());
}

TEST_F(Measure, WritesTheExtremeSchedulesAsTracesThatReplay) {
    const std::string file = leaky();
    const json document = measured(
        {file, "--bounds", "--method", "exact", "--check", "leak", "--out", path("extremes")});
    const json files = document["files"][0]["files_written"];
    ASSERT_EQ(2U, files.size()) << document;
    const std::string worst = files[0].get<std::string>();
    const std::string best = files[1].get<std::string>();
    EXPECT_TRUE(contains(worst, "extremes/leak-")) << worst;
    EXPECT_TRUE(contains(best, "extremes/no-leak-")) << best;
    const Ran shown = run({"replay", worst});
    EXPECT_EQ(kExitViolated, shown.exit_code) << shown.out << shown.err;
    EXPECT_TRUE(contains(shown.out, "P2 leak")) << shown.out;
    const Ran right = run({"replay", best});
    EXPECT_EQ(kExitPassed, right.exit_code) << right.out << right.err;
}

TEST_F(Measure, RefusesABadValueOfASweepBeforeItMeasuresTheGoodOnes) {
    const Ran ran = run({"measure", leaky(), "--sweep", "max_decr_tries=0,1,100000"});
    EXPECT_EQ(kExitUsage, ran.exit_code) << ran.out << ran.err;
    EXPECT_FALSE(contains(ran.out, "exact: ")) << ran.out;
}

TEST_F(Measure, SeedDecidesAndWorkersDoNot) {
    const std::string file = leaky();
    const auto figures = [&](const std::string& jobs, const std::string& seed) {
        json result = measured({file, "--method", "sampled", "--runs", "20000", "--jobs", jobs,
                                "--seed", seed})["files"][0]["points"][0]["result"];
        result.erase("seconds");
        return result;
    };
    EXPECT_EQ(figures("1", "7"), figures("2", "7"));
    EXPECT_NE(figures("1", "7"), figures("1", "8"));
}

TEST_F(Measure, TheLawOfTheCommandLineGoesBeforeTheOneOfTheFile) {
    const std::string file = leaky(R"("law": {"weights": {"step": 2}}, )");
    const json of_file = measured({file})["files"][0]["law"];
    EXPECT_EQ(of_file["text"], "weights:step=2");
    EXPECT_EQ(of_file["from"], "the scenario");
    const json of_flag = measured({file, "--law", "rates:step=1000,arrival=2,crash=36/h"});
    EXPECT_EQ(of_flag["files"][0]["law"]["text"], "rates:step=1000,arrival=2,crash=0.01");
    EXPECT_EQ(of_flag["files"][0]["law"]["from"], "--law");
    EXPECT_FALSE(of_flag["files"][0]["points"][0]["result"]["seconds_per_run"].is_null());
}

TEST_F(Measure, WithoutALawTrafficSaysTheRates) {
    const json file = measured({leaky(R"("faults": {"crashes": 1}, "traffic":
        {"acquires_per_second": 10, "hold_seconds": 0.5, "crashes_per_hour": 72,
         "steps_per_second": 100}, )")})["files"][0];
    EXPECT_EQ(file["law"]["from"], "its traffic");
    EXPECT_EQ(file["law"]["text"], "rates:step=100,arrival=5,departure=2,crash=0.01");
    EXPECT_FALSE(file["points"][0]["forecast"].is_null());
}

TEST_F(Measure, ForecastsWhatTheRatesMeanForTheTraffic) {
    const std::string file =
        leaky(R"("law": "uniform", "traffic": {"acquires_per_second": 100}, )");
    const json point = measured({file, "--keep-loss-under", "50%"})["files"][0]["points"][0];
    const json& forecast = point["forecast"];
    const auto value = [&](const char* name) { return forecast[name]["value"].get<double>(); };
    const double per_acquire = point["result"]["capacity_lost_per_run"]["value"].get<double>() /
                               point["result"]["acquires_per_run"]["value"].get<double>();
    EXPECT_EQ(point["capacity"], 2);
    EXPECT_NEAR(value("units_per_day"), per_acquire * 8'640'000, 1e-6);
    EXPECT_NEAR(value("seconds_to_seizure"), 2 / (per_acquire * 100), 1e-6);
    EXPECT_NEAR(value("restart_seconds"), 1 / (per_acquire * 100), 1e-6);
    const Ran text = run({"measure", file});
    EXPECT_TRUE(contains(text.out, "forecast for 100 acquires per second\n")) << text.out;
    EXPECT_TRUE(contains(text.out, " keeps the loss under 1 % of the capacity\n"));
}

TEST_F(Measure, SaysWhoIsServedByTheAgeOfTheWait) {
    const auto served = [&](const std::string& name) {
        return measured({"scenarios/transactional/" + name, "--method", "sampled", "--ages",
                         "--runs", "2000"})["files"][0]["points"][0]["result"]["served"];
    };
    const auto end = [](const json& of, const char* name, const char* which) {
        return of.at(name).at(which).get<double>();
    };
    const json line = served("pg/published/four_waiters_in_order.json");
    EXPECT_GT(end(line, "contended_per_run", "low"), 3);
    EXPECT_GT(end(line, "to_longest", "low"), end(line, "by_equal_chances", "high"));
    const json tries = served("try_retry/overtaken_3.json");
    for (const char* name : {"to_longest", "to_newest"}) {  // two callers
        EXPECT_EQ(end(tries, "by_equal_chances", "value"), 0.5);
        EXPECT_LT(end(tries, name, "low"), 0.5);
        EXPECT_GT(end(tries, name, "high"), 0.5);
    }
    EXPECT_TRUE(measured({leaky()})["files"][0]["points"][0]["result"]["served"].is_null());
    const Ran refused = run({"measure", leaky(), "--ages"});
    EXPECT_EQ(refused.exit_code, kExitUsage);
    EXPECT_TRUE(contains(refused.err, "--ages are of runs: they go with --method sampled"));
}

TEST_F(Measure, SweepsEveryPairOfValues) {
    const json points = measured({leaky(), "--method", "exact", "--sweep", "callers=1..2",
                                  "--sweep", "max_per=1,2"})["files"][0]["points"];
    ASSERT_EQ(points.size(), 4U);
    EXPECT_EQ(points[0]["at"], (json{{"callers", 1}, {"max_per", 1}}));
    EXPECT_EQ(points[3]["at"], (json{{"callers", 2}, {"max_per", 2}}));
    EXPECT_TRUE(contains(points[3]["scope"].get<std::string>(), "2 callers, 1 key, max_per 2"));
    EXPECT_EQ(leak_per_run(points[0]), 0);
    EXPECT_GT(leak_per_run(points[2]), 0);
}

TEST_F(Measure, SweepsBucketsWithTheirTableAndTheLaw) {
    const json buckets = measured({leaky(), "--method", "exact", "--sweep", "buckets=1,3"});
    EXPECT_TRUE(
        contains(buckets["files"][0]["points"][1]["scope"].get<std::string>(), "buckets 3"));
    const json laws = measured({leaky(), "--method", "exact", "--law", "weights:step=1", "--sweep",
                                "law:arrival=0.001,1000"})["files"][0]["points"];
    EXPECT_NE(leak_per_run(laws[0]), leak_per_run(laws[1]));
}

TEST_F(Measure, ComparesVariantsAndSystemsSideBySide) {
    const json points = measured({leaky(), "--compare", "faithful,repaired,single_counter",
                                  "--method", "exact"})["files"][0]["points"];
    ASSERT_EQ(points.size(), 3U);
    EXPECT_EQ(points[1]["variant"], "repaired");
    EXPECT_EQ(points[2]["system"], "single_counter");
    EXPECT_GT(leak_per_run(points[0]), 0);
    EXPECT_EQ(leak_per_run(points[1]), 0);
    const Ran text = run({"measure", leaky(), "--compare", "faithful,repaired"});
    EXPECT_TRUE(contains(text.out, "\nP2 leak\n")) << text.out;
    EXPECT_TRUE(contains(text.out, "\n  canal/repaired  0 "));
}

TEST_F(Measure, WritesCsvSvgAndTheChain) {
    const Ran ran = run({"measure", leaky(), "--sweep", "max_decr_tries=0,15", "--csv",
                         path("a.csv"), "--svg", path("a.svg"), "--prism", path("prism")});
    EXPECT_EQ(kExitPassed, ran.exit_code) << ran.err;
    const std::string csv = read_whole(path("a.csv"));
    EXPECT_EQ(0U, csv.find("file,system,variant,parameter_1,"));
    EXPECT_TRUE(contains(csv, ",canal,faithful,max_decr_tries,15,,,uniform,exact,,leak,per_run,"));
    const auto columns =
        std::count(csv.begin(), csv.begin() + static_cast<std::ptrdiff_t>(csv.find('\n')), ',');
    for (std::size_t begin = 0; begin < csv.size(); begin = csv.find('\n', begin) + 1) {
        const auto line = csv.substr(begin, csv.find('\n', begin) - begin);
        EXPECT_EQ(columns, std::count(line.begin(), line.end(), ',')) << line;
    }
    EXPECT_TRUE(contains(read_whole(path("a.svg")), "P2 leak, probability per run"));
    for (const char* name : {"chain.sta", "chain.tra", "chain.lab", "chain-2.tra"}) {
        EXPECT_FALSE(read_whole(path("prism") + "/" + name).empty()) << name;
        EXPECT_TRUE(contains(ran.out, name)) << name;
    }
}

TEST_F(Measure, ALimitIsInconclusiveAndWritesNoFigure) {
    const Ran ran = run({"measure", leaky(), "--method", "exact", "--max-states", "10"});
    EXPECT_EQ(kExitInconclusive, ran.exit_code);
    EXPECT_TRUE(contains(ran.out, "verdict: inconclusive: ended by limit: states\n")) << ran.out;
    EXPECT_FALSE(contains(ran.out, "\nP2 leak"));
}

TEST_F(Measure, AutoSamplesWhatIsTooLarge) {
    const json point = measured({leaky(), "--max-states", "10", "--runs", "1000"});
    EXPECT_EQ(point["files"][0]["points"][0]["result"]["method"], "sampled");
    EXPECT_EQ(point["exit_code"], kExitPassed);
}

TEST_F(Measure, BelowIsDecidedEitherWay) {
    const auto exit_code = [&](const char* rate, const char* method) {
        return run({"measure", leaky(), "--below", rate, "--method", method, "--check", "leak"})
            .exit_code;
    };
    EXPECT_EQ(kExitPassed, exit_code("0.9", "sampled"));
    EXPECT_EQ(kExitViolated, exit_code("1e-6", "sampled"));
    EXPECT_EQ(kExitPassed, exit_code("0.9", "exact"));
    EXPECT_EQ(kExitViolated, exit_code("1e-6", "exact"));
}

TEST_F(Measure, WhatTheLawForbidsIsTold) {
    const Ran ran =
        run({"measure", leaky(R"("faults": {"crashes": 1}, )"), "--law", "rates:step=1"});
    EXPECT_TRUE(contains(ran.out,
                         "warning: the scenario has \"crash\", but the law gives it "
                         "weight 0: it never happens\n"))
        << ran.out;
}

TEST_F(Measure, BoundsOverAllSchedulersHoldTheLawsRate) {
    const json rates = measured({leaky(), "--bounds", "--method",
                                 "exact"})["files"][0]["points"][0]["result"]["properties"][0];
    EXPECT_LE(rates["extremes"]["least"], rates["per_run"]["value"]);
    EXPECT_GE(rates["extremes"]["most"], rates["per_run"]["value"]);
}

TEST_F(Measure, ABadFileDoesNotKeepTheOthersFromBeingMeasured) {
    const std::string good = leaky();
    const std::string bad = write("b.json", "{");
    const json document = measured({bad, good});
    EXPECT_EQ(document["exit_code"], kExitInput);
    EXPECT_EQ(document["files"][0]["verdict"], "error");
    EXPECT_EQ(document["files"][1]["verdict"], "measured");
}

TEST_F(Measure, RefusesWhatItDoesNotUnderstandInOneLine) {
    const std::string file = leaky();
    const auto refuses = [&](const std::vector<std::string>& flags, const std::string& message) {
        std::vector<std::string> all{"measure", file};
        all.insert(all.end(), flags.begin(), flags.end());
        const Ran ran = run(all);
        EXPECT_EQ(kExitUsage, ran.exit_code) << message;
        expect_one_line(ran, message);
    };
    refuses({"--bounds", "--method", "sampled"}, "--bounds are of the whole graph");
    refuses({"--sweep", "callers=1,2,200"}, "--sweep: callers: expected");
    refuses({"--law", "unifrom"}, "--law: expected uniform, weights:CLASS=W");
    refuses({"--law", "weights:stp=1"}, "unknown kind of action \"stp\"; did you mean \"step\"?");
    refuses({"--law", "rates:arrival=1"}, "step above 0, found");
    refuses({"--law", "weights:step=nan"}, "--law: expected");
    refuses({"--method", "guess"}, "--method: expected auto, exact, sampled or splitting");
    refuses({"--confidence", "1.5"}, "--confidence: expected a share above 0 and below 1");
    refuses({"--confidence", "0.2"}, "--confidence: expected from 0.5");
    refuses({"--below", "0"}, "--below: expected a share");
    refuses({"--runs", "-1"}, "--runs: expected a whole number above 0");
    refuses({"--sweep", "max_decr_tries"}, "--sweep: expected NAME=A..B");
    refuses({"--sweep", "max_decr_tries=5..2"}, "--sweep: expected NAME=A..B");
    refuses({"--sweep", "max_decr_tries=0..1e9"}, "--sweep: expected NAME=A..B");
    refuses({"--sweep", "max_per=1", "--sweep", "buckets=1", "--sweep", "callers=1"},
            "--sweep: at most two of them");
    refuses({"--sweep", "max_decr_try=1"}, "unknown name \"max_decr_try\"; did you mean");
    refuses({"--sweep", "max_decr_tries=1000"}, "a whole number from 0 to 100, found 1000");
    refuses({"--sweep", "callers:B=1"}, "unknown name \"callers:B\"; did you mean \"callers:A\"?");
    refuses({"--sweep", "callers=129"}, "callers: expected a whole number from 1 to 128");
    refuses({"--sweep", "law:crash=1"}, "the law is uniform");
    refuses({"--sweep", "manager_max_per=1,2", "--set", "manager_max_per=1"},
            "--set manager_max_per does not go with a sweep over it");
    refuses({"--compare", "fathful"}, "unknown variant \"fathful\"; did you mean \"faithful\"?");
    refuses({"--compare", "faithful,,repaired"}, "--compare: expected at most 16");
    refuses({"--keep-loss-under", "0%"}, "--keep-loss-under: expected a share");
}

// The interval at the stop still holds the bound: the test's answer counts.
TEST_F(Measure, BelowIsTheAnswerOfTheSequentialTest) {
    const std::string file = leaky();
    const double rate =
        leak_per_run(measured({file, "--method", "exact"})["files"][0]["points"][0]);
    const std::vector<std::string> sampled{"measure", file,      "--method",
                                           "sampled", "--check", "leak"};
    const auto ask = [&](double bound, const char* runs) {
        std::vector<std::string> arguments = sampled;
        arguments.insert(arguments.end(), {"--below", std::to_string(bound), "--runs", runs});
        return run(arguments);
    };
    const Ran above = ask(rate * 0.6, "1000000");
    EXPECT_EQ(kExitViolated, above.exit_code) << above.out;
    EXPECT_TRUE(contains(above.out, " is not below ")) << above.out;
    EXPECT_EQ(kExitPassed, ask(rate * 1.5, "1000000").exit_code);
    const Ran undecided = ask(rate * 1.001, "2000");
    EXPECT_EQ(kExitInconclusive, undecided.exit_code) << undecided.out;
}

class MaxRate : public WithFiles {
  protected:
    [[nodiscard]] std::string with_bound(const std::string& bound,
                                         const std::string& more = "") const {
        return write_pair("a.json", R"("check": ["leak"], )" + more +
                                        R"("expect": {"verdict": "violated", "max_rate": )" +
                                        bound + "}, ");
    }
};

TEST_F(MaxRate, PassesWhileTheRateIsBelowAndFailsAboveIt) {
    const Ran met = run({"run", with_bound(R"({"leak": 0.9})")});
    EXPECT_EQ(kExitPassed, met.exit_code) << met.out;
    EXPECT_TRUE(contains(met.out, " per run (exact), ")) << met.out;
    const Ran above = run({"run", with_bound(R"({"leak": 1e-6})")});
    EXPECT_EQ(kExitViolated, above.exit_code);
    EXPECT_TRUE(contains(above.out, "/expect/max_rate/leak: expected at most 1e-06 per run, "))
        << above.out;
}

TEST_F(MaxRate, IsDecidedBySamplingWhereTheGraphIsTooLarge) {
    const std::string few = R"("method": "fuzz", "limits": {"states": 10, "schedules": 2000}, )";
    const Ran met = run({"run", with_bound(R"({"leak": 0.9})", few)});
    EXPECT_EQ(kExitPassed, met.exit_code) << met.out;
    EXPECT_TRUE(contains(met.out, " per run (sampled), ")) << met.out;
    const Ran above = run({"run", with_bound(R"({"leak": 1e-6})", few)});
    EXPECT_EQ(kExitViolated, above.exit_code);
    EXPECT_TRUE(contains(above.out, "(sampled in [")) << above.out;
}

TEST_F(MaxRate, IsPartOfTheMeasurementToo) {
    EXPECT_EQ(kExitPassed, run({"measure", with_bound(R"({"leak": 0.9})")}).exit_code);
    const Ran above = run({"measure", with_bound(R"({"leak": 1e-6})")});
    EXPECT_EQ(kExitViolated, above.exit_code);
    EXPECT_TRUE(contains(above.out, "max_rate: P2 leak ")) << above.out;
    EXPECT_TRUE(contains(above.out, "verdict: exceeded: P2 leak: ")) << above.out;
}

TEST_F(MaxRate, NamesPropertiesThatAreChecked) {
    const auto refuses = [&](const char* bound, const char* message) {
        const Ran ran = run({"run", with_bound(bound)});
        EXPECT_EQ(kExitInput, ran.exit_code) << ran.out;
        expect_one_line(ran, message);
    };
    refuses(R"({"leek": 0.5})", "/expect/max_rate/leek: unknown property \"leek\"; did you mean");
    refuses(R"({"deadlock": 0.5})", "/expect/max_rate/deadlock: \"deadlock\" is not in \"check\"");
    refuses(R"({"livelock": 0.5})", "it has no rate");
}

TEST_F(MaxRate, KeepsToTheSchemaOfResults) {
    const Ran ran = run({"run", with_bound(R"({"leak": 1e-6})"), "--format", "json"});
    EXPECT_EQ("", report_complaint(ran.out, "result.schema.json")) << ran.out;
    const json bound = json::parse(ran.out)["files"][0]["max_rate"][0];
    EXPECT_EQ(bound["property"], "leak");
    EXPECT_EQ(bound["met"], false);
}

}  // namespace
}  // namespace lockkeeper
