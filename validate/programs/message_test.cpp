// SPDX-License-Identifier: Apache-2.0
#include "validate/programs/message.hpp"

#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

#include "validate/outside/misbehaviour.hpp"

namespace lockkeeper {
namespace {

Message parsed(const std::string& body) {
    auto result = parse_message(R"({"src":"n1","dest":"harness","body":)" + body + "}");
    const auto* error = std::get_if<std::string>(&result);
    EXPECT_EQ(nullptr, error) << *error;
    return error == nullptr ? std::get<Message>(result) : Message{};
}

std::string refused(const std::string& line) {
    auto result = parse_message(line);
    const auto* error = std::get_if<std::string>(&result);
    EXPECT_NE(nullptr, error) << line;
    return error == nullptr ? "" : *error;
}

std::string refused_body(const std::string& body) {
    return refused(R"({"src":"n1","dest":"harness","body":)" + body + "}");
}

TEST(Message, AQuestionIsReadWithAllOfItsKeys) {
    const Message cas = parsed(
        R"({"type":"cas","msg_id":7,"op":3,"key":"row","from":{"b":1,"a":2},"to":[1.0,"x"],
            "create_if_not_exists":true,"local":5})");
    EXPECT_EQ(MessageKind::kCompareAndSet, cas.kind);
    EXPECT_EQ(7, cas.msg_id);
    EXPECT_EQ(3, cas.op);
    EXPECT_EQ("row", cas.name);
    EXPECT_EQ(R"({"a":2,"b":1})", cas.from);  // one form for equal values
    EXPECT_EQ(R"([1.0,"x"])", cas.value);
    EXPECT_EQ("5", cas.local);
    EXPECT_TRUE(cas.creates);
    EXPECT_EQ(R"(cas row {"a":2,"b":1} -> [1.0,"x"])", cas.describe());
}

TEST(Message, AValueMayBeStoredForATime) {
    const Message insert =
        parsed(R"({"type":"insert_new","msg_id":1,"op":2,"key":"a","value":"A","ttl":5})");
    EXPECT_EQ(5, insert.ttl);
    EXPECT_EQ(R"(insert_new a "A" for 5)", insert.describe());
    EXPECT_EQ(
        R"(expire a if "A" for 5)",
        parsed(R"({"type":"expire","msg_id":1,"op":2,"key":"a","from":"A","ttl":5})").describe());
    EXPECT_EQ(R"(delete a if "A")",
              parsed(R"({"type":"delete","msg_id":1,"op":2,"key":"a","from":"A"})").describe());
    for (const char* more : {R"("type":"expire","key":"a")", R"("type":"expire","key":"a","ttl":0)",
                             R"("type":"write","key":"a","value":1,"ttl":4294967297)",
                             R"("type":"read","key":"a","ttl":1)"}) {
        EXPECT_NE("", refused_body(R"({"msg_id":1,"op":2,)" + std::string(more) + "}"));
    }
}

// A key has the parts that describe() leaves out or cuts, because they decide what a question does.
TEST(Message, QuestionsWithTheSameKeyAreTheSame) {
    const auto key_of = [](const std::string& more) {
        std::string key;
        parsed(R"({"msg_id":1,"op":2,)" + more + "}").write_key(key);
        return key;
    };
    const std::string end = std::string(100, 'x') + '"';
    const std::string update = R"("type":"update_counter","key":"a","add":1)";
    const std::vector<std::string> different = {
        R"("type":"write","key":"a","value":"0)" + end,
        R"("type":"write","key":"a","value":"1)" + end,
        R"("type":"write","key":"a","value":")" + std::string(100, 'x') + "1\"",
        R"("type":"write","key":"a)" + end + R"(,"value":0)",
        R"("type":"write","key":"b)" + end + R"(,"value":0)",
        R"("type":"insert_new","key":"a","value":0)",
        R"("type":"await","key":"a","value":0)",
        R"("type":"cas","key":"a","from":1,"to":2)",
        R"("type":"cas","key":"a","from":1,"to":2,"create_if_not_exists":true)",
        R"("type":"cas","key":"a","from":12,"to":2)",
        R"("type":"cas","key":"a","from":1,"to":22)",
        update,
        update + R"(,"create_if_not_exists":true)",
        update + R"(,"least":0)",
        update + R"(,"most":0)",
        update + R"(,"least":0,"most":0)",
        R"("type":"update_counter","key":"a","add":10)",
        R"("type":"now")",
        R"("type":"now","what":"deadline")",
        R"("type":"monitor","mailbox":"m","client":"A1","message":1)",
        R"("type":"monitor","mailbox":"m","client":"A2","message":1)",
        R"("type":"atomic","keys":["a"])",
        R"("type":"atomic","keys":["a"],"clock":true)",
        R"("type":"atomic","keys":["a","b"])",
    };
    std::set<std::string> keys;
    for (const std::string& body : different) {
        EXPECT_TRUE(keys.insert(key_of(body)).second) << body;
    }
    EXPECT_EQ(key_of(update + R"(,"local":1)"), key_of(update));  // it stands for the answers
}

