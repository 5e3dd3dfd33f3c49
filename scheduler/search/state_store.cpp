// SPDX-License-Identifier: Apache-2.0
#include "scheduler/search/state_store.hpp"

#include "scheduler/disk/disk_states.hpp"
#include "scheduler/ranks/shard_stream.hpp"

namespace lockkeeper {
namespace {

template <class T, class File>
void save_array(File& file, const SegmentedArray<T>& array) {
    const std::size_t bytes_of_item = array.width() * sizeof(T);
    file.begin_section(array.size() * bytes_of_item);
    for (std::size_t i = 0; i < array.size(); ++i) {
        file.append(array.at(i), bytes_of_item);
    }
}

template <class T>
void load_array(CheckpointReader& file, SegmentedArray<T>& array) {
    const std::size_t bytes_of_item = array.width() * sizeof(T);
    const std::size_t bytes = file.begin_section(0, StateStore::kStatesOfShardMax * bytes_of_item);
    if (bytes % bytes_of_item != 0) {
        file.fail("is damaged");
    }
    for (std::size_t i = 0; i < bytes / bytes_of_item; ++i) {
        file.read(array.append(), bytes_of_item);
    }
}

// Passes over what load_array would load; returns the number of items.
std::size_t pass_over_array(CheckpointReader& file, std::size_t bytes_of_item) {
    const std::size_t bytes = file.begin_section(0, StateStore::kStatesOfShardMax * bytes_of_item);
    std::array<std::byte, 65536> unused;
    for (std::size_t left = bytes; left > 0; left -= std::min(left, unused.size())) {
        file.read(unused.data(), std::min(left, unused.size()));
    }
    if (bytes % bytes_of_item != 0) {
        file.fail("is damaged");
    }
    return bytes / bytes_of_item;
}

// How a checkpoint keeps states.
enum class Kept : std::uint8_t { kFingerprints, kExact, kOnDisk };

// One arrival after the other, nullptr behind the last.
class ArrivalReader {
  public:
    explicit ArrivalReader(std::span<const ArrivalBatch> batches) : batches_(batches) {}

    [[nodiscard]] const Arrival* next() {
        while (next_ == end_) {
            if (batches_.empty()) {
                return nullptr;
            }
            next_ = batches_.front().arrivals.data();
            end_ = next_ + batches_.front().arrivals.size();
            batches_ = batches_.subspan(1);
        }
        return next_++;
    }

