// SPDX-License-Identifier: Apache-2.0

// The table of flags: each once for a verb, and what the page and the help say of it.
#include "app/flags.hpp"

#include <fmt/format.h>

#include "app/command_test.hpp"
#include "app/verbs.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

constexpr Command kVerbsInOrder[] = {
    Command::kRun,     Command::kReplay,  Command::kExplore,  Command::kFuzz,
    Command::kMeasure, Command::kSweep,   Command::kValidate, Command::kReport,
    Command::kList,    Command::kServe,   Command::kProve,    Command::kCheckCertificate,
    Command::kThreads, Command::kExplain, Command::kClinic,   Command::kPlayground};

TEST(Flags, AFlagIsOneOfTheTableOnceForAVerb) {
    for (const Command command : kVerbsInOrder) {
        for (const Flag& flag : flags()) {
            EXPECT_EQ(has(flag.commands, command),
                      has(flag.commands, command) && find_flag(flag.name, command) == &flag)
                << flag.name << " of " << name_of(command);
        }
    }
}

TEST(Flags, VerbsStandInTheOrderOfTheirEnumeration) {
    ASSERT_EQ(std::size(kVerbsInOrder), verbs().size());
    for (std::size_t i = 0; i < verbs().size(); ++i) {
        EXPECT_EQ(kVerbsInOrder[i], verbs()[i].command);
        EXPECT_EQ(i, static_cast<std::size_t>(verbs()[i].command));
    }
}

// Writes text like tools/site/reference.py in a cell of a table.
std::string cell(const std::string& text) {
    std::string written;
    for (const char c : text) {
        written += c == '|' ? "\\|" : c == '<' ? "&lt;" : std::string(1, c);
    }
    return written;
}

// The page's part about one verb.
std::string part_of(const std::string& page, std::string_view verb) {
    const std::size_t begin = page.find("\n## " + std::string(verb) + "\n");
    return begin == std::string::npos ? ""
                                      : page.substr(begin, page.find("\n## ", begin + 1) - begin);
}

// Returns what a flag does, and its default: some flags have it in the words of their help.
std::pair<std::string, std::string> help_and_default(const Flag& flag, Command command) {
    const std::string before = " (default: ";
    const std::size_t begin = flag.help.find(before);
    if (begin == std::string::npos) {
        return {flag.help, default_of(flag, command)};
    }
    const std::size_t end = flag.help.find(')', begin);
    const std::size_t first = begin + before.size();
    return {flag.help.substr(0, begin) + flag.help.substr(end + 1),
            flag.help.substr(first, end - first)};
}

// The page is written by a tool; whoever changes a flag sees here, without it, that it has to run.
TEST(Flags, ThePageHasEveryFlagOfEveryVerbWithItsDefaultAndItsVariable) {
    const std::string page = read_whole(LOCKKEEPER_SOURCE_DIR "/docs/reference/flags.md");
    for (const Command command : kVerbsInOrder) {
        const std::string part = part_of(page, name_of(command));
        for (const Flag& flag : flags()) {
            if (!has(flag.commands, command)) {
                continue;
            }
            const std::string form =
                fmt::format("{}{}{}{}{}{}", flag.letter, flag.letter.empty() ? "" : ",", flag.name,
                            flag.value.form.empty() ? "" : " ", flag.value.form,
                            flag.given == Given::kOften ? " ..." : "");
            const auto [help, otherwise] = help_and_default(flag, command);
            const std::string variable = variable_of(flag);
            const std::string row =
                fmt::format("\n| `{}` | {} | {} | {} |\n", cell(form), cell(help), cell(otherwise),
                            variable.empty() ? "" : fmt::format("`{}`", variable));
            EXPECT_TRUE(contains(part, row))
                << name_of(command) << ": tools/site/reference.py writes the page" << row;
        }
    }
}

TEST(Flags, HelpHasEveryFlagWithItsDefault) {
    for (const Command command : kVerbsInOrder) {
        // Long lines are broken; the help is compared as words.
        std::istringstream words(run({name_of(command), "--help"}).out);
        std::string help;
        for (std::string word; words >> word;) {
            help += word + " ";
        }
        for (const Flag& flag : flags()) {
            if (has(flag.commands, command)) {
                EXPECT_TRUE(contains(help, flag.name + " ")) << flag.name << "\n" << help;
                EXPECT_TRUE(contains(help, help_of(flag, command))) << flag.name << "\n" << help;
            }
        }
    }
    EXPECT_TRUE(contains(run({"fuzz", "--help"}).out, "(default: 10,000)"));
    EXPECT_TRUE(contains(run({"measure", "--help"}).out, "(default: 100,000)"));
}

}  // namespace
}  // namespace lockkeeper