TEST(Message, ACounterHasLimitsAndAnErrorACode) {
    const Message counter = parsed(
        R"({"type":"update_counter","msg_id":1,"op":2,"key":"db","add":-2,"least":0,"most":9})");
    EXPECT_EQ("update_counter db -2 least 0 most 9", counter.describe());
    const Message error = parsed(R"({"type":"error","in_reply_to":4,"code":1000,"text":"full"})");
    EXPECT_EQ(MessageKind::kError, error.kind);
    EXPECT_EQ(1000, error.code);
    EXPECT_EQ("full", error.text);
}

TEST(Message, TheClockMayHaveALabel) {
    EXPECT_EQ("now deadline",
              parsed(R"({"type":"now","msg_id":1,"op":2,"what":"deadline"})").describe());
    EXPECT_EQ("now", parsed(R"({"type":"now","msg_id":1,"op":2})").describe());
    EXPECT_EQ("\"what\" is no text", refused_body(R"({"type":"now","msg_id":1,"op":2,"what":3})"));
}

TEST(Message, AnyQuestionMayHaveANameWhichIsShownInItsPlace) {
    const std::string read = R"("type":"read","msg_id":1,"op":2,"key":"db")";
    const Message named = parsed("{" + read + R"(,"name":"is it free?"})");
    EXPECT_EQ("is it free?", named.describe());
    std::string one;
    std::string other;
    named.write_key(one);
    parsed("{" + read + "}").write_key(other);
    EXPECT_EQ(one, other);
    for (const std::string name : {"7", "\"\"", "[]"}) {
        EXPECT_NE(std::string::npos,
                  refused_body(fmt::format(R"({{{},"name":{}}})", read, name)).find("\"name\" is"));
    }
    EXPECT_EQ("\"name\" is empty or longer than 256 bytes",
              refused_body("{" + read + ",\"name\":\"" + std::string(257, 'x') + "\"}"));
}

TEST(Message, AnAtomicStepNamesItsKeys) {
    const auto atomic = [](const std::string& more) {
        return R"({"type":"atomic","msg_id":1,"op":2,)" + more + "}";
    };
    const Message two = parsed(atomic(R"("keys":["a","b"],"clock":true)"));
    EXPECT_EQ(MessageKind::kAtomic, two.kind);
    EXPECT_EQ("atomic a b", two.describe());
    EXPECT_TRUE(two.sees_clock);
    std::string many = "\"0\"";
    for (int i = 1; i <= 16; ++i) {
        many += ",\"" + std::to_string(i) + "\"";
    }
    for (const std::string& keys :
         {std::string(R"("keys":[])"), std::string(R"("keys":"a")"), std::string(R"("keys":[1])"),
          std::string(R"("keys":["a","a"])"), "\"keys\":[" + many + "]",
          std::string(R"("clock":true)"), std::string(R"("keys":["a"],"key":"a")")}) {
        EXPECT_NE("", refused_body(atomic(keys))) << keys;
    }
}

TEST(Message, ACommitWritesDeletesAndSetsEndsAndNothingElse) {
    const auto commit = [](const std::string& steps) {
        return R"({"type":"commit","op":3,"more":true,"steps":)" + steps + "}";
    };
    const Message three = parsed(commit(
        R"([{"type":"write","key":"a","value":1,"ttl":2},{"type":"delete","key":"b"},
            {"type":"expire","key":"c","ttl":4}])"));
    EXPECT_EQ(MessageKind::kCommit, three.kind);
    EXPECT_TRUE(three.more);
    ASSERT_EQ(3U, three.steps.size());
    EXPECT_EQ(2, three.steps[0].ttl);
    for (const std::string steps :
         {R"([{"type":"read","key":"a"}])", R"([{"type":"commit","op":3,"steps":[]}])", "[7]", "7",
          R"([{"type":"write","key":"a"}])", R"([{"type":"write","key":"a","value":1,"op":3}])",
          R"([{"type":"expire","key":"a","ttl":0}])"}) {
        EXPECT_NE("", refused_body(commit(steps))) << steps;
    }
    std::string many = R"({"type":"delete","key":"a"})";
    for (int i = 0; i < 64; ++i) {
        many += R"(,{"type":"delete","key":"a"})";
    }
    EXPECT_EQ("\"steps\" is no list of at most 64 steps", refused_body(commit("[" + many + "]")));
}

