#include "scheduler/state_store.hpp"

#include <gtest/gtest.h>

namespace lockkeeper {
namespace {

struct Wide {
    std::uint64_t number;
    std::uint64_t more[3];
};
Wide wide(std::uint64_t number) { return {number, {number * 7, 0, ~number}}; }

template <class Store>
class StateStore : public ::testing::Test {};
using Stores = ::testing::Types<ExactStore<Wide>, FingerprintStore<Wide>>;
TYPED_TEST_SUITE(StateStore, Stores);

TYPED_TEST(StateStore, GrowingKeepsEveryStateItsNumberAndItsParent) {
    constexpr StateId kStates = 100'000;  // the table grows five times, the arrays three
    TypeParam store;
    for (StateId id = 0; id < kStates; ++id) {
        const Visit visit = store.visit(wide(id), fingerprint(wide(id)), id / 2);
        ASSERT_TRUE(visit.is_new);
        ASSERT_EQ(visit.id, id);
    }
    EXPECT_EQ(store.size(), kStates);
    for (StateId id = 0; id < kStates; ++id) {
        const Visit visit = store.visit(wide(id), fingerprint(wide(id)), 0);
        ASSERT_FALSE(visit.is_new);
        ASSERT_EQ(visit.id, id);
        ASSERT_EQ(store.parent(id), id / 2);
        ASSERT_EQ(store.state(id).number, id);
        ASSERT_TRUE(store.is_same(id, wide(id), fingerprint(wide(id))));
    }
    EXPECT_EQ(store.size(), kStates);
}

TYPED_TEST(StateStore, NeverNeedsLessMemoryThanItHolds) {
    TypeParam store;
    std::size_t before = 0;
    for (std::uint64_t number = 0; number < 20'000; ++number) {
        store.visit(wide(number), fingerprint(wide(number)), 0);
        ASSERT_GT(store.bytes(), before);
        before = store.bytes();
    }
    EXPECT_GE(store.bytes(), 20'000 * (sizeof(Wide) + sizeof(StateId)));
}

// Below the size at which the table grows, the fingerprint is the caller's: here always the same.
TEST(ExactStore, ComparesBytesWhereFingerprintsAgree) {
    ExactStore<Wide> store;
    for (StateId id = 0; id < 500; ++id) {
        const Visit visit = store.visit(wide(id), 42, kNoState);
        ASSERT_TRUE(visit.is_new);
        ASSERT_EQ(visit.id, id);
    }
    for (StateId id = 0; id < 500; ++id) {
        ASSERT_EQ(store.find(wide(id), 42), id);
        ASSERT_FALSE(store.visit(wide(id), 42, kNoState).is_new);
    }
    EXPECT_EQ(store.find(wide(500), 42), kNoState);
    // Another fingerprint, in the half that the table keeps: not even looked at.
    EXPECT_EQ(store.find(wide(1), 42 | std::uint64_t{1} << 32U), kNoState);
}

TEST(FingerprintStore, TakesStatesOfOneFingerprintForOne) {
    FingerprintStore<Wide> store;
    EXPECT_TRUE(store.visit(wide(1), 42, kNoState).is_new);
    EXPECT_FALSE(store.visit(wide(2), 42, kNoState).is_new);
    EXPECT_EQ(store.size(), 1U);
}

// All 64 bits of the fingerprint count, the 32 in the table's slot and the 32 that are not.
TEST(FingerprintStore, TellsFingerprintsApartThatDifferInOneBit) {
    FingerprintStore<Wide> store;
    EXPECT_TRUE(store.visit(wide(0), 0, kNoState).is_new);
    for (unsigned bit = 0; bit < 64; ++bit) {
        EXPECT_TRUE(store.visit(wide(bit), std::uint64_t{1} << bit, kNoState).is_new) << bit;
    }
    EXPECT_EQ(store.size(), 65U);
}

TEST(FingerprintStore, KeepsTheStatesThatAreYetToBeExpanded) {
    FingerprintStore<Wide> store;
    for (StateId id = 0; id < 1'000; ++id) {
        store.visit(wide(id), fingerprint(wide(id)), 0);
    }
    const std::size_t before = store.bytes();
    store.release_up_to(600);
    store.release_up_to(500);  // nothing comes back
    EXPECT_EQ(store.bytes(), before - 600 * sizeof(Wide));
    for (StateId id = 600; id < 1'000; ++id) {
        EXPECT_EQ(store.state(id).number, id);
        EXPECT_FALSE(store.visit(wide(id), fingerprint(wide(id)), 0).is_new);
    }
    EXPECT_FALSE(store.visit(wide(3), fingerprint(wide(3)), 0).is_new);
}

TEST(VisitedTable, FindsAllOfManyThatCollide) {
    VisitedTable table;
    // One home, three tags: a run of slots in which each has to be looked at.
    const auto hash = [](StateId id) { return (std::uint64_t{id} % 3) << 32U | 5U; };
    for (StateId id = 0; id < 30; ++id) {
        EXPECT_EQ(table.find(hash(id), [&](StateId other) { return other == id; }), kNoState);
        table.insert(hash(id), id);
    }
    for (StateId id = 0; id < 30; ++id) {
        EXPECT_EQ(table.find(hash(id), [&](StateId other) { return other == id; }), id);
    }
    EXPECT_EQ(table.candidate(hash(0)), 0U);
    EXPECT_EQ(table.candidate(hash(1)), kNoState);  // another tag stands first
}

TEST(VisitedTable, IsCrowdedAtThreeQuartersAndNotAfterGrowing) {
    VisitedTable table;
    StateId count = 0;
    const auto hash = [](StateId id) { return fingerprint(wide(id)); };
    for (; !table.is_crowded(); ++count) {
        table.insert(hash(count), count);
    }
    EXPECT_EQ(count, 4096U * 3 / 4);
    const std::size_t bytes = table.bytes();
    table.grow(hash);
    EXPECT_FALSE(table.is_crowded());
    EXPECT_EQ(table.bytes(), 2 * bytes);
    for (StateId id = 0; id < count; ++id) {
        ASSERT_EQ(table.find(hash(id), [&](StateId other) { return other == id; }), id);
    }
}

TEST(ChunkedArray, ElementsStayWhereTheyAre) {
    constexpr std::size_t kSize = 200'000;
    ChunkedArray<std::uint32_t> array;
    EXPECT_EQ(array.bytes(), 0U);
    std::vector<const std::uint32_t*> places;
    for (std::uint32_t i = 0; i < kSize; ++i) {
        array.push_back(i * 3);
        places.push_back(&array[i]);
    }
    EXPECT_EQ(array.size(), kSize);
    EXPECT_GE(array.bytes(), kSize * sizeof(std::uint32_t));
    for (std::uint32_t i = 0; i < kSize; ++i) {
        ASSERT_EQ(&array[i], places[i]);
        ASSERT_EQ(array[i], i * 3);
    }
    array[7] = 1;
    EXPECT_EQ(std::as_const(array)[7], 1U);
}

TEST(ChunkedArray, HoldsElementsOfASizeThatDividesNoPage) {
    struct Odd {
        std::uint8_t bytes[37];
    };
    ChunkedArray<Odd> array;
    for (std::size_t i = 0; i < 70'000; ++i) {
        Odd odd{};
        odd.bytes[0] = static_cast<std::uint8_t>(i);
        odd.bytes[36] = static_cast<std::uint8_t>(i / 256);
        array.push_back(odd);
    }
    for (std::size_t i = 0; i < 70'000; ++i) {
        ASSERT_EQ(array[i].bytes[0], static_cast<std::uint8_t>(i));
        ASSERT_EQ(array[i].bytes[36], static_cast<std::uint8_t>(i / 256));
    }
}

}  // namespace
}  // namespace lockkeeper
