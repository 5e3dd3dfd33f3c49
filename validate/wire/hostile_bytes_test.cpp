// SPDX-License-Identifier: Apache-2.0

// Whatever bytes come as messages of ZooKeeper and of NATS: nothing reads beyond them, and lengths
// that no message has are refused.
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "validate/wire/framing.hpp"
#include "validate/wire/nats.hpp"
#include "validate/wire/zookeeper.hpp"

namespace lockkeeper::wire {
namespace {

constexpr unsigned kHostileMessages = 20'000;

std::string big_endian(std::uint64_t value, unsigned bytes) {
    std::string out;
    for (unsigned i = bytes; i > 0; --i) {
        out += static_cast<char>(value >> (8U * (i - 1)) & 0xFFU);
    }
    return out;
}

// Zeros, bytes of 0xFF, letters and lengths that are almost right are likely.
class HostileBytes {
  public:
    std::uint32_t below(std::uint32_t bound) {
        return static_cast<std::uint32_t>(engine_() % bound);
    }

    std::string message() {
        std::string out;
        for (std::uint32_t parts = below(12); parts > 0; --parts) {
            switch (below(6)) {
                case 0: out += std::string(below(90), '\0'); break;
                case 1: out += std::string(below(10), '\xff'); break;
                case 2: out += big_endian(below(24), 4); break;
                case 3: out += big_endian(1'704'067'200'000 + below(9), 8); break;
                case 4: out += "/db" + std::string(below(4), 'x'); break;
                default: out += big_endian(engine_(), below(9)); break;
            }
        }
        return out;
    }

    // One that is right, cut off, and with a byte that is another one.
    std::string spoilt(const std::string& message) {
        std::string out = message.substr(0, below(static_cast<std::uint32_t>(message.size()) + 1));
        if (!out.empty()) {
            out[below(static_cast<std::uint32_t>(out.size()))] = static_cast<char>(below(256));
        }
        return out;
    }