TEST(Message, AFailureSaysWhatAndWhere) {
    const Message failed =
        parsed(R"({"type":"failed","text":"TypeError: no","where":"lock.py:3 in acquire"})");
    EXPECT_EQ(MessageKind::kFailed, failed.kind);
    EXPECT_EQ("TypeError: no", failed.text);
    EXPECT_EQ("lock.py:3 in acquire", failed.where);
    EXPECT_NE("", refused_body(R"({"type":"failed"})"));
    EXPECT_NE("", refused_body(R"({"type":"failed","text":7})"));
    EXPECT_EQ(kFailureBytesMax,
              parsed(R"({"type":"failed","text":")" + std::string(5000, 'x') + "\"}").text.size());
}

TEST(Message, SaysWhetherMoreLinesOfTheTurnFollow) {
    EXPECT_FALSE(parsed(R"({"type":"now","msg_id":1,"op":2})").more);
    EXPECT_TRUE(parsed(R"({"type":"now","msg_id":1,"op":2,"more":true})").more);
    const Message wait = parsed(R"({"type":"wait","op":2})");
    EXPECT_EQ(MessageKind::kWait, wait.kind);
    EXPECT_EQ(2, wait.op);
    EXPECT_EQ("no \"op\"", refused_body(R"({"type":"wait"})"));
    EXPECT_EQ("\"more\" is neither true nor false",
              refused_body(R"({"type":"wait","op":2,"more":1})"));
}

TEST(Message, KeysBesideTheBodyAreTheLibrarysOwn) {
    const auto result = parse_message(
        R"({"id":3,"src":"n1","dest":"A","body":{"type":"acquire_ok","in_reply_to":1,"until":9}})");
    ASSERT_TRUE(std::holds_alternative<Message>(result));
    EXPECT_EQ(9, std::get<Message>(result).until);
}

