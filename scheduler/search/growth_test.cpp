// SPDX-License-Identifier: Apache-2.0

// A counter that nothing bounds is named, early and when a limit ends the search; what is bounded
// is not.
#include "scheduler/search/growth.hpp"

#include <gmock/gmock.h>

#include "model/erased_system.hpp"
#include "model/slow_build_test.hpp"
#include "model/walk_test.hpp"
#include "scheduler/erased_runner.hpp"

namespace lockkeeper {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing_model::acquire;
using testing_model::release;
using testing_model::world_of;

// Tickets as a bakery hands them out: without end, or the same few again and again.
struct TicketLock : BasicImplementation<WorldSize<3, 1, std::uint16_t, std::uint16_t, 2>> {
    enum class At : std::uint16_t { kNowhere, kTake, kWait, kServe };
    struct Shared {
        std::uint16_t holder;  // 0 or 1
        std::uint16_t next;
        std::uint16_t serving;
    };
    struct Call {
        At at;
        std::uint16_t ticket;
    };

    std::uint16_t tickets = 0;  // 0: without end

    [[nodiscard]] std::uint16_t after(std::uint16_t ticket) const {
        const auto next = static_cast<std::uint16_t>(ticket + 1);
        return tickets != 0 && next == tickets ? std::uint16_t{0} : next;
    }
    [[nodiscard]] static Shared initial_shared() { return {}; }
    static void begin(const Operation& operation, Call& call) {
        call.at = operation.verb == Verb::kAcquire ? At::kTake : At::kServe;
    }
    [[nodiscard]] static bool blocked(const Shared& shared, const Record&, const Call& call) {
        return call.at == At::kWait && call.ticket != shared.serving;
    }
    Outcome step(Shared& shared, Record&, Call& call, const Operation&, Event&) const {
        if (call.at == At::kTake) {
            call = {At::kWait, shared.next};
            shared.next = after(shared.next);
            return Outcome::kContinues;
        }
        shared.holder = call.at == At::kWait ? 1 : 0;
        shared.serving = call.at == At::kWait ? shared.serving : after(shared.serving);
        return call.at == At::kWait ? Outcome::kAcquired : Outcome::kReleased;
    }
    static void observe(const Shared& shared, Records<const Record>, Observation& out) {
        out.keys[0].counters = {shared.holder};
        out.keys[0].counted_least = out.keys[0].counted_most = shared.holder;
    }
    [[nodiscard]] static std::string describe_step(const Shared&, const Record&, const Call&,
                                                   const Operation&) {
        return "step";
    }
    [[nodiscard]] static std::string show(const Shared& shared) {
        return "next " + std::to_string(shared.next) + ", serving " +
               std::to_string(shared.serving);
    }
};

ErasedSystem ticket_lock(std::uint16_t tickets) {
    TicketLock lock;
    lock.tickets = tickets;
    WorldConfig world =
        world_of({{acquire(), release()}, {acquire(), release()}, {acquire(), release()}});
    for (CallerConfig& caller : world.callers) {
        caller.repeats_forever = true;
        caller.group = 0;
    }
    return ErasedSystem(World<TicketLock>(lock, world));
}

struct Searched {
    ExploreResult result;
    std::vector<std::string> hints;
};
Searched searched(std::uint16_t tickets, std::uint64_t states_max,
                  Frontier frontier = Frontier::kQueue) {
    Searched out;
    ExploreOptions options;
    options.states_max = states_max;
    options.frontier = frontier;
    options.hint = [&](const std::string& hint) { out.hints.push_back(hint); };
    out.result = make_erased_runner(ticket_lock(tickets), {}, {}, 0)->explore(options);
    return out;
}

TEST(Growth, of_a_counter_without_end_is_told_once_and_early) {
    const Searched search = searched(0, 40'000);
    EXPECT_EQ("states", search.result.limit);
    ASSERT_EQ(1U, search.hints.size());
    EXPECT_THAT(search.hints[0], StartsWith("a field keeps growing: \"next\" (Shared, byte 2"));
    EXPECT_THAT(search.result.growing,
                StartsWith("a field keeps growing: \"next\" (Shared, byte 2"));
}

TEST(Growth, is_told_at_the_limit_even_of_a_search_too_small_for_a_hint) {
    const Searched search = searched(0, 5'000);
    EXPECT_EQ(0U, search.hints.size());
    EXPECT_THAT(search.result.growing, HasSubstr("\"next\""));
}

// Beyond 255 the lowest byte begins again.
TEST(Growth, of_more_than_a_byte_is_seen) {
    if (testing_model::kIsSanitized) {
        GTEST_SKIP() << "400,000 states";
    }
    EXPECT_THAT(searched(0, 400'000).result.growing,
                StartsWith("a field keeps growing: \"next\" (Shared, byte 2 to 3)"));
}

TEST(Growth, is_seen_depth_first) {
    EXPECT_THAT(searched(0, 250'000, Frontier::kStack).result.growing, HasSubstr("byte"));
}

TEST(Growth, of_what_is_bounded_is_none) {
    const Searched search = searched(4, 1'000'000);
    EXPECT_TRUE(search.result.complete);
    EXPECT_EQ(0U, search.hints.size());
    EXPECT_EQ("", search.result.growing);
    EXPECT_EQ("", searched(4, 30).result.growing);
}

std::vector<std::byte> bytes_of(std::initializer_list<unsigned> values) {
    std::vector<std::byte> out;
    for (const unsigned value : values) {
        out.push_back(static_cast<std::byte>(value));
    }
    return out;
}

TEST(GrowthWatch, tells_calls_and_records_from_what_is_shared) {
    PartLayout layout{4, 2, 4, 2, 3};  // slots: two bytes of World, Call, Record
    for (const std::size_t at : {2U, 3U, 6U, 9U}) {
        GrowthWatch watch(layout, 2);
        for (unsigned depth = 1; depth <= 60; ++depth) {
            auto state = bytes_of({depth, depth, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
            state[at] = static_cast<std::byte>(depth);
            watch.look(state, depth, depth);
        }
        const auto field = watch.growing();
        ASSERT_TRUE(field.has_value());
        EXPECT_EQ(at == 3   ? "Record, byte 0"
                  : at == 9 ? "Shared, byte 1"
                            : "Call, byte 0",
                  field->place);
        EXPECT_EQ(60U, field->high);
    }
}

TEST(GrowthWatch, asks_for_growth_that_goes_on) {
    GrowthWatch stopped({0, 0, 4, 0, 0}, 0);
    GrowthWatch jumps({0, 0, 4, 0, 0}, 0);
    for (unsigned depth = 1; depth <= 400; ++depth) {
        stopped.look(bytes_of({std::min(depth, 100U), 0, 0, 0}), depth, depth);
        jumps.look(bytes_of({depth % 2 == 0 ? 255U : 0U, 255, 0, 0}), depth, depth);
    }
    EXPECT_EQ(std::nullopt, stopped.growing());
    EXPECT_EQ(std::nullopt, jumps.growing());
}

TEST(GrowthText, has_the_name_that_both_texts_give_the_number) {
    GrowingField field;
    field.place = "Shared, byte 0";
    field.low = 3;
    field.low_depth = 4;
    field.high = 71;
    field.high_depth = 200;
    EXPECT_EQ(
        "a field keeps growing: \"serving\" (Shared, byte 0) is 3 after 4 steps and 71 after 200",
        growth_text(field, "next 4, serving 3", "next 72, serving 71"));
    EXPECT_EQ("a field keeps growing: Shared, byte 0 is 3 after 4 steps and 71 after 200",
              growth_text(field, "three", "seventy-one"));
}

}  // namespace
}  // namespace lockkeeper
