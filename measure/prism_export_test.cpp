// SPDX-License-Identifier: Apache-2.0
#include "measure/prism_export.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "measure/chain_builder.hpp"
#include "measure/chains_test.hpp"
#include "model/test_and_set_test.hpp"
#include "model/walk_test.hpp"

namespace lockkeeper::testing_measure {
namespace {

using testing_model::acquire;
using testing_model::release;
using testing_model::TestAndSet;

ErasedSystem crashing_pair() {
    WorldConfig world = testing_model::world_of({{acquire(), release()}, {acquire(), release()}});
    world.crashes_max = 1;
    return ErasedSystem(World<TestAndSet>(TestAndSet{}, world));
}

// The three files as another tool would read them: nothing of the chain is used.
struct ReadBack {
    std::size_t states_in_sta = 0;
    std::size_t states = 0;
    std::map<std::size_t, std::map<std::size_t, double>> rows;
    std::map<std::size_t, std::string> names;
    std::map<std::string, std::set<std::size_t>> labelled;

    explicit ReadBack(std::istream& sta, std::istream& tra, std::istream& lab) {
        std::string line;
        std::getline(sta, line);
        EXPECT_EQ(line, "(state,violated,granted)");
        while (std::getline(sta, line)) {
            EXPECT_EQ(line.rfind(std::to_string(states_in_sta) + ":(", 0), 0U);
            ++states_in_sta;
        }
        std::size_t transitions = 0;
        tra >> states >> transitions;
        std::size_t from = 0;
        std::size_t to = 0;
        double value = 0;
        std::size_t lines = 0;
        for (; tra >> from >> to >> value; ++lines) {
            rows[from][to] = value;
        }
        EXPECT_EQ(lines, transitions);
        read_labels(lab);
    }

    // Value iteration, as simple as can be: of the probability to reach a label.
    [[nodiscard]] double reaches(const std::string& label) const {
        std::vector<double> x(states, 0);
        for (int sweep = 0; sweep < 2000; ++sweep) {
            for (std::size_t from = 0; from < states; ++from) {
                double sum = 0;
                double whole = 0;
                for (const auto& [to, value] : rows.at(from)) {
                    sum += value * x[to];
                    whole += value;
                }
                x[from] = labelled.at(label).count(from) > 0 ? 1 : sum / whole;
            }
        }
        return x[*labelled.at("init").begin()];
    }

  private:
    void read_labels(std::istream& lab) {
        std::string line;
        std::getline(lab, line);
        std::istringstream head(line);
        std::size_t number = 0;
        char equals = 0;
        std::string name;
        while (head >> number >> equals >> name) {
            names[number] = name.substr(1, name.size() - 2);
            labelled[names[number]];
        }
        while (std::getline(lab, line)) {
            std::istringstream words(line);
            std::size_t state = 0;
            char colon = 0;
            words >> state >> colon;
            while (words >> number) {
                labelled.at(names.at(number)).insert(state);
            }
        }
    }
};

TEST(PrismExport, ReadBackItGivesTheSameProbabilities) {
    const ErasedSystem system = crashing_pair();
    const MeasureOptions options = options_for({"leak", "over-allocation", "deadlock", "full"});
    const std::string prefix =
        (std::filesystem::path(testing::TempDir()) / "lockkeeper_prism_export").string();
    PrismFiles files(prefix, {});
    ASSERT_EQ(export_to_prism(system, options, files), std::nullopt);
    std::ifstream sta(prefix + ".sta");
    std::ifstream tra(prefix + ".tra");
    std::ifstream lab(prefix + ".lab");
    const ReadBack back(sta, tra, lab);
    EXPECT_EQ(back.states, back.states_in_sta);
    const MeasureResult result = measure_exactly(system, options);
    EXPECT_NEAR(back.reaches("leak"), 623.0 / 2048, 1e-12);
    EXPECT_NEAR(back.reaches("full"), result.properties[3].per_run.value, 1e-12);
    EXPECT_NEAR(back.reaches("end"), 1, 1e-12);
    EXPECT_EQ(back.reaches("over_allocation"), 0);
    EXPECT_EQ(back.reaches("deadlocked"), 0);
    EXPECT_EQ(back.labelled.at("deadlock").size(), 0U);
    for (const char* suffix : {".sta", ".tra", ".lab"}) {
        std::filesystem::remove(prefix + suffix);
    }
}

TEST(PrismExport, RatesAreWrittenAsRates) {
    const Law law =
        weights({{ActionClass::kArrival, 0.25}, {ActionClass::kDeparture, 8}}, LawKind::kRates);
    const ChainGraph graph =
        build_chain(ErasedSystem(gamblers_ruin(3, 1)), options_for({"full"}, law));
    std::ostringstream sta;
    std::ostringstream tra;
    std::ostringstream lab;
    write_prism(graph.chain, judged_properties(options_for({"full"})), {sta, tra, lab});
    // 0: start, 1: down (an end), 2: up, 3: the goal (an end).
    EXPECT_EQ(sta.str(), "(state,violated,granted)\n0:(0,0,0)\n1:(1,0,0)\n2:(2,0,0)\n3:(3,1,0)\n");
    EXPECT_EQ(tra.str(), "4 6\n0 1 0.25\n0 2 8\n1 0 8\n1 3 0.25\n2 2 1\n3 3 1\n");
    EXPECT_EQ(lab.str(),
              "0=\"init\" 1=\"deadlock\" 2=\"end\" 3=\"stuck\" 4=\"granted\" 5=\"full\"\n"
              "0: 0\n2: 2\n3: 2 5\n");
}

TEST(PrismExport, SaysWhatItCouldNotWrite) {
    const MeasureOptions options = options_for({"leak"});
    try {
        PrismFiles("no/such/directory/chain", {});
        FAIL() << "there is no such directory";
    } catch (const OutputError& error) {
        EXPECT_EQ(std::string(error.what()).rfind("no/such/directory/chain.sta: cannot be", 0), 0U);
    }
    MeasureOptions small = options;
    small.states_max = 3;
    PrismFiles unused((std::filesystem::path(testing::TempDir()) / "unused").string(), {});
    EXPECT_EQ(export_to_prism(crashing_pair(), small, unused),
              "the graph is cut by a limit (states): nothing is exported");
}

}  // namespace
}  // namespace lockkeeper::testing_measure
