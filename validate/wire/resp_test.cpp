// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/resp.hpp"

#include <gtest/gtest.h>

namespace lockkeeper::wire {
namespace {

TEST(Resp, ACommandIsReadOnceItsEndHasCome) {
    const std::string text = to_resp({"SET", "db", "a b", "NX"});
    for (std::size_t size = 0; size < text.size(); ++size) {
        EXPECT_FALSE(read_command(std::string_view(text).substr(0, size))) << size;
    }
    const auto command = read_command(text + "*1\r\n");
    ASSERT_TRUE(command);
    EXPECT_EQ(text.size(), command->bytes);
    EXPECT_EQ((std::vector<std::string>{"SET", "db", "a b", "NX"}), command->words);
}

TEST(Resp, ACommandMayBeALineOfWords) {
    const auto command = read_command("PING  hello\r\nrest");
    ASSERT_TRUE(command);
    EXPECT_EQ(13U, command->bytes);
    EXPECT_EQ((std::vector<std::string>{"PING", "hello"}), command->words);
    EXPECT_TRUE(read_command("\r\n")->words.empty());
}

TEST(Resp, WhatIsNoCommandIsRefused) {
    for (const char* text :
         {"\x01\x02\n", "*x\r\n", "*-5\r\n", "*99999999\r\n", "*1\r\n:5\r\n", "*1\r\n$-1\r\n",
          "*1\r\n$99999999999\r\n", "*1\r\n$2\r\nabcd", "*1\r\n$18446744073709551617\r\n"}) {
        EXPECT_THROW(static_cast<void>(read_command(text)), BadBytes) << text;
    }
    EXPECT_THROW(static_cast<void>(read_command(std::string(100'000, 'x'))), BadBytes);
    EXPECT_THROW(static_cast<void>(read_command("*" + std::string(100'000, '1'))), BadBytes);
}

TEST(Resp, AReplyIsAsLongAsItSays) {
    for (const std::string text :
         {"+OK\r\n", "-ERR no\r\n", ":12\r\n", "$-1\r\n", "$0\r\n\r\n", "$5\r\na\r\nbc\r\n",
          "*-1\r\n", "*2\r\n:1\r\n*1\r\n$1\r\nx\r\n", "%1\r\n+a\r\n#t\r\n", "_\r\n", ",1.5\r\n",
          ">2\r\n+message\r\n+x\r\n", "|1\r\n+ttl\r\n:5\r\n:7\r\n", "=5\r\ntxt:a\r\n"}) {
        for (std::size_t size = 0; size < text.size(); ++size) {
            EXPECT_FALSE(reply_length(text.substr(0, size))) << text << size;
        }
        EXPECT_EQ(text.size(), reply_length(text + "+more\r\n")) << text;
    }
}

TEST(Resp, WhatIsNoReplyIsRefused) {
    std::string deep;
    for (int i = 0; i < 1'000; ++i) {
        deep += "*1\r\n";
    }
    for (const std::string& text : {std::string("hello\r\n"), std::string("$abc\r\n"), deep,
                                    std::string("$99999999999\r\n")}) {
        EXPECT_THROW(static_cast<void>(reply_length(text)), BadBytes) << text.substr(0, 20);
    }
}

TEST(Resp, IsShownForPeople) {
    EXPECT_EQ("(nil)", shown_reply("$-1\r\n"));
    EXPECT_EQ("[1, OK, \"a b\"]", shown_reply("*3\r\n:1\r\n+OK\r\n$3\r\na b\r\n"));
    EXPECT_EQ("(error \"ERR no\")", shown_reply("-ERR no\r\n"));
    EXPECT_EQ("SET db \"\\x00\\xff\"", shown_command({"SET", "db", std::string("\0\xff", 2)}));
    EXPECT_EQ("\"\"", shown_command({""}));
    EXPECT_EQ("\"a\\x0ab\"", shown_reply("+a\nb\r\n"));
}

}  // namespace
}  // namespace lockkeeper::wire
