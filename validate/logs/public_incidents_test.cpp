// SPDX-License-Identifier: Apache-2.0

// Every folder of examples/incidents: its answer.txt has the arguments and what the command says.
// With half of the lines gone only locks that were broken are blamed, and missing facts are named.
// LOCKKEEPER_PIN=1 writes the answers.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "scenarios/bad_input.hpp"
#include "validate/logs/command.hpp"

namespace lockkeeper::logs {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIncidents = "examples/incidents";

std::string text_of(const fs::path& file) {
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

struct Incident {
    fs::path folder;
    std::string arguments;
    std::string answer;
};

std::vector<Incident> incidents() {
    std::vector<Incident> found;
    for (const auto& entry : fs::directory_iterator(kIncidents)) {
        const std::string pinned = text_of(entry.path() / "answer.txt");
        if (!pinned.empty()) {
            const std::size_t end = pinned.find('\n');
            found.push_back({entry.path(), pinned.substr(0, end), pinned.substr(end + 1)});
        }
    }
    return found;
}

// `logs`: the folder that the logs are read from.
Asked asked_of(const Incident& incident, const fs::path& logs) {
    Asked asked;
    std::istringstream words(incident.arguments);
    std::string flag;
    std::string value;
    while (words >> flag >> value) {
        if (flag == "--log") {
            asked.logs.push_back((logs / value).string());
        } else if (flag == "--map") {
            asked.mapping = (incident.folder / value).string();
        } else if (flag == "--model") {
            asked.model = value;
        } else if (flag == "--lost") {
            asked.lost_max = static_cast<std::uint32_t>(std::stoul(value));
        } else {
            ADD_FAILURE() << incident.folder << ": " << flag;
        }
    }
    return asked;
}

struct IncidentRun {
    int exit_code = 0;
    std::string out;
};

IncidentRun run_incident(const Asked& asked) {
    std::ostringstream out;
    IncidentRun ran;
    try {
        ran.exit_code = run_command(asked, out);
    } catch (const BadInput& error) {
        ran.exit_code = 65;
        out << error.what() << "\n";
    }
    std::istringstream lines(out.str());
    for (std::string line; std::getline(lines, line);) {
        ran.out += line.starts_with("states: ") ? "" : line + "\n";
    }
    return ran;
}

TEST(PublicIncidents, EachHasTheAnswerThatStandsBesideIt) {
    std::size_t count = 0;
    for (const Incident& incident : incidents()) {
        ++count;
        EXPECT_TRUE(fs::exists(incident.folder / "README.md")) << incident.folder;
        const IncidentRun ran = run_incident(asked_of(incident, incident.folder));
        const std::string answer = ran.out + "exit " + std::to_string(ran.exit_code) + "\n";
        if (std::getenv("LOCKKEEPER_PIN") != nullptr) {
            std::ofstream(incident.folder / "answer.txt") << incident.arguments << "\n" << answer;
            continue;
        }
        EXPECT_EQ(answer, incident.answer) << incident.folder;
    }
    EXPECT_GE(count, 8U);
}

fs::path half_of(const Incident& incident, const Asked& asked, std::uint32_t seed) {
    std::mt19937 random(seed);
    fs::path folder = fs::path(testing::TempDir()) / "half_of_the_lines";
    fs::create_directories(folder);
    for (const std::string& log : asked.logs) {
        const fs::path name = fs::path(log.substr(0, log.rfind('='))).filename();
        std::istringstream lines(text_of(incident.folder / name));
        std::ofstream out(folder / name);
        for (std::string line; std::getline(lines, line);) {
            if (random() % 2 == 0) {
                out << line << "\n";
            }
        }
    }
    return folder;
}

// Where both sides of the contradiction are gone, what is left is explained.
TEST(PublicIncidents, WithHalfOfTheLinesNoSoundLockIsBlamedAndMissingFactsAreNamed) {
    std::size_t same = 0;
    std::size_t named = 0;
    for (const Incident& incident : incidents()) {
        for (std::uint32_t seed = 1; seed <= 24; ++seed) {
            const Asked whole = asked_of(incident, incident.folder);
            Asked asked = asked_of(incident, half_of(incident, whole, seed));
            asked.lost_max.reset();  // who has half of the lines does not say that none is missing
            const IncidentRun ran = run_incident(asked);
            const std::string where = incident.folder.string() + ", seed " + std::to_string(seed);
            EXPECT_NE(ran.exit_code, 64) << where;
            if (ran.exit_code == 1) {
                ++same;
                EXPECT_NE(incident.answer.find("exit 1\n"), std::string::npos) << where << ran.out;
            } else if (ran.exit_code == 2) {
                ++named;
                EXPECT_TRUE(ran.out.find("the fact that decides: ") != std::string::npos ||
                            ran.out.find("  explained ") != std::string::npos ||
                            ran.out.find("no line says") != std::string::npos)
                    << where << ran.out;
            }
        }
    }
    EXPECT_GT(same, 0U);
    EXPECT_GT(named, 20U);
}

}  // namespace
}  // namespace lockkeeper::logs
