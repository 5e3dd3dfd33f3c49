// SPDX-License-Identifier: Apache-2.0

// What a stranger on the machine may use of the server: time, connections.
#include <algorithm>

#include "serve/http_served_test.hpp"

namespace lockkeeper {
namespace {

using namespace testing_serve;

TEST_F(Served, ConnectionsThatAreSilentOrSlowDelayNobody) {
    const std::vector<Plug> silent = plugs(50);
    const std::vector<Plug> slow = plugs(8);
    for (const char byte : std::string("POST /")) {
        for (const Plug& plug : slow) {
            plug.send(std::string(1, byte));
        }
        expect_prompt_answer();
    }
}

TEST_F(Served, TheStopClosesConnectionsAtOnce) {
    const std::vector<Plug> silent = plugs(50);
    const Plug unfinished(port_);
    unfinished.send(head("POST", at("api/files"), {{"Content-Length", "100"}}));
    expect_prompt_answer();
    const auto start = Clock::now();
    stop();
    EXPECT_LT(Clock::now() - start, milliseconds(500));
    EXPECT_TRUE(silent.back().is_closed_within(milliseconds(100)));
    EXPECT_TRUE(unfinished.is_closed_within(milliseconds(100)));
}

class ServedShortly : public Served {
  protected:
    ServedShortly()
        : Served({.head = milliseconds(300),
                  .body = milliseconds(600),
                  .answer = milliseconds(10'000),
                  .connections_max = 8}) {}
};

// Each byte comes soon after the one before.
TEST_F(ServedShortly, AHeadHasOneTimeForAllOfIt) {
    const Plug slow(port_);
    const auto start = Clock::now();
    bool is_closed = false;
    while (!is_closed && Clock::now() - start < milliseconds(3'000)) {
        slow.send("G");
        is_closed = slow.is_closed_within(milliseconds(20));
    }
    EXPECT_TRUE(is_closed);
    EXPECT_GE(Clock::now() - start, milliseconds(250));
}

TEST_F(ServedShortly, ABodyHasOneTimeForAllOfIt) {
    const Plug slow(port_);
    slow.send(head("POST", at("api/files"), {{"Content-Length", "1000"}}));
    const auto start = Clock::now();
    bool is_closed = false;
    while (!is_closed && Clock::now() - start < milliseconds(3'000)) {
        slow.send(" ");
        is_closed = slow.is_closed_within(milliseconds(20));
    }
    EXPECT_TRUE(is_closed);
    EXPECT_GE(Clock::now() - start, milliseconds(500));
}

TEST_F(ServedShortly, WhoHasNotShownTheTokenGoesFirstWhereRoomIsNeeded) {
    const Plug known(port_);
    known.send(head("POST", at("api/files"), {{"Content-Length", "2"}, {"Content-Type", kJson}}));
    std::this_thread::sleep_for(milliseconds(50));  // its head has come
    const std::vector<Plug> strangers = plugs(8);
    EXPECT_TRUE(strangers.front().is_closed_within(milliseconds(150)));
    EXPECT_FALSE(strangers.back().is_closed_within(milliseconds(0)));
    known.send("{}");
    EXPECT_EQ(200, understood(known.received()).status);
}

TEST_F(ServedShortly, WhereAllHaveShownTheTokenTheNewOneGoes) {
    const std::vector<Plug> known = plugs(8);
    for (const Plug& plug : known) {
        plug.send(
            head("POST", at("api/files"), {{"Content-Length", "2"}, {"Content-Type", kJson}}));
    }
    std::this_thread::sleep_for(milliseconds(50));
    EXPECT_TRUE(Plug(port_).is_closed_within(milliseconds(200)));
    for (const Plug& plug : known) {
        plug.send("{}");
        EXPECT_EQ(200, understood(plug.received()).status);
    }
}

}  // namespace
}  // namespace lockkeeper
