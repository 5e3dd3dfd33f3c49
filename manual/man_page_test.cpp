// SPDX-License-Identifier: Apache-2.0
#include "manual/man_page.hpp"

#include <algorithm>
#include <cstddef>

#include "app/flags.hpp"
#include "manual/written_test.hpp"
#include "model/missing_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_manual;

constexpr const char* kDate = "2026-11-25";

std::vector<std::string> all_pages() {
    std::vector<std::string> pages{man_page(kDate)};
    for (const VerbRow& verb : verbs()) {
        pages.push_back(man_page_of(verb, kDate));
    }
    return pages;
}

// Returns the text that a terminal shows, with every run of spaces as one.
std::string shown(const std::string& file) {
    std::string text;
    for (const char character : output_of("MANWIDTH=90 man -l --no-hyphenation -E ascii " + file)) {
        const bool is_space = character == ' ' || character == '\n';
        if (!is_space || (!text.empty() && text.back() != ' ')) {
            text += is_space ? ' ' : character;
        }
    }
    return text;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

class ManPages : public Written {};

TEST_F(ManPages, SayEveryFlagOfTheVerbWithDefaultAndVariable) {
    NEEDS_TOOL("man");
    for (const VerbRow& verb : verbs()) {
        const std::string page = shown(write("page.1", man_page_of(verb, kDate)));
        for (const Flag& flag : flags()) {
            if (!has(flag.commands, verb.command)) {
                continue;
            }
            const std::string form = flag.value.form.empty() ? "" : " " + flag.value.form;
            EXPECT_TRUE(contains(page, " " + flag.name + form + " ")) << flag.name << "\n" << page;
            const std::string otherwise = default_of(flag, verb.command);
            EXPECT_TRUE(otherwise.empty() || contains(page, "Default: " + otherwise + "."))
                << flag.name << "\n"
                << page;
            const std::string variable = variable_of(flag);
            EXPECT_TRUE(variable.empty() || contains(page, "Variable: " + variable + "."))
                << flag.name;
        }
        for (const char* example : verb.examples) {
            EXPECT_TRUE(contains(page, example)) << example << "\n" << page;
        }
    }
}

// A flag may be mentioned where the verb does not have it; it has no entry there.
TEST_F(ManPages, HaveAnEntryForEachFlagOfTheVerb) {
    for (const VerbRow& verb : verbs()) {
        const std::string page = man_page_of(verb, kDate);
        const std::size_t begin = page.find(".SH OPTIONS");
        const std::string options = page.substr(begin, page.find(".SH EXIT STATUS") - begin);
        std::ptrdiff_t entries = 0;
        for (std::size_t at = 0; (at = options.find("\n.TP\n", at)) != std::string::npos; ++at) {
            ++entries;
        }
        EXPECT_EQ(std::count_if(flags().begin(), flags().end(),
                                [&](const Flag& flag) { return has(flag.commands, verb.command); }),
                  entries)
            << options;
    }
}

TEST_F(ManPages, NameEveryVerbVariableAndExitCode) {
    const std::string page = man_page(kDate);
    for (const VerbRow& verb : verbs()) {
        EXPECT_TRUE(contains(page, std::string("lockkeeper\\-") + name_of(verb.command)));
    }
    for (const Flag& flag : flags()) {
        EXPECT_TRUE(variable_of(flag).empty() || contains(page, roff::bold(variable_of(flag))));
    }
    EXPECT_TRUE(contains(page, roff::bold("130")));
}

TEST_F(ManPages, AreReadByManWithoutAWarning) {
    NEEDS_TOOL("man");
    for (const std::string& page : all_pages()) {
        EXPECT_EQ("", output_of("man -l --warnings=all -E UTF-8 " + write("page.1", page) +
                                " 2>&1 >/dev/null"));
    }
}

TEST_F(ManPages, AreReadByMandocWithoutAComplaint) {
    NEEDS_TOOL("mandoc");
    for (const std::string& page : all_pages()) {
        // Pages of the same project that are not installed here are no error of this one.
        EXPECT_EQ("", output_of("mandoc -T lint -W style " + write("page.1", page) +
                                " | grep -v 'referenced manual not found'"));
    }
}

TEST(Roff, TextComesOutAsItIs) {
    EXPECT_EQ("\\-\\-seed", roff::word("--seed"));
    EXPECT_EQ("(\\-\\-seed)", roff::word("(--seed)"));
    EXPECT_EQ("black-box", roff::word("black-box"));
    EXPECT_EQ("a\\eb \\fBfuzz\\fR \\(aqx\\(aq\n", roff::text("a\\b `fuzz` 'x'"));
    EXPECT_EQ("\\fBmeasure \\-\\-bounds\\fR: one\n", roff::text("`measure --bounds`: one"));
    EXPECT_EQ("\\&.sta\n", roff::text(".sta"));
}

}  // namespace
}  // namespace lockkeeper
