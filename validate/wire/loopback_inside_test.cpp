// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/loopback_inside.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include <gtest/gtest.h>

#include "validate/wire/loopback.hpp"

namespace lockkeeper::wire {
namespace {

// A connection of this process with itself.
class OwnConnection {
  public:
    OwnConnection() {
        std::uint16_t port = 0;
        listener_ = listen_on_loopback(port);
        client = connect_on_loopback(port);
    }
    ~OwnConnection() {
        for (const int file : {listener_, client, server}) {
            if (file >= 0) {
                close(file);
            }
        }
    }
    OwnConnection(const OwnConnection&) = delete;
    OwnConnection& operator=(const OwnConnection&) = delete;

    void accept_it() {
        pollfd wait{listener_, POLLIN, 0};
        ASSERT_EQ(1, ::poll(&wait, 1, 10'000));
        server = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        ASSERT_LE(0, server);
    }

    int client = -1;
    int server = -1;

  private:
    int listener_ = -1;
};

TEST(EndsInside, FindsBothEndsOfEachConnectionAndNothingElse) {
    EndsInside ends;
    const std::vector<pid_t> self{getpid()};
    const std::size_t before = ends.of(self).size();
    OwnConnection first;
    EXPECT_EQ(before + 2, ends.of(self).size());  // nobody has accepted it
    first.accept_it();
    EXPECT_EQ(before + 2, ends.of(self).size());
    OwnConnection second;
    second.accept_it();
    EXPECT_EQ(before + 4, ends.of(self).size());
    EXPECT_TRUE(ends.of({}).empty());
    close(std::exchange(first.client, -1));
    close(std::exchange(first.server, -1));
    EXPECT_EQ(before + 2, ends.of(self).size());
}

TEST(EndsInside, CountsWhatWasSentAndWhatHasArrived) {
    EndsInside ends;
    const std::vector<pid_t> self{getpid()};
    OwnConnection connection;
    connection.accept_it();
    const std::vector<TcpEnd> quiet = ends.of(self);
    EXPECT_EQ(quiet, ends.of(self));
    EXPECT_TRUE(all_have_arrived(quiet));
    ASSERT_EQ(5, send(connection.client, "hello", 5, 0));
    const std::vector<TcpEnd> after = ends.of(self);
    EXPECT_NE(quiet, after);
    std::uint64_t sent = 0;
    for (const TcpEnd& end : after) {
        sent += end.sent;
    }
    for (const TcpEnd& end : quiet) {
        sent -= end.sent;
    }
    EXPECT_EQ(5U, sent);
    std::vector<TcpEnd> lost = after;
    for (TcpEnd& end : lost) {
        end.received = 0;
    }
    EXPECT_FALSE(all_have_arrived(lost));
}

// A file that was closed may come back as another one.
TEST(EndsInside, KnowsANewConnectionInThePlaceOfAClosedOne) {
    EndsInside ends;
    const std::vector<pid_t> self{getpid()};
    const std::size_t before = ends.of(self).size();
    for (int round = 0; round < 3; ++round) {
        OwnConnection connection;
        connection.accept_it();
        EXPECT_EQ(before + 2, ends.of(self).size());
    }
    EXPECT_EQ(before, ends.of(self).size());
}

}  // namespace
}  // namespace lockkeeper::wire