  private:
    std::mt19937_64 engine_{20'261'201};  // its numbers are the same everywhere
};

// A copy of exactly its size, so that a sanitizer sees who reads beyond it.
void read_as_zookeeper(const std::string& bytes) {
    const std::vector<char> copy(bytes.begin(), bytes.end());
    const std::string_view message(copy.data(), copy.size());
    for (const MessageKind kind : {MessageKind::kFirstRequest, MessageKind::kRequest,
                                   MessageKind::kFirstReply, MessageKind::kReply}) {
        const std::string text = zookeeper_text(kind, message);
        ASSERT_EQ(std::string::npos, text.find('\n'));
        ASSERT_LE(text.size(), 2 * message.size() + 100);
        ASSERT_LE(steady_zookeeper(kind, message).size(), message.size() + 100);
    }
    static_cast<void>(is_zookeeper_event(message));
    const auto error = zookeeper_error(message);
    const auto names = zookeeper_names(message);
    ASSERT_TRUE(!names || error == 0);
    ASSERT_TRUE(!names || names->size() <= message.size());
    const auto session = zookeeper_session(message);
    ASSERT_TRUE(!session || session->password.size() <= 64);
}

// Nothing where it is refused, or not whole yet.
std::optional<std::size_t> length_of(Framing framing, const std::string& bytes) {
    const std::vector<char> copy(bytes.begin(), bytes.end());
    try {
        return framed_request_length(framing, {copy.data(), copy.size()});
    } catch (const BadBytes&) {
        return std::nullopt;
    }
}

TEST(HostileBytesOfZookeeper, AreReadAsFarAsTheyGo) {
    HostileBytes bytes;
    const std::string whole[] = {
        zookeeper_connect({1, 4'000, "p"}), zookeeper_children("/db"), zookeeper_delete("/db"),
        // Two names, and the description of a node.
        big_endian(34, 4) + big_endian(3, 4) + big_endian(9, 8) + big_endian(0, 4) +
            big_endian(2, 4) + big_endian(1, 4) + "a" + big_endian(1, 4) + "b",
        big_endian(84, 4) + big_endian(3, 4) + big_endian(9, 8) + big_endian(0, 4) +
            big_endian(8, 8) + big_endian(8, 8) + big_endian(1'704'067'200'000, 8) +
            big_endian(1'704'067'200'000, 8) + std::string(36, '\0')};
    for (const std::string& message : whole) {
        for (std::size_t cut = 0; cut <= message.size(); ++cut) {
            ASSERT_NO_FATAL_FAILURE(read_as_zookeeper(message.substr(0, cut))) << cut;
        }
    }
    for (unsigned i = 0; i < kHostileMessages; ++i) {
        const std::string message =
            i % 2 == 0 ? bytes.message() : bytes.spoilt(whole[bytes.below(std::size(whole))]);
        ASSERT_NO_FATAL_FAILURE(read_as_zookeeper(message)) << i;
        const auto length = length_of(Framing::kZookeeper, message);
        ASSERT_TRUE(!length || (*length >= 4 && *length <= message.size())) << i;
    }
}

TEST(HostileBytesOfZookeeper, LengthsThatNoMessageHasAreRefused) {
    for (const std::uint64_t length :
         {std::uint64_t{0xFFFF'FFFF}, std::uint64_t{0x8000'0000}, std::uint64_t{0x7FFF'FFFF},
          std::uint64_t{kFramedMessageMax + 1}}) {
        EXPECT_THROW(
            static_cast<void>(framed_request_length(Framing::kZookeeper, big_endian(length, 4))),
            BadBytes)
            << length;
    }
    EXPECT_FALSE(framed_request_length(Framing::kZookeeper, big_endian(kFramedMessageMax, 4)));
    EXPECT_EQ(4U, framed_request_length(Framing::kZookeeper, big_endian(0, 4)));
    // Lengths within a message: of names, and of how many there are.
    const std::string head = big_endian(0, 4) + big_endian(3, 4) + big_endian(9, 8);
    for (const std::uint64_t count : {std::uint64_t{0xFFFF'FFFF}, std::uint64_t{0x7FFF'FFFF}}) {
        EXPECT_FALSE(zookeeper_names(head + big_endian(0, 4) + big_endian(count, 4)));
        ASSERT_NO_FATAL_FAILURE(read_as_zookeeper(head + big_endian(0, 4) + big_endian(1, 4) +
                                                  big_endian(count, 4) + "a"));
        ASSERT_NO_FATAL_FAILURE(
            read_as_zookeeper(head.substr(0, 8) + big_endian(1, 4) + big_endian(count, 4) + "/a"));
    }
}

TEST(HostileBytesOfNats, AreCutWithinTheirBoundsOrRefused) {
    HostileBytes bytes;
    const std::string whole[] = {"PING\r\n",
                                 "PUB a 5\r\nhello\r\n",
                                 "SUB _INBOX.a.* 1\r\n",
                                 "UNSUB 1\r\n",
                                 "INFO {}\r\n",
                                 "MSG a 1 b 0\r\n\r\n",
                                 "HMSG a 1 12 17\r\nNATS/1.0\r\n\r\nhello\r\n"};
    std::vector<std::string> inboxes;
    for (unsigned i = 0; i < kHostileMessages; ++i) {
        const std::string& right = whole[bytes.below(std::size(whole))];
        const std::string message = i % 2 == 0 ? bytes.spoilt(right) : bytes.message() + right;
        const auto length = length_of(Framing::kNats, message);
        ASSERT_TRUE(!length || (*length >= 2 && *length <= message.size())) << i;
        const std::vector<char> copy(message.begin(), message.end());
        const std::string_view exact(copy.data(), copy.size());
        static_cast<void>(nats_request(exact, inboxes));
        static_cast<void>(is_nats_ping(exact));
        static_cast<void>(is_nats_push(exact));
    }
    EXPECT_LT(0U, inboxes.size());
}

TEST(HostileBytesOfNats, LengthsThatNoMessageHasAreRefused) {
    for (const std::string length :
         {"-1", "+1", "0x10", "1e3", "16777217", "4294967296", "18446744073709551615",
          "18446744073709551616", "99999999999999999999", "5 x"}) {
        for (const char* word : {"PUB a ", "HPUB a 3 ", "MSG a 1 ", "HMSG a 1 3 "}) {
            EXPECT_THROW(static_cast<void>(nats_length(word + length + "\r\n")), BadBytes)
                << word << length;
        }
    }
    EXPECT_FALSE(nats_length("PUB a 16777216\r\n"));
}

}  // namespace
}  // namespace lockkeeper::wire
