// SPDX-License-Identifier: Apache-2.0

// Whatever a server does that Lockkeeper does not know, the search ends and says what it was.
#include "validate/wire/unknown_server_test.hpp"

namespace lockkeeper::wire {
namespace {

struct ServerRow {
    const char* kind;
    const char* detail;
    const char* framing = "newline";
    double answer_seconds = 2;
};

class HostileServers : public testing::TestWithParam<ServerRow> {};

TEST_P(HostileServers, EndInAClearError) {
    SKIP_WITHOUT_PYTHON();
    const ServerRow& row = GetParam();
    for (const bool is_held : {true, false}) {
        SCOPED_TRACE(is_held);
        std::string said;
        try {
            said = verdict_on({.framing = row.framing,
                               .server = row.kind,
                               .server_is_held = is_held,
                               .answer_seconds = row.answer_seconds});
        } catch (const BadInput& error) {
            said = error.what();
        }
        EXPECT_NE(std::string::npos, said.find(row.detail)) << said;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, HostileServers,
    testing::Values(ServerRow{"never_opens", "no port is open", "newline", 0.5},
                    ServerRow{"ends_at_once", "the server ended; it said \"no such file\"",
                              "newline", 60},
                    ServerRow{"floods_at_start", "64 MiB"},
                    ServerRow{"everywhere", "listens beyond the loopback"},
                    ServerRow{"garbage", "no protocol", "length"}, ServerRow{"half", "half"},
                    ServerRow{"huge", "16 MiB"}, ServerRow{"dies", "the server ended"},
                    ServerRow{"busy", "the server did not answer", "newline", 1},
                    ServerRow{"chatty_log", "64 MiB", "newline", 60}),
    [](const auto& row) { return std::string(row.param.kind); });

TEST(HostileServersToo, AreNoExceptions) {
    SKIP_WITHOUT_PYTHON();
    for (const char* kind : {"garbage", "half"}) {
        const std::string said =
            verdict_on({.framing = "http", .server = kind, .answer_seconds = 2});
        EXPECT_NE(std::string::npos, said.find("no protocol")) << said;
    }
}

// It waits, and a held server that waits with everybody is a deadlock.
TEST(HostileServersToo, SilenceIsAWait) {
    SKIP_WITHOUT_PYTHON();
    EXPECT_EQ("deadlock", verdict_on({.server = "silent"}));
}

// Each acquire ends in an error, also that of the fresh caller at the end: nothing was lost.
TEST(HostileServersToo, AServerThatClosesEveryConnectionHasNotLostALock) {
    SKIP_WITHOUT_PYTHON();
    const UnknownResult result = searched({.server = "closes"});
    EXPECT_FALSE(result.search.finding.has_value()) << result.verdict;
    EXPECT_NE("passed", result.verdict);
    EXPECT_LT(0U, result.search.tally.answers.indefinite_answers);
}

TEST(UnknownServerWords, AreAskedFor) {
    const auto refusal_of = [](WireSettings settings) -> std::string {
        try {
            const Wire wire(std::move(settings));
        } catch (const BadInput& error) {
            return error.what();
        }
        return "accepted";
    };
    WireSettings settings = settings_of({});
    settings.outside.command = "sleep 100";
    EXPECT_NE(std::string::npos, refusal_of(settings).find("with {port} in it"));
    settings = settings_of({});
    settings.outside.framing = "";
    EXPECT_NE(std::string::npos,
              refusal_of(settings).find("newline, length, http, zookeeper or nats"));
    settings = settings_of({});
    settings.outside.granted = "granted {seconds} {lease}";
    EXPECT_NE(std::string::npos, refusal_of(settings).find("in this order"));
    settings = settings_of({});
    settings.outside.granted = "";
    settings.outside.expire = "end {lease}";
    EXPECT_NE(std::string::npos, refusal_of(settings).find("needs \"granted\""));
}

}  // namespace
}  // namespace lockkeeper::wire
