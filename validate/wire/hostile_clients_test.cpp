// SPDX-License-Identifier: Apache-2.0

// Whatever a client does, the search ends, in bounded memory, and says what it was.
#include "validate/wire/wire_test.hpp"

namespace lockkeeper::wire {
namespace {

struct Row {
    const char* kind;
    Misbehaviour expected;
    const char* detail;
    double answer_seconds = 1;
};

class HostileClients : public testing::TestWithParam<Row> {};

TEST_P(HostileClients, EndInAClearError) {
    SKIP_WITHOUT_REDIS();
    const Row& row = GetParam();
    for (const char* modes : {"", "-"}) {
        Held held(raw_client(row.kind, modes), two_callers(), {}, exploring(), row.answer_seconds);
        std::optional<Misbehaviour> kind;
        std::string detail;
        try {
            const OutsideResult result = held.search->search();
            ASSERT_TRUE(result.finding) << result.diverged;
            ASSERT_EQ(nullptr, result.finding->property) << result.finding->property->name;
            kind = result.finding->misbehaviour;
            detail = result.finding->detail;
        } catch (const Misbehaved& error) {
            kind = error.kind();
            detail = error.what();
        }
        EXPECT_EQ(row.expected, kind) << detail;
        EXPECT_NE(std::string::npos, detail.find(row.detail)) << detail;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, HostileClients,
    testing::Values(Row{"garbage", Misbehaviour::kNonsense, "does not understand"},
                    Row{"half", Misbehaviour::kNonsense, "half a request", 60},
                    Row{"endless", Misbehaviour::kNonsense, "out of bounds"},
                    Row{"busy", Misbehaviour::kHung, "still at work", 0.5},
                    Row{"endless_pings", Misbehaviour::kHung, "still at work", 0.5},
                    Row{"dies", Misbehaviour::kDied, "ended"},
                    Row{"chatty", Misbehaviour::kNonsense, "without having been asked", 60},
                    Row{"nonsense", Misbehaviour::kNonsense, "perhaps", 60},
                    Row{"floods", Misbehaviour::kFlooded, "", 60},
                    Row{"mute", Misbehaviour::kCannotStart, "ready"},
                    Row{"wrong_start", Misbehaviour::kCannotStart, "hello"}),
    [](const auto& row) { return std::string(row.param.kind); });

}  // namespace
}  // namespace lockkeeper::wire
