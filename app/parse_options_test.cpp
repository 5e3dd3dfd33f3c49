// SPDX-License-Identifier: Apache-2.0
#include "app/command_test.hpp"
#include "app/flags.hpp"
#include "app/verbs.hpp"
#include "reports/writer.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

Options parsed(const std::vector<std::string>& arguments, const Variables& variables = {}) {
    const auto result = parse_options(arguments, [&](const char* name) -> const char* {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    });
    return std::get<Options>(result);
}

std::string refusal(const std::vector<std::string>& arguments, const Variables& variables = {}) {
    try {
        static_cast<void>(parsed(arguments, variables));
    } catch (const UsageError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(ParseOptions, EveryFlag) {
    const Options explore = parsed({"explore",
                                    "a.json",
                                    "--seed",
                                    "7",
                                    "--max-steps=9",
                                    "--max-states",
                                    "1e6",
                                    "--time-limit",
                                    "500ms",
                                    "--memory",
                                    "2G",
                                    "--out",
                                    "dir",
                                    "--format",
                                    "json",
                                    "--keep-going",
                                    "--frontier",
                                    "stack",
                                    "--storage",
                                    "fingerprints",
                                    "--interleavings",
                                    "off",
                                    "--no-symmetry",
                                    "--check",
                                    "leak,deadlock",
                                    "-q",
                                    "-v",
                                    "b"});
    EXPECT_EQ(Command::kExplore, explore.verb);
    EXPECT_EQ((std::vector<std::string>{"a.json", "b"}), explore.files);
    EXPECT_EQ(7U, explore.seed);
    EXPECT_EQ(9U, explore.steps_max);
    EXPECT_EQ(1'000'000U, explore.states_max);
    EXPECT_EQ(0.5, explore.seconds_max);
    EXPECT_EQ(2ULL << 30U, explore.bytes_max);
    EXPECT_EQ("dir", explore.out_directory);
    EXPECT_EQ("json", explore.format);
    EXPECT_EQ(Frontier::kStack, explore.frontier);
    EXPECT_EQ(Storage::kFingerprints, explore.storage);
    EXPECT_EQ(Counting::kOff, explore.counting);
    EXPECT_TRUE(explore.keep_going && explore.no_symmetry && explore.quiet && explore.verbose);
    EXPECT_EQ((std::vector<std::string>{"leak", "deadlock"}), explore.check);
    const Options fuzz =
        parsed({"fuzz", "a", "--strategy", "pct:3", "--schedules", "5", "--check-determinism"});
    EXPECT_EQ("pct:3", fuzz.strategy);
    EXPECT_EQ(5U, fuzz.schedules_max);
    EXPECT_TRUE(fuzz.check_determinism);
    const Options replay = parsed({"replay", "a", "--schedule", "lk1:1:s0", "--on-divergence",
                                   "nearest", "--cycle-from", "3"});
    EXPECT_EQ("lk1:1:s0", replay.schedule);
    EXPECT_EQ(OnDivergence::kNearest, replay.on_divergence);
    EXPECT_EQ(3U, replay.cycle_from);
}

TEST(ParseOptions, CommandLineBeforeEnvironment) {
    const Variables variables{{"LOCKKEEPER_SEED", "5"}, {"LOCKKEEPER_NO_SYMMETRY", "on"}};
    EXPECT_EQ(5U, parsed({"explore", "a"}, variables).seed);
    EXPECT_TRUE(parsed({"explore", "a"}, variables).no_symmetry);
    EXPECT_EQ(6U, parsed({"explore", "a", "--seed", "6"}, variables).seed);
    EXPECT_FALSE(parsed({"explore", "a"}).seed);
    // Set to nothing is not set.
    EXPECT_FALSE(parsed({"explore", "a"}, {{"LOCKKEEPER_SEED", ""}}).seed);
}

TEST(ParseOptions, OnlyVariablesOfTheVerbAreRead) {
    EXPECT_EQ(Command::kExplore,
              parsed({"explore", "a"}, {{"LOCKKEEPER_STRATEGY", "nonsense"}}).verb);
}

// With one file where the verb needs one.
std::vector<std::string> beginning_of(Command command) {
    return command == Command::kList ? std::vector<std::string>{name_of(command)}
                                     : std::vector<std::string>{name_of(command), "file"};
}

constexpr Command kCommands[] = {
    Command::kRun,     Command::kReplay,  Command::kExplore,  Command::kFuzz,
    Command::kMeasure, Command::kSweep,   Command::kValidate, Command::kReport,
    Command::kList,    Command::kServe,   Command::kProve,    Command::kCheckCertificate,
    Command::kThreads, Command::kExplain, Command::kClinic,   Command::kPlayground};

// Whether every value but an empty one will do.
bool takes_any_name(const Flag& flag) {
    Options options;
    return flag.value.set(options, "!?");
}

TEST(ParseOptions, EveryFlagNamesItselfWhenItsValueIsBad) {
    for (const Flag& flag : flags()) {
        const std::string bad = takes_any_name(flag) ? "" : "!?";
        for (const Command command : kCommands) {
            if (!has(flag.commands, command)) {
                continue;
            }
            std::vector<std::string> arguments = beginning_of(command);
            if (const std::string variable = variable_of(flag); !variable.empty() && !bad.empty()) {
                const std::string refused = refusal(arguments, {{variable, bad}});
                EXPECT_TRUE(refused.starts_with(variable + ": expected ")) << refused;
            }
            if (!flag.value.form.empty()) {
                arguments.push_back(flag.name);
                arguments.push_back(bad);
                const std::string refused = refusal(arguments);
                EXPECT_TRUE(refused.starts_with(flag.name + ": expected ")) << refused;
            }
        }
    }
}

// CLI11 would take "{}" for no value at all, and so would pass over the flag.
TEST(ParseOptions, BracesAreAValueLikeAnyOther) {
    EXPECT_TRUE(refusal({"explore", "a.json", "--seed", "{}"}).starts_with("--seed: expected "));
    EXPECT_TRUE(refusal({"explore", "a.json", "--set", "{}"}).starts_with("--set: expected "));
    EXPECT_EQ("{}", parsed({"explore", "a.json", "--out", "{}"}).out_directory);
}

TEST(ParseOptions, ANumberThatIsTooLargeIsAnsweredWithTheMost) {
    const std::string large = "99999999999999999999";
    EXPECT_EQ("--max-states: " + large + " is too large: at most 18446744073709551615",
              refusal({"explore", "a.json", "--max-states", large}));
    const std::string bounds = "is too large: from -2000000000 to 2000000000";
    EXPECT_EQ("--set: the number in \"max_per=" + large + "\" " + bounds,
              refusal({"explore", "a.json", "--set", "max_per=" + large}));
    EXPECT_EQ("--set: the number in \"a=-2000000001\" " + bounds,
              refusal({"explore", "a.json", "--set", "a=-2000000001"}));
    EXPECT_TRUE(refusal({"explore", "a.json", "--max-states", "0"})
                    .starts_with("--max-states: expected a whole number above 0"));
    EXPECT_TRUE(
        refusal({"explore", "a.json", "--set", "a=x"}).starts_with("--set: expected a name"));
}

// One wrong letter, wherever a flag takes one of a few words.
TEST(ParseOptions, AWordWithATypingErrorIsAnsweredWithTheNearest) {
    const auto answer = [](const std::string& verb, const std::string& flag,
                           const std::string& value) {
        return refusal({verb, "a.json", flag, value});
    };
    for (const Flag& flag : flags()) {
        for (const char* word : flag.value.words) {
            const auto verb = std::find_if(std::begin(kCommands), std::end(kCommands),
                                           [&](Command one) { return has(flag.commands, one); });
            const std::string typo = std::string(word) + "q";
            const std::string refused = answer(name_of(*verb), flag.name, typo);
            EXPECT_TRUE(refused.starts_with(flag.name + ": expected ")) << refused;
            EXPECT_TRUE(refused.ends_with("found \"" + typo + "\"; did you mean \"" + word + "\"?"))
                << refused;
        }
    }
    EXPECT_EQ(
        "--method: expected auto, exact, sampled or splitting, found \"exakt\"; did you mean "
        "\"exact\"?",
        answer("measure", "--method", "exakt"));
    EXPECT_EQ(
        "--level: expected stepped or black-box, found \"blackbox\"; did you mean "
        "\"black-box\"?",
        answer("validate", "--level", "blackbox"));
    EXPECT_EQ("--promises: expected strict or any, found \"anyy\"; did you mean \"any\"?",
              answer("validate", "--promises", "anyy"));
    EXPECT_EQ(
        "--server: expected postgresql, mariadb or erlang, found \"postgres\"; did you mean "
        "\"postgresql\"?",
        answer("validate", "--server", "postgres"));
    EXPECT_EQ("--time-unit: expected ns, us, ms or s, found \"sec\"",
              answer("validate", "--time-unit", "sec"));
    EXPECT_EQ(
        "explore: unknown flag \"--frontir\"; did you mean \"--frontier\"? "
        "(lockkeeper explore --help)",
        answer("explore", "--frontir", "queue"));
}

TEST(ParseOptions, UsageErrorsAreOneLine) {
    const std::vector<std::vector<std::string>> bad{
        {},
        {"explor", "a"},
        {"explore"},
        {"explore", "a", "--sed", "1"},
        {"explore", "a", "--seed"},
        {"explore", "a", "--seed", "-1"},
        {"explore", "a", "--strategy", "random"},
        {"fuzz", "a", "--strategy", "pct:0"},
        {"fuzz", "a", "--schedules", "0"},
        {"replay", "a", "--cycle-from", "0"},
        {"explore", "a", "--check", "leak,,deadlock"},
        {"explore", "a", "--format", "xml"},
        {"list", "a"},
        {"run", "a\nb", "--nonsense\n"},
    };
    for (const auto& arguments : bad) {
        const Ran ran = run(arguments);
        EXPECT_EQ(kExitUsage, ran.exit_code) << (arguments.empty() ? "" : arguments.back());
        EXPECT_EQ("", ran.out);
        expect_one_line(ran, "");
    }
    expect_one_line(run({"explor", "a"}), "did you mean \"explore\"?");
}

TEST(ParseOptions, HelpAndVersionAreResults) {
    const Ran help = run({"explore", "--help"});
    EXPECT_EQ(kExitPassed, help.exit_code);
    EXPECT_TRUE(contains(help.out, "--time-limit TIME"));
    EXPECT_TRUE(contains(help.out, "LOCKKEEPER_TIME_LIMIT"));
    EXPECT_EQ("", help.err);
    EXPECT_TRUE(contains(run({"--help"}).out, "explore"));
    const Ran version = run({"--version"});
    EXPECT_EQ(kExitPassed, version.exit_code);
    EXPECT_EQ(0U, version.out.find("lockkeeper "));
    EXPECT_EQ(version.out, run({"-V"}).out);
}

TEST(ParseOptions, HelpIsAVerbAsWell) {
    EXPECT_EQ(run({"--help"}).out, run({"help"}).out);
    for (const char* verb :
         {"run", "replay", "explore", "fuzz", "measure", "validate", "report", "list"}) {
        const Ran help = run({"help", verb});
        EXPECT_EQ(kExitPassed, help.exit_code);
        EXPECT_EQ(run({verb, "--help"}).out, help.out);
        EXPECT_TRUE(contains(help.out, "--format FORMAT")) << help.out;
    }
    expect_one_line(run({"help", "explor"}), "unknown verb \"explor\"; did you mean \"explore\"?");
    expect_one_line(run({"help", "explore", "fuzz"}), "help: expected one verb");
}

// Takes a line apart as a shell does.
std::vector<std::string> words_of(const std::string& line) {
    std::vector<std::string> words(1);
    bool is_quoted = false;
    for (const char character : line) {
        if (character == '\'') {
            is_quoted = !is_quoted;
        } else if (character == ' ' && !is_quoted) {
            words.emplace_back();
        } else {
            words.back() += character;
        }
    }
    return words;
}

TEST(ParseOptions, TheExamplesOfHelpAreCommandsAboutFilesThatAreThere) {
    const std::string begin_of_example = "  lockkeeper ";
    for (const char* verb :
         {"run", "replay", "explore", "fuzz", "measure", "validate", "report", "list"}) {
        std::istringstream lines(run({verb, "--help"}).out);
        std::size_t examples = 0;
        for (std::string line; std::getline(lines, line);) {
            if (!line.starts_with(begin_of_example)) {
                continue;
            }
            ++examples;
            std::vector<std::string> words = words_of(line.substr(begin_of_example.size()));
            words.erase(std::find(words.begin(), words.end(), "<"), words.end());
            EXPECT_EQ(verb, words.front());
            const std::string refused = refusal(words);
            const bool lacks_pages =
                !why_no_pages().empty() && contains(refused, std::string(why_no_pages()));
            EXPECT_EQ("accepted", lacks_pages ? "accepted" : refused) << line;
            for (const std::string& word : words_of(line)) {
                const bool is_path = word.starts_with("scenarios") || word.starts_with("examples");
                EXPECT_TRUE(!is_path || std::filesystem::exists(
                                            std::filesystem::path(LOCKKEEPER_SOURCE_DIR) / word))
                    << word;
            }
        }
        EXPECT_LE(2U, examples) << verb;
    }
}

TEST(ParseOptions, AFlagOfAnotherVerbAndATypingErrorAreNamedAsWhatTheyAre) {
    EXPECT_EQ(
        "explore: unknown flag \"--schedules\"; it goes with run, fuzz, validate, threads "
        "(lockkeeper explore --help)",
        refusal({"explore", "a.json", "--schedules", "10"}));
    EXPECT_EQ(
        "explore: unknown flag \"--keepgoing\"; did you mean \"--keep-going\"? "
        "(lockkeeper explore --help)",
        refusal({"explore", "a.json", "--keepgoing"}));
    EXPECT_EQ(
        "explore: unknown flag \"--history\"; it goes with replay, validate "
        "(lockkeeper explore --help)",
        refusal({"explore", "a.json", "--history", "h"}));
    EXPECT_EQ("run: unknown flag \"--law\"; it goes with measure (lockkeeper run --help)",
              refusal({"run", "a.json", "--law", "uniform"}));
    EXPECT_EQ("the flag --law comes after a verb (lockkeeper --help)", refusal({"--law"}));
    EXPECT_TRUE(contains(refusal({}), "a verb is missing: run, replay, explore"));
}

}  // namespace
}  // namespace lockkeeper
