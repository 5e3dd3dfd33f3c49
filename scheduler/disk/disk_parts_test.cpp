// SPDX-License-Identifier: Apache-2.0

// The parts of searches on disk, each beside a naive twin: sorting, the filter, sorted runs and the
// log.
#include <random>
#include <set>

#include <gmock/gmock.h>

#include "scheduler/disk/disk_budget.hpp"
#include "scheduler/disk/disk_search_test.hpp"
#include "scheduler/disk/sort_words.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scheduler;
using Key = std::vector<std::uint64_t>;

constexpr std::uint64_t kSeed = 11;

std::vector<std::uint64_t> random_words(std::size_t count, std::uint64_t most, unsigned seed) {
    std::mt19937_64 random(seed);
    std::uniform_int_distribution<std::uint64_t> draw(0, most);
    std::vector<std::uint64_t> words(count);
    std::generate(words.begin(), words.end(), [&] { return draw(random); });
    return words;
}

TEST(DiskSorting, SortsAnyWords) {
    for (const std::size_t count : {0U, 1U, 1'000U, 1'024U, 50'000U}) {
        for (const std::uint64_t most : {std::uint64_t{3}, UINT64_MAX >> 5U, UINT64_MAX}) {
            std::vector<std::uint64_t> words = random_words(count, most, 1);
            if (most == UINT64_MAX) {  // of shard 19
                for (std::uint64_t& word : words) {
                    word = word >> 5U | std::uint64_t{19} << 59U;
                }
            }
            std::vector<std::uint64_t> expected = words;
            std::sort(expected.begin(), expected.end());
            sort_scattered(words, 5);
            EXPECT_EQ(words, expected) << count << " " << most;
        }
    }
}

TEST(DiskFilter, NeverForgetsAndSeldomMistakes) {
    constexpr std::size_t kKeys = 20'000;
    KeyFilter filter(kKeys * 12 / 8);  // 12 bits a key
    const auto keys = random_words(kKeys, UINT64_MAX, 2);
    std::size_t mistaken = 0;
    for (const std::uint64_t key : random_words(kKeys, UINT64_MAX, 3)) {
        ASSERT_FALSE(filter.may_have(key));
    }
    for (const std::uint64_t key : keys) {
        filter.add(key);
    }
    for (const std::uint64_t key : keys) {
        ASSERT_TRUE(filter.may_have(key));
    }
    for (const std::uint64_t key : random_words(kKeys, UINT64_MAX, 3)) {
        mistaken += filter.may_have(key) ? 1U : 0U;
    }
    EXPECT_LT(mistaken, kKeys / 50);
    EXPECT_GT(mistaken, 0U) << "or the test asks for nothing";
}

// Few values for each word, so that keys agree in some and differ in others.
std::set<Key> random_keys(std::size_t count, std::size_t words, std::uint64_t most, unsigned seed) {
    const auto all = random_words(count * words, most, seed);
    std::set<Key> keys;
    for (std::size_t i = 0; i < count; ++i) {
        keys.emplace(all.begin() + static_cast<std::ptrdiff_t>(i * words),
                     all.begin() + static_cast<std::ptrdiff_t>((i + 1) * words));
    }
    return keys;
}

void write(SortedRun& run, std::size_t shard, const std::set<Key>& keys) {
    auto next = keys.begin();
    run.write(shard, [&] { return next == keys.end() ? nullptr : (next++)->data(); });
}

void expect_found(const SortedRun& run, std::size_t shard, const std::set<Key>& keys,
                  const std::set<Key>& asked) {
    std::vector<DiskQuestion> questions;
    questions.reserve(asked.size());
    for (const Key& key : asked) {
        questions.push_back({key.front(), key.data(), 0, false, false});
    }
    run.find(shard, questions);
    std::size_t known = 0;
    std::size_t at = 0;
    for (const Key& key : asked) {
        ASSERT_EQ(questions[at].is_known, keys.contains(key));
        known += questions[at++].is_known ? 1U : 0U;
    }
    EXPECT_TRUE(known > 0 || keys.empty() || asked.size() < keys.size());
}

TEST(DiskRun, FindsWhatItHasAndNothingElse) {
    const TemporaryDirectory directory;
    for (const std::size_t words : {1U, 3U}) {
        const std::uint64_t most = words == 1 ? 60'000 : 30;
        SortedRun::Counts counts{};
        std::array<std::set<Key>, 3> keys{
            random_keys(20'000, words, most, 4), random_keys(300, words, most, 5), {}};
        for (std::size_t shard = 0; shard < keys.size(); ++shard) {
            counts[shard] = keys[shard].size();
        }
        const std::string path = directory.path() / ("run" + std::to_string(words));
        {
            SortedRun run(path, kSeed, BlockFile::Opening::kNew, words, counts);
            for (std::size_t shard = 0; shard < keys.size(); ++shard) {
                write(run, shard, keys[shard]);
            }
        }
        SortedRun again(path, kSeed, BlockFile::Opening::kThere, words, counts);
        ASSERT_EQ(again.file().blocks(), again.blocks());
        for (std::size_t shard = 0; shard < keys.size(); ++shard) {
            std::vector<Key> read;
            again.read(shard,
                       [&](const std::uint64_t* key) { read.emplace_back(key, key + words); });
            EXPECT_EQ(read, std::vector<Key>(keys[shard].begin(), keys[shard].end()));
            // Nearly all of them, and a few from everywhere.
            for (const std::size_t asked : {20'000U, 40U}) {
                expect_found(again, shard, keys[shard], random_keys(asked, words, most, 6));
            }
        }
    }
}

TEST(DiskRun, KeysThatDoNotAscendAreDamaged) {
    const TemporaryDirectory directory;
    const std::vector<std::uint64_t> keys{1, 5, 4};
    SortedRun run(directory.path() / "run", kSeed, BlockFile::Opening::kNew, 1, {keys.size()});
    std::size_t next = 0;
    run.write(0, [&] { return next < keys.size() ? &keys[next++] : nullptr; });
    EXPECT_THROW(run.read(0, [](const std::uint64_t*) {}), CheckpointError);
}

TEST(DiskBlocks, InAnotherPlaceOrOfAnotherSearchAreDamaged) {
    const TemporaryDirectory directory;
    const std::string path = directory.path() / "blocks";
    std::vector<DiskBlock> blocks(3);
    BlockFile(path, kSeed, BlockFile::Opening::kNew).write(0, blocks);
    std::vector<DiskBlock> read(3);
    BlockFile(path, kSeed, BlockFile::Opening::kThere).read(0, read);
    EXPECT_THROW(BlockFile(path, kSeed + 1, BlockFile::Opening::kThere).read(0, read),
                 CheckpointError);
    EXPECT_THROW(BlockFile(path, kSeed, BlockFile::Opening::kThere).read(1, read), CheckpointError);
    std::filesystem::resize_file(path, 2 * DiskBlock::kBytes);
    EXPECT_THROW(BlockFile(path, kSeed, BlockFile::Opening::kThere).read(0, read), CheckpointError);
}

TEST(DiskLog, HasEachStateByItsNumber) {
    constexpr std::size_t kWords = 3;
    const TemporaryDirectory directory;
    PageArena arena;
    SegmentedArray<std::uint64_t> records(arena, kWords);
    SegmentedArray<StateId> parents(arena);
    const auto words = random_words(kWords * 3'000, UINT64_MAX, 7);
    for (std::size_t i = 0; i < 3'000; ++i) {
        std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(i * kWords), kWords,
                    records.append());
        *parents.append() = static_cast<StateId>(i * 7);
    }
    StateLog log(directory.path() / "log", kSeed, BlockFile::Opening::kNew, kWords);
    // The third is given up.
    for (const std::size_t begin : {0U, 1'000U, 1'900U, 1'900U}) {
        ShardsToWrite shards{};
        shards[5] = {&records, &parents, begin,
                     begin == 1'000 ? 900U
                     : begin == 0   ? 1'000U
                                    : 1'100U};
        log.begin(shards);
        log.write(5, shards[5]);
        if (begin == 1'900 && log.size_of(5) == 3'000 && log.blocks() % 2 == 0) {
            log.drop();
            ASSERT_EQ(log.size_of(5), 1'900U);
            log.begin(shards);
            log.write(5, shards[5]);
        }
        log.keep();
        if (log.size_of(5) == 3'000) {
            break;
        }
    }
    ASSERT_EQ(log.size_of(5), 3'000U);
    RecordCache cache;
    for (std::size_t i = 0; i < 3'000; i += 13) {
        const std::size_t index = i * 37 % 3'000;
        ASSERT_TRUE(
            std::equal(records.at(index), records.at(index) + kWords, log.record(5, index, cache)));
        ASSERT_EQ(log.parent(5, index), index * 7);
    }
}

TEST(DiskStates, AreThereAsBeforeWhereThereIsNoTime) {
    constexpr std::size_t kWords = 3;
    constexpr std::size_t kStates = 2'000;
    constexpr std::size_t kShard = 5;
    const TemporaryDirectory directory;
    const DiskDirectory place(directory.path(), "");
    const DiskPlan plan{&place, kStates, std::uint64_t{1} << 16U, 2};
    DiskStates states(plan, RecordShape{kWords, false});
    states.begin();
    PageArena arena;
    SegmentedArray<std::uint64_t> records(arena, kWords);
    SegmentedArray<StateId> parents(arena);
    const auto words = random_words(kWords * kStates, UINT64_MAX, 8);
    std::vector<DiskQuestion> questions;
    for (std::uint32_t i = 0; i < kStates; ++i) {
        std::uint64_t* const record = records.append();
        std::copy_n(words.begin() + i * kWords, kWords, record);
        *parents.append() = i;
        questions.push_back({*record, record, i, false, false});
    }
    const ForShards each = [](const std::function<void(std::size_t)>& task) {
        for (std::size_t shard = 0; shard < kStateShards; ++shard) {
            task(shard);
        }
    };
    constexpr std::size_t kLong = 900;
    constexpr std::size_t kShort = 100;
    constexpr std::size_t kBytes = kWords * sizeof(std::uint64_t);
    std::size_t begin = 0;
    for (const std::size_t count : {kLong, kLong, kShort, kShort}) {
        ShardsToWrite shards{};
        shards[kShard] = {&records, &parents, begin, count};
        std::size_t looks = 0;
        const LookAtClock ends_within_the_shard = [&] {
            if (++looks == 2 * kShard + 2) {
                throw NoTimeToWrite("late");
            }
        };
        EXPECT_THROW(states.add(shards, false, each, ends_within_the_shard), NoTimeToWrite);
        EXPECT_EQ(states.size_of(kShard), begin);
        EXPECT_EQ(states.known_of(kShard, questions).size(), begin);
        states.add(shards, false, each, [] {});
        begin += count;
    }
    std::vector<std::uint64_t> asked;
    // The time ends behind the shard that has states.
    EXPECT_FALSE(states.merge(each, [&](std::uint64_t bytes) {
        asked.push_back(bytes);
        return asked.size() <= kShard + 2;
    }));
    EXPECT_EQ(asked.front(), 2 * kLong * kBytes);
    EXPECT_EQ(asked.at(kShard + 2), 0U);
    EXPECT_EQ(states.known_of(kShard, questions).size(), kStates);
    // There is time for the small ones behind the long.
    const auto is_short = [](std::uint64_t bytes) { return bytes <= 2 * kShort * kBytes; };
    EXPECT_TRUE(states.merge(each, is_short));
    EXPECT_EQ(states.known_of(kShard, questions).size(), kStates);
    EXPECT_FALSE(states.merge(each, is_short));
    EXPECT_TRUE(states.merge(each, [](std::uint64_t) { return true; }));
    EXPECT_EQ(states.known_of(kShard, questions).size(), kStates);
}

TEST(DiskMemory, HasRoomForAsManyStatesAsItSays) {
    const RecordShape packed{1, true};
    for (const std::uint64_t bytes :
         {std::uint64_t{1} << 20U, std::uint64_t{1} << 30U, std::uint64_t{3} << 30U}) {
        const std::uint64_t states = states_within(bytes, packed);
        const std::uint64_t slots = std::bit_ceil(states * 4 / 3);
        EXPECT_LE(states * 12 + slots * 8, bytes);
        EXPECT_GT(states * 45, bytes) << "and not for much less";
    }
}

}  // namespace
}  // namespace lockkeeper
