// SPDX-License-Identifier: Apache-2.0

// Whatever comes in, what goes out is text that a reader of XML takes.
#include "reports/clean_text.hpp"

#include <gtest/gtest.h>

namespace lockkeeper {
namespace {

TEST(CleanText, KeepsLettersAndLineEnds) {
    EXPECT_EQ("a b\nSchl\xC3\xBCssel \xE2\x9C\x93 \xF0\x9F\x94\x92",
              clean_text("a\tb\nSchl\xC3\xBCssel \xE2\x9C\x93 \xF0\x9F\x94\x92"));
    EXPECT_EQ("a b c", clean_line("a\nb\nc"));
}

TEST(CleanText, ControlCharactersAndWhatIsNoCharacterAreReplaced) {
    EXPECT_EQ("a?b?c?d?", clean_text(std::string("a\0b\x1B"
                                                 "c\x7F"
                                                 "d\r",
                                                 8)));
    EXPECT_EQ("???", clean_text("\xC2\x85\xEF\xBF\xBE\xEF\xBF\xBF"));
}

TEST(CleanText, WhatIsNoUtf8IsReplaced) {
    EXPECT_EQ(
        "a\xEF\xBF\xBD"
        "b",
        clean_text("a\xFF"
                   "b"));
    const std::string surrogate = clean_text("\xED\xA0\x80");
    EXPECT_EQ(std::string::npos, surrogate.find("\xED"));
    EXPECT_EQ(std::string::npos, clean_text("\xC0\xAF").find('/'));
}

TEST(CleanText, WhatIsTooLongSaysHowMuchIsLeftOut) {
    EXPECT_EQ("abc", shortened("abc", 3));
    EXPECT_EQ("ab ... (2 bytes more)", shortened("abcd", 2));
    EXPECT_EQ("a ... (2 bytes more)", shortened("a\xC3\xBC", 2));
    EXPECT_EQ("abc", abbreviated("abc", 3));
    EXPECT_EQ("a...", abbreviated("a\xC3\xBC", 2));
    EXPECT_EQ("one\ntwo\n", first_lines("one\ntwo\n", 8));
    EXPECT_EQ("one\n... 2 lines left out: see x\n", first_lines("one\ntwo\nthree", 6, "see x"));
    EXPECT_EQ("... 1 line left out\n", first_lines("abcdef", 3));
}

}  // namespace
}  // namespace lockkeeper