  private:
    std::span<const ArrivalBatch> batches_;
    const Arrival* next_ = nullptr;
    const Arrival* end_ = nullptr;
};

}  // namespace

StateStore::StateStore(const RecordShape& shape, Storage storage, const TailOrder* tails,
                       const DiskPlan* plan)
    : shape_(shape),
      is_exact_(storage == Storage::kExact),
      tails_(tails),
      plan_(plan),
      arena_(std::make_unique<PageArena>()) {
    shards_.reserve(kShards);
    for (std::size_t i = 0; i < kShards; ++i) {
        shards_.emplace_back(*arena_, shape, is_exact_);
    }
}
StateStore::StateStore(StateStore&&) noexcept = default;
StateStore& StateStore::operator=(StateStore&&) noexcept = default;
StateStore::~StateStore() = default;

std::size_t StateStore::bytes() const {
    std::size_t sum = disk_ ? disk_->bytes() : 0;
    for (const Shard& shard : shards_) {
        sum += shard.keys.bytes() + shard.parents.bytes() + shard.table.bytes() +
               shard.waiting.bytes() + shard.coming.bytes();
    }
    return sum;
}

void StateStore::begin_level() {
    for (Shard& shard : shards_) {
        std::swap(shard.waiting, shard.coming);
        shard.coming.clear();
        shard.first_waiting = shard.first_coming;
        shard.first_coming = shard.size();
    }
    if (disk_) {
        disk_->begin_level();
    }
}

void StateStore::visit_packed(std::size_t number, std::span<const ArrivalBatch> batches) {
    constexpr std::size_t kAhead = 24;
    Shard& shard = shards_[number];
    VisitedTable table = shard.table;  // where the compiler sees that nobody else changes it
    const std::size_t first_coming = std::max(shard.first_coming, shard.base) - shard.base;
    bool leads_back = shard.leads_back;
    ArrivalReader soon(batches);
    for (std::size_t i = 0; i < kAhead; ++i) {
        if (const Arrival* arrival = soon.next()) {
            table.prefetch(arrival->hash);
        }
    }
    ArrivalReader now(batches);
    while (const Arrival* arrival = now.next()) {
        if (const Arrival* coming = soon.next()) {
            table.prefetch(coming->hash);
        }
        auto place = table.start(arrival->hash);
        const std::uint32_t known =
            table.find(arrival->hash, place, [](std::uint32_t) { return true; });
        if (known != VisitedTable::kNone) {
            leads_back |= known < first_coming;
            continue;
        }
        const std::size_t index = shard.parents.size();
        if (shard.base + index == kStatesOfShardMax) {
            throw LimitExceeded(kTooManyStates);
        }
        *shard.keys.append() = arrival->hash;
        *shard.parents.append() = arrival->parent;
        table.insert(arrival->hash, place, static_cast<std::uint32_t>(index));
        if (table.is_crowded()) {
            shard.table = table;
            grow_table(shard);
            table = shard.table;
        }
    }
    shard.table = table;
    shard.leads_back = leads_back;
}

template <class File>
void StateStore::save_shard(const Shard& shard, File& file) const {
    if (plan_ == nullptr) {
        save_array(file, shard.keys);
        save_array(file, shard.parents);
        save_array(file, shard.waiting);
        save_array(file, shard.coming);
    }
    file.value(std::array<std::uint64_t, 3>{shard.first_waiting, shard.first_coming,
                                            shard.leads_back ? 1U : 0U});
}

void StateStore::send_shards(Ranks& ranks) const {
    ShardSender(ranks).serve([&](std::size_t shard, ShardSender& sender) {
        LOCKKEEPER_CHECK(shard < kShards && ranks.owns(shard));
        save_shard(shards_[shard], sender);
    });
}

void StateStore::save(CheckpointWriter& file, Ranks* ranks) const {
    file.value(std::uint64_t{shape_.words});
    file.value(plan_ != nullptr ? Kept::kOnDisk : is_exact_ ? Kept::kExact : Kept::kFingerprints);
    if (plan_ != nullptr) {
        disk_->save(file);
    }
    for (std::size_t shard = 0; shard < kShards; ++shard) {
        if (ranks == nullptr || ranks->owns(shard)) {
            save_shard(shards_[shard], file);
        } else {
            RankSaving::append(*ranks, shard, file);
        }
    }
}

void StateStore::load(CheckpointReader& file, const ForShards& for_shards, const Ranks* ranks) {
    std::uint64_t words = 0;
    Kept kept = Kept::kExact;
    file.value(words);
    file.value(kept);
    if (kept == Kept::kOnDisk && (plan_ == nullptr || !plan_->directory->is_resumed())) {
        file.fail("is of a search on disk: it goes on with --disk and its directory");
    }
    if (words != shape_.words || kept > Kept::kOnDisk ||
        is_exact_ != (kept != Kept::kFingerprints)) {
        file.fail("is damaged");
    }
    if (kept == Kept::kOnDisk) {
        load_from_disk(file, for_shards);
    } else {
        load_from_memory(file, ranks);
    }
}

void StateStore::load_from_disk(CheckpointReader& file, const ForShards& for_shards) {
    disk_ = std::make_unique<DiskStates>(*plan_, shape_);
    disk_->load(file, for_shards);
    for (std::size_t number = 0; number < kShards; ++number) {
        Shard& shard = shards_[number];
        std::array<std::uint64_t, 3> first{};
        file.value(first);
        shard.first_waiting = first[0];
        shard.first_coming = first[1];
        shard.leads_back = first[2] != 0;
        shard.base = disk_->size_of(number);
        shard.settled = shard.base;
        if (first[0] > first[1] || first[1] > shard.base || shard.base > kStatesOfShardMax) {
            file.fail("is damaged");
        }
    }
}

void StateStore::load_from_memory(CheckpointReader& file, const Ranks* ranks) {
    for (std::size_t number = 0; number < kShards; ++number) {
        if (ranks == nullptr || ranks->owns(number)) {
            load_shard(file, shards_[number]);
            sizes_loaded_[number] = shards_[number].size();
        } else {
            sizes_loaded_[number] = pass_over_shard(file);
        }
    }
}

std::size_t StateStore::pass_over_shard(CheckpointReader& file) const {
    const std::size_t bytes_of_record = shape_.words * sizeof(std::uint64_t);
    const std::size_t states =
        pass_over_array(file, is_exact_ ? bytes_of_record : sizeof(std::uint64_t));
    pass_over_array(file, sizeof(StateId));
    pass_over_array(file, bytes_of_record);
    pass_over_array(file, bytes_of_record);
    std::array<std::uint64_t, 3> first{};
    file.value(first);
    return states;
}

void StateStore::load_shard(CheckpointReader& file, Shard& shard) {
    load_array(file, shard.keys);
    load_array(file, shard.parents);
    load_array(file, shard.waiting);
    load_array(file, shard.coming);
    std::array<std::uint64_t, 3> first{};
    file.value(first);
    shard.first_waiting = first[0];
    shard.first_coming = first[1];
    shard.leads_back = first[2] != 0;
    const bool fits = shard.keys.size() == shard.parents.size() && first[0] <= first[1] &&
                      (is_exact_ || (first[0] + shard.waiting.size() == first[1] &&
                                     first[1] + shard.coming.size() == shard.keys.size()));
    if (!fits) {
        file.fail("is damaged");
    }
    for (std::size_t index = 0; index < shard.keys.size(); ++index) {
        const std::uint64_t* key = shard.keys.at(index);
        // A state that is there twice would be found further and further from home.
        if (knows_by_slot() && (!belongs_to(shard, *key) || find(key, *key) != kNoState)) {
            file.fail("is damaged");
        }
        shard.table.insert(is_exact_ ? shape_.fingerprint(key) : *key,
                           static_cast<std::uint32_t>(index));
        if (shard.table.is_crowded()) {
            grow_table(shard);
        }
    }
}

}  // namespace lockkeeper
