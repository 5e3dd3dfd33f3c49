// The table of flags: each once for a verb, and what the pages and the help say of it.
#include "app/flags.hpp"

#include "app/command_test.hpp"
#include "app/verbs.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

constexpr Command kVerbsInOrder[] = {
    Command::kRun,   Command::kReplay,   Command::kExplore, Command::kFuzz, Command::kMeasure,
    Command::kSweep, Command::kValidate, Command::kReport,  Command::kList, Command::kServe};

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

// The page says of each flag which verbs have it.
TEST(Flags, TheDocumentedTableHasTheVerbsOfEveryFlag) {
    const std::string docs = std::string(LOCKKEEPER_SOURCE_DIR) + "/docs/";
    const std::string page = read_whole(docs + "COMMAND_LINE.md");
    std::string pages = page;
    for (const char* other : {"HISTORIES.md", "PROTOCOL.md", "SWEEPS.md", "WIRE.md"}) {
        pages += read_whole(docs + other);
    }
    for (const Flag& flag : flags()) {
        std::string verbs;
        std::size_t count = 0;
        for (const Command command : kVerbsInOrder) {
            if (has(flag.commands, command)) {
                verbs += (verbs.empty() ? "" : ", ") + std::string(name_of(command));
                ++count;
            }
        }
        // Flags of these verbs alone stand with the verb.
        if ((flag.commands & ~(kForMeasure | kForSweep | kForValidate)) == 0) {
            EXPECT_TRUE(contains(pages, "`" + flag.name + " ") ||
                        contains(pages, "`" + flag.name + "`"))
                << flag.name;
            continue;
        }
        const std::string name = flag.letter.empty() ? flag.name : flag.letter + "`, `" + flag.name;
        const std::string form = flag.value.form.empty() ? "" : " " + flag.value.form;
        const std::string variable =
            variable_of(flag).empty() ? "" : "`" + variable_of(flag) + "` ";
        const std::string row = "| `" + name + form + "` | " + variable + "| " +
                                (flag.commands == kForAll ? "all" : verbs) + " |";
        EXPECT_TRUE(contains(page, row)) << row;
    }
}

// What the verbs do is what --help and the pages say: the defaults are read from the verbs'
// constants.
TEST(Flags, TheDefaultsOfHelpAreThoseOfThePages) {
    std::string rows;
    for (const char* page : {"COMMAND_LINE.md", "PROTOCOL.md", "WIRE.md"}) {
        rows += read_whole(std::string(LOCKKEEPER_SOURCE_DIR) + "/docs/" + page);
    }
    for (const Flag& flag : flags()) {
        for (const FlagDefault& one : flag.defaults) {
            const std::size_t begin = rows.find("\n| `" + flag.name + " ");
            ASSERT_NE(std::string::npos, begin) << flag.name;
            const std::string row = rows.substr(begin, rows.find('\n', begin + 1) - begin);
            EXPECT_TRUE(contains(row + " ", "default: " + one.text)) << row << "\n" << one.text;
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
