// SPDX-License-Identifier: Apache-2.0

// No text from a file or a program reaches the terminal as a command to it.
#include "reports/printable_buffer.hpp"

#include "app/command_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_app;

std::string printed(const std::vector<std::string>& pieces,
                    PrintableBuffer::Returns returns = PrintableBuffer::Returns::kReplaced) {
    std::ostringstream out;
    PrintableBuffer buffer(out, returns);
    std::ostream stream(&buffer);
    for (const std::string& piece : pieces) {
        stream << piece << std::flush;
    }
    return out.str();
}

TEST(PrintableBuffer, ReplacesControlCharacters) {
    EXPECT_EQ("a?[31mb\nc d?", printed({"a\x1b[31mb\nc\td\x7f"}));
    EXPECT_EQ("a?b", printed({"a\rb"}));
    EXPECT_EQ("a\rb", printed({"a\rb"}, PrintableBuffer::Returns::kKept));
}

TEST(PrintableBuffer, ReplacesThoseOfEightBitsAndKeepsLetters) {
    EXPECT_EQ("?31m", printed({"\xC2\x9B"
                               "31m"}))
        << "CSI in one character";
    EXPECT_EQ("?31m", printed({"\x9B"
                               "31m"}))
        << "and as a byte";
    EXPECT_EQ("\xC3\xBC \xE2\x82\xAC \xF0\x9F\x94\x92",
              printed({"\xC3\xBC \xE2\x82\xAC \xF0\x9F\x94\x92"}));
}

TEST(PrintableBuffer, KeepsALetterThatComesInTwoPieces) {
    EXPECT_EQ("\xE2\x82\xAC", printed({"\xE2", "\x82\xAC"}));
    EXPECT_EQ("?", printed({"\xC2", "\x9B"}));
    EXPECT_EQ("?a", printed({"\xE2", "a"}));
}

class Terminal : public WithFiles {
  protected:
    static void expect_harmless(const Ran& ran) {
        for (const std::string* text : {&ran.out, &ran.err}) {
            EXPECT_EQ(std::string::npos, text->find('\x1b')) << *text;
            EXPECT_EQ(std::string::npos, text->find("\xC2\x9B")) << *text;
        }
    }
};

// Clears the screen and writes "passed" where a verdict is expected.
constexpr const char* kAbout = R"("about": "first\nsecond \u001b[2J\u001b[H\u009bpassed", )";

TEST_F(Terminal, WhatAFileSaysAboutItselfIsNoCommand) {
    const std::string file = write_pair("a.json", kAbout);
    for (const char* verb : {"explore", "run", "fuzz"}) {
        const Ran ran = run({verb, file, "-v", "-q"});
        expect_harmless(ran);
        EXPECT_TRUE(contains(ran.out, "first\nsecond ?[2J?[H?passed\n")) << ran.out;
    }
}

TEST_F(Terminal, NamesOnTheCommandLineAreNoCommands) {
    for (const auto& arguments : std::vector<std::vector<std::string>>{
             {"explore", "no\x1b[2Jfile.json"},
             {"explore", write_pair("a.json"), "--out", path("a.json") + "/\x1b[2J"},
             {"explore", write_pair("a.json"), "--checkpoint", path("\x1b[2J/x")},
             {"explore", write_pair("a.json"), "--strategy", "\x1b[2J"}}) {
        const Ran ran = run(arguments);
        EXPECT_NE(0, ran.exit_code);
        EXPECT_NE("", ran.err);
        expect_harmless(ran);
    }
}

TEST_F(Terminal, ValuesOfAHistoryAreNoCommands) {
    const std::string file = write(
        "h.jsonl", R"({"process":"\u001b[2J","type":"invoke","f":"acquire","key":"\u001b[3J"})"
                   "\n"
                   R"({"process":"\u001b[2J","type":"ok","f":"acquire","key":"\u001b[3J"})"
                   "\n"
                   R"({"process":"b","type":"invoke","f":"acquire","key":"\u001b[3J"})"
                   "\n"
                   R"({"process":"b","type":"ok","f":"acquire","key":"\u001b[3J"})"
                   "\n");
    const Ran ran = run({"validate", "--history", file, "--model", "mutex"});
    EXPECT_EQ(kExitViolated, ran.exit_code);
    expect_harmless(ran);
}

TEST_F(Terminal, WhatAProgramSaysIsNoCommand) {
    const Ran ran = run({"validate", "--program", R"(printf 'a\033[2Jb\n' | tee /dev/stderr)",
                         "built-in:two-callers", "-q"});
    EXPECT_NE(kExitPassed, ran.exit_code);
    expect_harmless(ran);
}

}  // namespace
}  // namespace lockkeeper
