// SPDX-License-Identifier: Apache-2.0

// Records of states made of parts: there and back, under symmetry, and when the parts are more
// than small numbers can tell apart.
#include "scheduler/states/state_codec.hpp"

#include <unistd.h>

#include <filesystem>

#include <gtest/gtest.h>

#include "model/erased_system.hpp"
#include "scheduler/search/explorer.hpp"

namespace lockkeeper {
namespace {

constexpr std::size_t kSlots = 3;

// Each slot walks down a binary tree of its own: from n to 2n+1 or 2n+2, below a limit.
struct Trees {
    struct State {
        std::array<std::uint32_t, kSlots> slots;
        std::uint32_t shared;
        std::uint32_t rest;
    };
    static constexpr Hints kHints{.parts = Hints::Parts::kCompiled};
    static constexpr std::size_t kSlotsMax = kSlots;
    [[nodiscard]] static constexpr PartLayout parts() { return {4, kSlotsMax, 4}; }

    std::size_t slots = 1;
    std::uint32_t limit = 100;

    [[nodiscard]] std::size_t slots_count() const { return slots; }
    [[nodiscard]] std::uint8_t group(std::size_t) const { return 0; }
    [[nodiscard]] State initial() const { return {}; }
    void enabled(const State& state, ActionList& out) const {
        out.clear();
        for (std::size_t slot = 0; slot < slots; ++slot) {
            for (std::uint16_t side = 1; side <= 2; ++side) {
                if (state.slots[slot] * 2 + side < limit) {
                    out.add({static_cast<std::uint8_t>(slot), ActionKind::kStep, side});
                }
            }
        }
    }
    Event apply(State& state, Action action) const {
        state.slots[action.actor] = state.slots[action.actor] * 2 + action.argument;
        return {};
    }
    void observe(const State&, Observation&) const {}
    [[nodiscard]] bool quiescent(const State&) const { return false; }
    [[nodiscard]] bool finished(const State&) const { return true; }
    [[nodiscard]] std::string describe(const State&, Action action) const {
        return to_text(action);
    }
    [[nodiscard]] std::string show(const State&) const { return {}; }
};

ExploreOptions with_symmetry(bool symmetry) {
    ExploreOptions options;
    options.symmetry = symmetry;
    return options;
}

// The parts of an erased system are known at run time only: the same records, the same search.
TEST(StateCodec, KnowsThePartsOfAnErasedSystemToo) {
    for (const bool symmetry : {false, true}) {
        for (const std::uint32_t limit : {20U, 70'000U}) {  // the latter needs wide numbers
            const Trees trees{limit > 100 ? 1U : 3U, limit};
            const ErasedSystem erased(trees);
            const ExploreOptions options = with_symmetry(symmetry);
            Explorer<Trees> direct(trees, options);
            Explorer<ErasedSystem> through(erased, options);
            direct.run();
            through.run();
            EXPECT_EQ(direct.reached().size(), through.reached().size());
            EXPECT_EQ(direct.progress().transitions, through.progress().transitions);
            EXPECT_EQ(direct.reached().store().shape(), through.reached().store().shape());
            for (std::size_t i = 0; i < direct.reached().size(); i += 7) {
                const Trees::State state = direct.reached().state_at(i);
                const ErasedSystem::State same = through.reached().state_at(i);
                ASSERT_EQ(std::memcmp(&state, &same, sizeof(state)), 0);
            }
        }
    }
}

// Packed into one word, in two bytes each, in four: whatever the parts need.
TEST(StateCodec, GivesBackWhatWasAddedInEveryForm) {
    const Trees system{3, 100};
    struct Case {
        std::uint32_t values;
        std::uint32_t shared;
        RecordShape shape;
    };
    for (const Case& one : {Case{60, 3, {1, true}}, Case{500, 3, {1, true}},
                            Case{40'000, 5'000, {2, false}}, Case{70'000, 3, {3, false}}}) {
        StateCodec<Trees> codec(system, false);
        const auto state_of = [&](std::uint32_t i) {
            return Trees::State{{i, i * i % one.values, i % 7}, i % one.shared, i % 2};
        };
        for (std::uint32_t i = 0; i < one.values; ++i) {
            for (;;) {
                std::vector<std::uint64_t> record(codec.shape().words);
                EXPECT_FALSE(codec.find(state_of(i), record.data()) && i == 0);
                try {
                    codec.add(state_of(i), record.data());
                    break;
                } catch (const TooManyParts&) {
                    codec.make_room();
                }
            }
        }
        EXPECT_EQ(codec.shape(), one.shape) << one.values;
        std::vector<std::uint64_t> before(codec.shape().words);
        ASSERT_TRUE(codec.find(state_of(0), before.data()));
        for (std::uint32_t i = 0; i < one.values; ++i) {
            std::vector<std::uint64_t> record(codec.shape().words);
            ASSERT_TRUE(codec.find(state_of(i), record.data()));
            const Trees::State state = state_of(i);
            // The same by what tells it from another one.
            StateCodec<Trees>::Coming coming;
            codec.start(state_of(i == 0 ? 0 : i - 1), before.data(), state, coming);
            codec.look_ahead(coming);
            std::vector<std::uint64_t> made(record.size());
            ASSERT_TRUE(codec.finish(coming, state, made.data()));
            ASSERT_EQ(record, made);
            before = record;
            Trees::State back{};
            codec.unpack(record.data(), back);
            ASSERT_EQ(std::memcmp(&back, &state, sizeof(state)), 0);
        }
    }
}

TEST(StateCodec, GivesInterchangeableSlotsInAnyOrderOneRecord) {
    const Trees system{3, 100};
    StateCodec<Trees> codec(system, true);
    std::vector<std::uint64_t> first(codec.shape().words);
    std::vector<std::uint64_t> other(codec.shape().words);
    codec.add({{5, 9, 7}, 1, 1}, first.data());
    codec.add({{7, 5, 9}, 1, 1}, other.data());
    EXPECT_EQ(first, other);
    codec.add({{7, 5, 5}, 1, 1}, other.data());
    EXPECT_NE(first, other);
}

TEST(StateCodec, RefusesMorePartsThanSmallNumbersTellApart) {
    const Trees system{1, 100};
    StateCodec<Trees> codec(system, false);
    std::vector<std::uint64_t> record(codec.shape().words);
    const auto add_all = [&] {
        for (std::uint32_t i = 0; i < 70'000; ++i) {
            codec.add({{i, 0, 0}, 0, 0}, record.data());
        }
    };
    EXPECT_THROW(add_all(), TooManyParts);
}

// One slot: every number below the limit is one state. Above 65,520 parts the search begins again
// with numbers of four bytes.
TEST(ExplorerOfParts, CountsMorePartsThanSmallNumbersTellApart) {
    for (const std::uint32_t limit : {1'000U, 65'519U, 65'521U, 200'000U}) {
        const Trees system{1, limit};
        const ExploreOptions options = with_symmetry(false);
        Explorer explorer(system, options);
        explorer.run();
        EXPECT_EQ(explorer.reached().size(), limit);
        EXPECT_EQ(explorer.limit(), "");
    }
}

// Interrupted before and after the search has begun again with four bytes a part.
TEST(ExplorerOfParts, GoesOnFromACheckpointOfSmallAndOfLargeNumbers) {
    constexpr std::uint32_t kLimit = 200'000;
    const Trees system{1, kLimit};
    const std::string file =
        std::filesystem::temp_directory_path() / ("lockkeeper-parts-" + std::to_string(::getpid()));
    for (const std::uint64_t states : {1'000U, 100'000U}) {
        ExploreOptions first = with_symmetry(false);
        first.checkpoint.save_to = file;
        first.progress = [=](const ExploreProgress& progress) {
            if (progress.states >= states) {
                request_interrupt();
            }
        };
        Explorer interrupted(system, first);
        interrupted.run();
        clear_interrupt();
        ASSERT_EQ(interrupted.limit(), "interrupted");
        ASSERT_LT(interrupted.reached().size(), kLimit);
        ExploreOptions onward = with_symmetry(false);
        onward.checkpoint.resume_from = file;
        Explorer resumed(system, onward);
        resumed.run();
        EXPECT_EQ(resumed.limit(), "");
        EXPECT_EQ(resumed.reached().size(), kLimit);
        EXPECT_EQ(resumed.progress().transitions, kLimit - 1U);
    }
    std::filesystem::remove(file);
}

std::string checkpoint_file() {
    return std::filesystem::temp_directory_path() /
           ("lockkeeper-parts-" + std::to_string(::getpid()));
}

// A state that lies too deep is only judged; a search that goes on expands it.
TEST(ExplorerOfParts, GoesOnFromWhereTheDepthEndedIt) {
    const Trees system{2, 100};
    ExploreOptions first = with_symmetry(false);
    first.depth_max = 3;
    first.checkpoint.save_to = checkpoint_file();
    Explorer cut_off(system, first);
    cut_off.run();
    ASSERT_EQ(cut_off.limit(), "depth");
    ExploreOptions again = first;
    again.checkpoint.resume_from = again.checkpoint.save_to;
    Explorer as_deep(system, again);
    as_deep.run();
    EXPECT_EQ(as_deep.limit(), "depth");
    EXPECT_EQ(as_deep.reached().size(), cut_off.reached().size());
    EXPECT_EQ(as_deep.progress().depth, 3U);
    ExploreOptions onward = with_symmetry(false);
    onward.checkpoint.resume_from = first.checkpoint.save_to;
    Explorer whole(system, onward);
    whole.run();
    EXPECT_EQ(whole.limit(), "");
    EXPECT_EQ(whole.reached().size(), 100U * 100);
    EXPECT_EQ(whole.progress().transitions, 2U * 99 * 100);
    std::filesystem::remove(first.checkpoint.save_to);
}

// A limit that is met within a round leaves no checkpoint that would take the round for done.
TEST(ExplorerOfParts, LeavesNoCheckpointWhenARoundDoesNotEnd) {
    struct Limited : Trees {
        Event apply(State& state, Action action) const {
            if (state.slots[0] > 30) {
                throw LimitExceeded("a number above 30");
            }
            return Trees::apply(state, action);
        }
    };
    Limited system;
    system.slots = 2;
    ExploreOptions options = with_symmetry(false);
    options.checkpoint.save_to = checkpoint_file();
    Explorer explorer(system, options);
    explorer.run();
    EXPECT_EQ(explorer.limit(), "compiled size: a number above 30");
    EXPECT_EQ(explorer.checkpoint_written(), "");
    EXPECT_NE(explorer.checkpoint_error(), "");
    EXPECT_FALSE(std::filesystem::exists(options.checkpoint.save_to));
}

// n values in each of three interchangeable slots: all combinations, or all multisets.
TEST(ExplorerOfParts, CountsMultisetsUnderSymmetry) {
    constexpr std::uint64_t kValues = 15;
    const Trees system{3, kValues};
    const ExploreOptions apart = with_symmetry(false);
    Explorer all(system, apart);
    all.run();
    EXPECT_EQ(all.reached().size(), kValues * kValues * kValues);
    const ExploreOptions alike = with_symmetry(true);
    Explorer classes(system, alike);
    classes.run();
    EXPECT_EQ(classes.reached().size(), kValues * (kValues + 1) * (kValues + 2) / 6);
}

}  // namespace
}  // namespace lockkeeper
