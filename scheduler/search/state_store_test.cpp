// SPDX-License-Identifier: Apache-2.0
#include "scheduler/search/state_store.hpp"

#include <gtest/gtest.h>

#include "scheduler/base/random.hpp"
#include "scheduler/states/packing.hpp"

namespace lockkeeper {
namespace {

constexpr std::size_t kWords = 3;
using Record = std::array<std::uint64_t, kWords>;
Record record(std::uint64_t number) { return {number, number * 7, ~number}; }
std::uint64_t hash_of(const Record& record) {
    return RecordShape{kWords}.fingerprint(record.data());
}

struct Kind {
    RecordShape shape;
    Storage storage;
};

class StateStoreOf : public ::testing::TestWithParam<Kind> {
  protected:
    const RecordShape shape_ = GetParam().shape;
    StateStore store_{shape_, GetParam().storage};

    [[nodiscard]] Record record_of(std::uint64_t number) const {
        return shape_.is_packed ? Record{scattered(number), 0, 0} : record(number);
    }
    [[nodiscard]] std::uint64_t hash(std::uint64_t number) const {
        return shape_.fingerprint(record_of(number).data());
    }
    Visit visit(std::uint64_t number, StateId parent) {
        return store_.visit(record_of(number).data(), hash(number), parent);
    }
};
INSTANTIATE_TEST_SUITE_P(EveryStorage, StateStoreOf,
                         ::testing::Values(Kind{{kWords, false}, Storage::kExact},
                                           Kind{{kWords, false}, Storage::kFingerprints},
                                           Kind{{1, true}, Storage::kExact},
                                           Kind{{1, true}, Storage::kFingerprints}));

TEST_P(StateStoreOf, GrowingKeepsEveryStateItsNumberAndItsParent) {
    constexpr std::uint64_t kStates = 200'000;  // each shard's table grows seven times
    std::vector<StateId> ids;
    for (std::uint64_t number = 0; number < kStates; ++number) {
        const Visit fresh = visit(number, static_cast<StateId>(number / 2));
        ASSERT_TRUE(fresh.is_new);
        ids.push_back(fresh.id);
    }
    EXPECT_EQ(store_.size(), kStates);
    for (std::uint64_t number = 0; number < kStates; ++number) {
        const Visit known = visit(number, 0);
        ASSERT_FALSE(known.is_new);
        ASSERT_EQ(known.id, ids[number]);
        ASSERT_EQ(store_.parent(known.id), number / 2);
        ASSERT_EQ(store_.record(known.id)[0], record_of(number)[0]);
        ASSERT_TRUE(
            store_.is_same(store_.key(known.id).data(), record_of(number).data(), hash(number)));
        ASSERT_EQ(store_.find(record_of(number).data(), hash(number)), ids[number]);
    }
    EXPECT_EQ(store_.size(), kStates);
    for (std::uint64_t number = kStates; number < 2 * kStates; ++number) {
        ASSERT_EQ(store_.find(record_of(number).data(), hash(number)), kNoState);
    }
}

// Numbers say where a state lies: its shard by the fingerprint, and its place in the shard by the
// order of arrival there.
TEST_P(StateStoreOf, NumbersCountTheStatesOfAShard) {
    std::array<std::size_t, StateStore::kShards> sizes{};
    for (std::uint64_t number = 0; number < 5'000; ++number) {
        const std::size_t shard = StateStore::shard_of(hash(number));
        const StateId id = visit(number, kNoState).id;
        EXPECT_EQ(StateStore::shard_of(id), shard);
        EXPECT_EQ(StateStore::index_of(id), sizes[shard]++);
        EXPECT_EQ(StateStore::id_of(shard, StateStore::index_of(id)), id);
    }
    for (std::size_t shard = 0; shard < StateStore::kShards; ++shard) {
        EXPECT_EQ(store_.size_of(shard), sizes[shard]);
        EXPECT_GT(sizes[shard], 5'000U / StateStore::kShards / 2);  // all are used alike
    }
}

TEST_P(StateStoreOf, NeverNeedsLessMemoryThanItHolds) {
    std::size_t before = 0;
    for (std::uint64_t number = 0; number < 20'000; ++number) {
        visit(number, 0);
        ASSERT_GT(store_.bytes(), before);
        before = store_.bytes();
    }
    EXPECT_GE(store_.bytes(), 20'000 * (shape_.words * 8 + sizeof(StateId)));
}

// Many visits at once are the same as one after the other.
TEST(StateStorePacked, FillsAShardAsSingleVisitsWould) {
    StateStore one_by_one(RecordShape{1, true}, Storage::kExact);
    StateStore together(RecordShape{1, true}, Storage::kExact);
    ASSERT_TRUE(together.knows_by_slot());
    Random random(7);
    for (int round = 0; round < 30; ++round) {
        std::array<std::vector<Arrival>, StateStore::kShards> arrivals;
        for (StateId i = 0; i < 5'000; ++i) {
            const std::uint64_t hash = scattered(random.below(50'000));
            arrivals[StateStore::shard_of(hash)].push_back({hash, i});
        }
        for (std::size_t shard = 0; shard < StateStore::kShards; ++shard) {
            const std::span<const Arrival> all(arrivals[shard]);
            const std::array<ArrivalBatch, 4> batches{
                {{all.first(0)}, {all.first(7)}, {all.subspan(7, 50)}, {all.subspan(57)}}};
            together.visit_packed(shard, batches);
            for (const Arrival& arrival : arrivals[shard]) {
                one_by_one.visit(&arrival.hash, arrival.hash, arrival.parent);
            }
        }
    }
    ASSERT_EQ(together.size(), one_by_one.size());
    EXPECT_GT(together.size(), 45'000U);
    for (std::size_t shard = 0; shard < StateStore::kShards; ++shard) {
        ASSERT_EQ(together.size_of(shard), one_by_one.size_of(shard));
        for (std::size_t i = 0; i < together.size_of(shard); ++i) {
            const StateId id = StateStore::id_of(shard, i);
            ASSERT_EQ(*together.record(id), *one_by_one.record(id));
            ASSERT_EQ(together.parent(id), one_by_one.parent(id));
        }
    }
}

// The slot alone tells: states that differ in one bit have to differ there, however large the
// table is.
TEST(StateStorePacked, TellsStatesApartThatDifferInOneBitOfTheFingerprint) {
    for (const std::uint64_t others : {0U, 1'000U, 100'000U}) {
        StateStore store(RecordShape{1, true}, Storage::kExact);
        const auto visit = [&](std::uint64_t hash) { return store.visit(&hash, hash, 0).is_new; };
        for (std::uint64_t i = 0; i < others; ++i) {
            visit(scattered(i));
        }
        Random random(3);
        for (int i = 0; i < 100; ++i) {
            const std::uint64_t base = scattered(random.next() >> (64U - kPackedBits));
            EXPECT_TRUE(visit(base));
            for (unsigned bit = 64 - kPackedBits; bit < 64; ++bit) {
                EXPECT_TRUE(visit(base ^ std::uint64_t{1} << bit)) << bit;
            }
            EXPECT_FALSE(visit(base));
        }
    }
}

TEST(StateStoreExact, ComparesRecordsWhereFingerprintsAgree) {
    StateStore store(RecordShape{kWords}, Storage::kExact);
    std::vector<StateId> ids;
    for (std::uint64_t number = 0; number < 40; ++number) {  // fewer than let the table grow
        const Visit visit = store.visit(record(number).data(), 42, kNoState);
        ASSERT_TRUE(visit.is_new);
        ids.push_back(visit.id);
    }
    for (std::uint64_t number = 0; number < 40; ++number) {
        ASSERT_EQ(store.find(record(number).data(), 42), ids[number]);
        ASSERT_FALSE(store.visit(record(number).data(), 42, kNoState).is_new);
    }
    EXPECT_EQ(store.find(record(40).data(), 42), kNoState);
    // Another fingerprint, in the half that the table keeps: not even looked at.
    EXPECT_EQ(store.find(record(1).data(), 43), kNoState);
}

TEST(StateStoreOfFingerprints, TakesStatesOfOneFingerprintForOne) {
    StateStore store(RecordShape{kWords}, Storage::kFingerprints);
    EXPECT_TRUE(store.visit(record(1).data(), 42, kNoState).is_new);
    EXPECT_FALSE(store.visit(record(2).data(), 42, kNoState).is_new);
    EXPECT_EQ(store.size(), 1U);
}

// All 64 bits of the fingerprint count: those of the tag, of the home slot and of the shard.
TEST(StateStoreOfFingerprints, TellsFingerprintsApartThatDifferInOneBit) {
    StateStore store(RecordShape{kWords}, Storage::kFingerprints);
    EXPECT_TRUE(store.visit(record(0).data(), 0, kNoState).is_new);
    for (unsigned bit = 0; bit < 64; ++bit) {
        const std::uint64_t hash = std::uint64_t{1} << bit;
        EXPECT_TRUE(store.visit(record(bit).data(), hash, kNoState).is_new) << bit;
    }
    EXPECT_EQ(store.size(), 65U);
}

TEST(StateStoreOfFingerprints, KeepsTheRecordsOfTwoLevels) {
    StateStore store(RecordShape{kWords}, Storage::kFingerprints);
    std::vector<StateId> ids;
    const auto add = [&](std::uint64_t from, std::uint64_t to) {
        for (std::uint64_t number = from; number < to; ++number) {
            ids.push_back(store.visit(record(number).data(), hash_of(record(number)), 0).id);
        }
    };
    add(0, 1'000);
    store.begin_level();
    add(1'000, 3'000);
    for (std::uint64_t number = 0; number < 3'000; ++number) {
        ASSERT_EQ(store.record(ids[number])[2], ~number);
    }
    const std::size_t before = store.bytes();
    store.begin_level();  // the first thousand have been expanded
    EXPECT_EQ(store.bytes(), before - 1'000 * sizeof(Record));
    add(3'000, 3'500);
    for (std::uint64_t number = 1'000; number < 3'500; ++number) {
        ASSERT_EQ(store.record(ids[number])[2], ~number);
    }
    // A record that was dropped is known all the same.
    EXPECT_FALSE(store.visit(record(3).data(), hash_of(record(3)), 0).is_new);
}

TEST(VisitedTable, FindsAllOfManyThatCollide) {
    PageArena arena;
    VisitedTable table(arena);
    // One home, three tags: a run of slots in which each has to be looked at.
    const auto hash = [](std::uint32_t id) { return std::uint64_t{id} % 3; };
    for (std::uint32_t id = 0; id < 30; ++id) {
        const auto is_this = [&](std::uint32_t other) { return other == id; };
        EXPECT_EQ(table.find(hash(id), is_this), VisitedTable::kNone);
        table.insert(hash(id), id);
    }
    for (std::uint32_t id = 0; id < 30; ++id) {
        EXPECT_EQ(table.find(hash(id), [&](std::uint32_t other) { return other == id; }), id);
    }
    VisitedTable::Place place;
    EXPECT_EQ(table.look_ahead(hash(0), place), 0U);
    EXPECT_EQ(table.look_ahead(hash(1), place), 1U);
    EXPECT_EQ(table.look_ahead(77, place), VisitedTable::kNone);
}

// A look ahead passes slots with other tags, ends at the end of a line, and goes round at the end
// of the table; what came since, be it into the same slots or by way of a larger table, is seen.
TEST(VisitedTable, FindsFromWhereALookAheadEndedWhateverCameSince) {
    PageArena arena;
    VisitedTable table(arena);
    // Homes in the first and in the last line, three tags each.
    const auto hash = [](std::uint32_t id) {
        const std::uint64_t home = id % 2 == 0 ? 1 : 0xF8;
        return home << 51U | id % 3;
    };
    std::vector<VisitedTable::Place> places(40);
    const auto look = [&](std::uint32_t id) { return table.look_ahead(hash(id), places[id]); };
    for (std::uint32_t id = 0; id < 40; ++id) {
        look(id);
    }
    std::size_t went_on = 0;
    for (std::uint32_t id = 0; id < 40; ++id) {
        const auto is_this = [&](std::uint32_t other) { return other == id; };
        ASSERT_EQ(table.find(hash(id), places[id], is_this), VisitedTable::kNone);
        table.insert(hash(id), places[id], id);
        look(id);
        went_on += places[id].at != table.start(hash(id)).at ? 1U : 0U;
    }
    EXPECT_GT(went_on, 20U);
    const auto expect_all_found = [&] {
        for (std::uint32_t id = 0; id < 40; ++id) {
            const auto is_this = [&](std::uint32_t other) { return other == id; };
            EXPECT_EQ(table.find(hash(id), is_this), id);
            VisitedTable::Place place = places[id];
            EXPECT_EQ(table.find(hash(id), place, is_this), id);
        }
    };
    expect_all_found();
    table.grow(hash);
    expect_all_found();
}

TEST(VisitedTable, IsCrowdedAtThreeQuartersAndNotAfterGrowing) {
    PageArena arena;
    VisitedTable table(arena);
    std::uint32_t count = 0;
    const auto hash = [](std::uint32_t id) { return hash_of(record(id)); };
    for (const std::uint32_t crowded_at : {48U, 96U, 192U}) {
        for (; !table.is_crowded(); ++count) {
            table.insert(hash(count), count);
        }
        EXPECT_EQ(count, crowded_at);
        const std::size_t bytes = table.bytes();
        table.grow(hash);
        EXPECT_FALSE(table.is_crowded());
        EXPECT_EQ(table.bytes(), 2 * bytes);
    }
    for (std::uint32_t id = 0; id < count; ++id) {
        ASSERT_EQ(table.find(hash(id), [&](std::uint32_t other) { return other == id; }), id);
    }
}

TEST(SegmentedArray, ItemsStayWhereTheyAre) {
    constexpr std::size_t kSize = 300'000;
    PageArena arena;
    SegmentedArray<std::uint32_t> array(arena, 3);
    EXPECT_EQ(array.bytes(), 0U);
    std::vector<const std::uint32_t*> places;
    for (std::uint32_t i = 0; i < kSize; ++i) {
        std::uint32_t* item = array.append();
        item[0] = i;
        item[2] = i * 3;
        places.push_back(item);
    }
    EXPECT_EQ(array.size(), kSize);
    EXPECT_EQ(array.bytes(), kSize * 3 * sizeof(std::uint32_t));
    for (std::uint32_t i = 0; i < kSize; ++i) {
        ASSERT_EQ(array.at(i), places[i]);
        ASSERT_EQ(array.at(i)[0], i);
        ASSERT_EQ(array.at(i)[2], i * 3);
    }
    array.clear();
    EXPECT_EQ(array.size(), 0U);
    EXPECT_EQ(array.append(), places[0]);
}

// Memory that was given back may be handed out again; other memory never overlaps.
TEST(PageArena, HandsOutWhatWasGivenBackWhereTheSizeIsTheSame) {
    PageArena arena;
    for (const std::size_t bytes : {std::size_t{64} << 10U, std::size_t{4} << 20U}) {
        void* first = arena.take(bytes);
        void* other = arena.take(bytes);
        EXPECT_NE(first, other);
        arena.give_back(first, bytes);
        EXPECT_NE(arena.take(bytes * 2), first);
        EXPECT_EQ(arena.take(bytes), first);
    }
}

TEST(PageArena, HandsOutMemoryThatDoesNotOverlap) {
    PageArena arena;
    std::vector<std::pair<std::byte*, std::size_t>> taken;
    for (const std::size_t bytes :
         {64U, 100U, 32U << 10U, 40'000U, 64U << 10U, 1U << 20U, 2U << 20U, 3'000'000U}) {
        for (int i = 0; i < 5; ++i) {
            auto* memory = static_cast<std::byte*>(arena.take(bytes));
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0U);
            std::memset(memory, static_cast<int>(taken.size()), bytes);
            taken.emplace_back(memory, bytes);
        }
        void* back = arena.take(bytes);
        arena.give_back(back, bytes);
    }
    for (std::size_t i = 0; i < taken.size(); ++i) {
        const auto [memory, bytes] = taken[i];
        ASSERT_TRUE(std::all_of(memory, memory + bytes, [&](std::byte value) {
            return value == static_cast<std::byte>(i);
        })) << i;
    }
}

// Segments stop growing: as many of them as would shift the first one's size out of a word.
TEST(SegmentedArray, KeepsMillionsOfItems) {
    constexpr std::uint32_t kItems = 3'000'000;
    PageArena arena;
    SegmentedArray<std::uint32_t> array(arena);
    for (std::uint32_t i = 0; i < kItems; ++i) {
        *array.append() = i;
    }
    std::uint32_t wrong = 0;
    for (std::uint32_t i = 0; i < kItems; ++i) {
        wrong += *array.at(i) == i ? 0U : 1U;
    }
    EXPECT_EQ(wrong, 0U);
}

}  // namespace
}  // namespace lockkeeper