TEST(Message, NonsenseIsRefusedWithItsReason) {
    EXPECT_EQ("it is not JSON", refused("Hello"));
    EXPECT_EQ("it is not JSON", refused(""));
    EXPECT_EQ("it is not JSON", refused("{\"src\":\"\x80\"}"));
    EXPECT_EQ("it is no object", refused("[1]"));
    EXPECT_EQ("nested more than 32 levels deep", refused(std::string(60'000, '[')));
    EXPECT_EQ("no \"src\"", refused("{}"));
    EXPECT_EQ("\"src\" is no text", refused(R"({"src":1})"));
    EXPECT_EQ("\"body\" is no object", refused_body("3"));
    EXPECT_EQ("unknown type \"borrow\"", refused_body(R"({"type":"borrow"})"));
    EXPECT_EQ("unknown key \"kee\"",
              refused_body(R"({"type":"read","msg_id":1,"op":1,"kee":"db"})"));
    EXPECT_EQ("no \"op\"", refused_body(R"({"type":"now","msg_id":1})"));
    EXPECT_EQ("\"msg_id\" is below 0", refused_body(R"({"type":"now","msg_id":-1,"op":1})"));
    EXPECT_EQ("\"msg_id\" is no integer of 64 bits",
              refused_body(R"({"type":"now","msg_id":18446744073709551615,"op":1})"));
    EXPECT_EQ("\"add\" is no integer of 64 bits",
              refused_body(R"({"type":"update_counter","msg_id":1,"op":1,"key":"a","add":1.5})"));
    EXPECT_EQ("\"least\" is above \"most\"",
              refused_body(R"({"type":"update_counter","msg_id":1,"op":1,"key":"a","add":1,
                               "least":2,"most":1})"));
    EXPECT_EQ("\"value\" has more than 16 KiB",
              refused_body(R"({"type":"write","msg_id":1,"op":1,"key":"a","value":")" +
                           std::string(20'000, 'x') + "\"}"));
    EXPECT_EQ("\"background\" is no list of at most 8 names",
              refused_body(R"({"type":"init_ok","in_reply_to":1,"background":"manager"})"));
}

// The library takes it for the end of the text.
TEST(Message, ANulByteIsRefusedWithItsColumn) {
    const std::string answer =
        R"({"src":"n1","dest":"A1","body":{"type":"invoke_ok","in_reply_to":1}})";
    ASSERT_TRUE(std::holds_alternative<Message>(parse_message(answer)));
    const std::string column = std::to_string(answer.size() + 1);
    for (const std::string& rest : {std::string(), std::string("{\"src\":")}) {
        EXPECT_EQ("a NUL byte in column " + column,
                  refused(fmt::format("{}{}{}", answer, '\0', rest)));
    }
}

TEST(Message, WhatIsWrittenIsQuoted) {
    EXPECT_EQ(R"({"src":"a\"b","dest":"n1","body":{"type":"x","n":-3,"l":["p","q"],"j":{"k":1}}})",
              message_line("a\"b", "n1", "x", {{"n", -3}, {"l", {"p", "q"}}, {"j", {{"k", 1}}}}));
    EXPECT_EQ("\"plain ?\"...", quoted_piece("plain \nmore", 7));
}

TEST(Message, AKeyThatStandsTwiceIsRefused) {
    const auto complaint = [](const std::string& line) {
        const auto result = parse_message(line);
        const auto* error = std::get_if<std::string>(&result);
        return error != nullptr ? *error : "no complaint";
    };
    const std::string head = R"({"src":"n1","dest":"harness",)";
    EXPECT_EQ("duplicate key \"/dest\"", complaint(head + R"("dest":"A1","body":{}})"));
    EXPECT_EQ("duplicate key \"/body/add\"",
              complaint(head + R"("body":{"type":"update_counter","msg_id":1,"op":2,"key":"k",)"
                               R"("add":1,"add":-1}})"));
    EXPECT_EQ("duplicate key \"/body/value/a\"",
              complaint(head + R"("body":{"type":"write","msg_id":1,"op":2,"key":"k",)"
                               R"("value":[{"a":1},{"a":1,"a":2}]}})"));
    EXPECT_EQ("no complaint",
              complaint(head + R"("body":{"type":"write","msg_id":1,"op":2,"key":"k",)"
                               R"("value":[{"a":1},{"a":{"a":2}}]}})"));
}

// Whatever bytes come: a message or one line that says why not.
RC_GTEST_PROP(MessageProperty, AnyBytesAreAMessageOrRefused, (const std::string& bytes)) {
    const auto result = parse_message(bytes);
    if (const auto* error = std::get_if<std::string>(&result)) {
        RC_ASSERT(!error->empty());
        RC_ASSERT(error->find('\n') == std::string::npos);
    }
}

// Valid lines with some bytes changed come much further than random ones.
RC_GTEST_PROP(MessageProperty, DamagedMessagesAreMessagesOrRefused, ()) {
    std::string line = *rc::gen::element<std::string>(
        R"({"src":"n1","dest":"harness","body":{"type":"cas","msg_id":1,"op":2,"key":"k","from":null,"to":{"a":[1,2]}}})",
        R"({"src":"n1","dest":"harness","body":{"type":"update_counter","msg_id":1,"op":2,"key":"k","add":-1,"most":3}})",
        R"({"src":"n1","dest":"A1","body":{"type":"error","in_reply_to":1,"code":22,"text":"x"}})",
        R"({"src":"n1","dest":"harness","body":{"type":"init_ok","in_reply_to":1,"background":["m"]}})");
    const int changes = *rc::gen::inRange(1, 6);
    for (int i = 0; i < changes; ++i) {
        const auto at = *rc::gen::inRange<std::size_t>(0, line.size());
        line[at] = *rc::gen::element('"', '{', '}', '[', ']', ',', ':', '0', '9', 'e', '-', '\\',
                                     'n', '\x80', '\0');
    }
    const auto result = parse_message(line);
    if (const auto* message = std::get_if<Message>(&result)) {
        RC_ASSERT(is_question(message->kind) == message->msg_id.has_value());
        RC_ASSERT(is_question(message->kind) != message->in_reply_to.has_value());
    }
}

}  // namespace
}  // namespace lockkeeper
