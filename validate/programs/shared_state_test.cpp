// SPDX-License-Identifier: Apache-2.0
#include "validate/programs/shared_state.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "validate/outside/misbehaviour.hpp"

namespace lockkeeper {
namespace {

constexpr int kNobody = 255;

class Shared : public ::testing::Test {
  protected:
    static Message question(const std::string& body) {
        const auto parsed = parse_message(
            R"({"src":"n1","dest":"harness","body":{"msg_id":1,"op":1,)" + body + "}}");
        EXPECT_TRUE(std::holds_alternative<Message>(parsed)) << std::get<std::string>(parsed);
        return std::get<Message>(parsed);
    }
    std::string ask(const std::string& body, std::uint8_t actor = 0,
                    std::optional<std::uint8_t> sender = std::nullopt) {
        return shared_.apply(question(body), actor, sender, kNobody, false).text;
    }
    SharedState shared_;
};

TEST_F(Shared, TheStoreKeepsValuesAndSaysWhenThereAreNone) {
    EXPECT_EQ("error 20", ask(R"("type":"read","key":"a")"));
    EXPECT_EQ("error 20", ask(R"("type":"delete","key":"a")"));
    EXPECT_EQ("error 20", ask(R"("type":"cas","key":"a","from":1,"to":2)"));
    EXPECT_EQ("ok", ask(R"("type":"cas","key":"a","from":1,"to":2,"create_if_not_exists":true)"));
    EXPECT_EQ("error 22", ask(R"("type":"cas","key":"a","from":1,"to":3)"));
    EXPECT_EQ("ok", ask(R"("type":"cas","key":"a","from":2,"to":{"y":1,"x":2})"));
    EXPECT_EQ("ok", ask(R"("type":"cas","key":"a","from":{"x":2,"y":1},"to":7)"));
    EXPECT_EQ("7", ask(R"("type":"read","key":"a")"));
    EXPECT_EQ("error 21", ask(R"("type":"insert_new","key":"a","value":1)"));
    EXPECT_EQ("ok", ask(R"("type":"delete","key":"a")"));
    EXPECT_EQ("ok", ask(R"("type":"insert_new","key":"a","value":1)"));
}

TEST_F(Shared, WhatIsStoredForATimeVanishesAtItsEnd) {
    EXPECT_EQ("ok", ask(R"("type":"insert_new","key":"a","value":1,"ttl":2)"));
    EXPECT_EQ("ok", ask(R"("type":"write","key":"b","value":1,"ttl":2)"));
    EXPECT_EQ("ok", ask(R"("type":"write","key":"b","value":2)"));  // and for ever
    EXPECT_EQ("3", ask(R"("type":"update_counter","key":"a","add":2)"));
    shared_.set_clock(1);
    EXPECT_EQ("error 21", ask(R"("type":"insert_new","key":"a","value":1)"));
    EXPECT_EQ("error 22", ask(R"("type":"expire","key":"a","ttl":9,"from":1)"));
    EXPECT_EQ("error 20", ask(R"("type":"expire","key":"c","ttl":9)"));
    shared_.set_clock(2);
    EXPECT_EQ("error 20", ask(R"("type":"read","key":"a")"));
    EXPECT_EQ("ok", ask(R"("type":"expire","key":"b","ttl":1,"from":2)"));
    EXPECT_EQ("clock 2  b=2 until 3", shared_.describe());
    shared_.set_clock(3);
    EXPECT_EQ("error 20", ask(R"("type":"read","key":"b")"));
}

TEST_F(Shared, ValuesWithDifferentEndsAreTwoStates) {
    std::string first;
    std::string second;
    ask(R"("type":"write","key":"a","value":1,"ttl":2)");
    shared_.write_key(first);
    ask(R"("type":"expire","key":"a","ttl":3)");
    shared_.write_key(second);
    EXPECT_NE(first, second);
}

TEST_F(Shared, ADeleteMayAskWhatIsStored) {
    ask(R"("type":"write","key":"a","value":"A")");
    EXPECT_EQ("error 22", ask(R"("type":"delete","key":"a","from":"B")"));
    EXPECT_EQ("ok", ask(R"("type":"delete","key":"a","from":"A")"));
    EXPECT_EQ("error 20", ask(R"("type":"delete","key":"a","from":"A")"));
}

TEST_F(Shared, WhatIsStoredIsNotMistakenForAMessage) {
    std::string stored;
    std::string sent;
    ask(R"("type":"write","key":"mbox","value":15)");
    shared_.write_key(stored);
    shared_ = {};
    ask(R"("type":"send","to":"box","message":5)", 1);
    shared_.write_key(sent);
    EXPECT_NE(stored, sent);
    shared_ = {};
    ask(R"("type":"write","key":"a\n1\nb","value":2)");
    stored.clear();
    shared_.write_key(stored);
    shared_ = {};
    ask(R"("type":"write","key":"a","value":1)");
    ask(R"("type":"write","key":"b","value":2)");
    sent.clear();
    shared_.write_key(sent);
    EXPECT_NE(stored, sent);
}

TEST_F(Shared, CountersAreLimitedOnBothSides) {
    EXPECT_EQ("error 20", ask(R"("type":"update_counter","key":"c","add":1)"));
    EXPECT_EQ("1", ask(R"("type":"update_counter","key":"c","add":1,"create_if_not_exists":true)"));
    EXPECT_EQ("3", ask(R"("type":"update_counter","key":"c","add":9,"most":3)"));
    EXPECT_EQ("0", ask(R"("type":"update_counter","key":"c","add":-9,"least":0)"));
    EXPECT_EQ("-2", ask(R"("type":"update_counter","key":"c","add":-2)"));
    ask(R"("type":"write","key":"c","value":9223372036854775807)");
    EXPECT_THROW(ask(R"("type":"update_counter","key":"c","add":1)"), Misbehaved);
    ask(R"("type":"write","key":"c","value":"text")");
    EXPECT_THROW(ask(R"("type":"update_counter","key":"c","add":1)"), Misbehaved);
}

TEST_F(Shared, AnAwaitWaitsWhileTheValueIsTheOneThatWasSeen) {
    const Message absent = question(R"("type":"await","key":"a","value":null)");
    EXPECT_TRUE(shared_.is_blocked(absent));
    ask(R"("type":"write","key":"a","value":1)");
    EXPECT_FALSE(shared_.is_blocked(absent));
    EXPECT_TRUE(shared_.is_blocked(question(R"("type":"await","key":"a","value":1)")));
}

TEST_F(Shared, MessagesOfOneSenderStayInOrderAndAnySenderMayComeFirst) {
    const Message receive = question(R"("type":"receive","mailbox":"m")");
    EXPECT_TRUE(shared_.is_blocked(receive));
    ask(R"("type":"send","to":"m","message":1)", 4);
    ask(R"("type":"send","to":"m","message":2)", 4);
    ask(R"("type":"send","to":"m","message":3)", 2);
    EXPECT_EQ((std::vector<std::uint8_t>{2, 4}), shared_.senders_for(receive));
    EXPECT_EQ("3", ask(R"("type":"receive","mailbox":"m")", 0, 2));
    EXPECT_EQ("1", ask(R"("type":"receive","mailbox":"m")", 0, 4));
    EXPECT_EQ("2", ask(R"("type":"receive","mailbox":"m")"));
    EXPECT_TRUE(shared_.is_blocked(receive));
}

TEST_F(Shared, ADeathIsToldAfterWhatTheDeadHadSent) {
    const Message monitor =
        question(R"("type":"monitor","client":"A","mailbox":"m","message":"dead")");
    shared_.apply(monitor, 0, std::nullopt, 1, false);
    ask(R"("type":"send","to":"m","message":"last")", 1);
    shared_.died(1);
    shared_.died(1);  // once only
    EXPECT_EQ("\"last\"", ask(R"("type":"receive","mailbox":"m")", 0, 1));
    EXPECT_EQ("\"dead\"", ask(R"("type":"receive","mailbox":"m")", 0, 1));
    shared_.apply(monitor, 0, std::nullopt, 1, true);
    EXPECT_EQ("\"dead\"", ask(R"("type":"receive","mailbox":"m")", 0, 1));
    EXPECT_TRUE(shared_.is_blocked(question(R"("type":"receive","mailbox":"m")")));
}

TEST_F(Shared, SizesAreLimited) {
    for (std::size_t i = 0; i < kStoreKeysMax; ++i) {
        ask(R"("type":"write","value":1,"key":"k)" + std::to_string(i) + "\"");
    }
    EXPECT_THROW(ask(R"("type":"write","value":1,"key":"one more")"), Misbehaved);
    for (std::size_t i = 0; i < kMailMax; ++i) {
        ask(R"("type":"send","to":"m","message":1)");
    }
    EXPECT_THROW(ask(R"("type":"send","to":"m","message":1)"), Misbehaved);
}

TEST_F(Shared, AnAtomicStepSeesAndLeavesItsKeysAlone) {
    const Message both = question(R"("type":"atomic","keys":["a","b"],"clock":true)");
    const auto commit = [](const std::string& steps) {
        return std::get<Message>(
            parse_message(R"({"src":"n1","dest":"harness","body":{"type":"commit","op":1,)"
                          R"("more":true,"steps":)" +
                          steps + "}}"));
    };
    ask(R"("type":"write","key":"a","value":[1])");
    ask(R"("type":"write","key":"c","value":3)");
    EXPECT_EQ(R"("values":{"a":[1]},"now":0)", shared_.apply(both, 0, {}, kNobody, false).more);
    EXPECT_EQ("sees a=[1] b absent, leaves a absent b=2 until 5",
              shared_.commit(both, commit(R"([{"type":"delete","key":"a"},
                                              {"type":"write","key":"b","value":2,"ttl":5}])")));
    EXPECT_EQ("sees a absent b=2 until 5, leaves b=2 until 7",
              shared_.commit(both, commit(R"([{"type":"expire","key":"b","ttl":7}])")));
    EXPECT_EQ("sees a absent b=2 until 7, changes nothing", shared_.commit(both, commit("[]")));
    EXPECT_THROW(shared_.commit(both, commit(R"([{"type":"delete","key":"c"}])")), Misbehaved);
    const std::string cut(200, 'x');  // a change behind what is shown is one, too
    shared_.commit(both, commit(R"([{"type":"write","key":"a","value":")" + cut + "\"}]"));
    EXPECT_EQ(
        std::string::npos,
        shared_.commit(both, commit(R"([{"type":"write","key":"a","value":")" + cut + "y\"}]"))
            .find("changes nothing"));
    EXPECT_EQ("3", ask(R"("type":"read","key":"c")"));
}

TEST_F(Shared, AnAtomicStepIsNotShownMoreThanALineMayHold) {
    const std::string large(16'000, 'x');
    for (const std::string key : {"a", "b", "c"}) {
        ask(fmt::format(R"("type":"write","key":"{}","value":"{}")", key, large));
    }
    const auto shown = [&](const std::string& keys) {
        return shared_.apply(question(R"("type":"atomic","keys":)" + keys), 0, {}, kNobody, false);
    };
    EXPECT_LT(32'000U, shown(R"(["a","b"])").more.size());
    EXPECT_THROW(shown(R"(["a","b","c"])"), Misbehaved);
}

}  // namespace
}  // namespace lockkeeper
