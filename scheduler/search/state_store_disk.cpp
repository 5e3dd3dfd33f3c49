// SPDX-License-Identifier: Apache-2.0

// The part of StateStore for searches that have more states than memory.
#include "scheduler/disk/disk_states.hpp"
#include "scheduler/search/state_store.hpp"

namespace lockkeeper {
namespace {

// Making room keeps one in so many that fit: most steps that lead back do not lead far.
constexpr std::size_t kKeptShare = 4;

}  // namespace

bool StateStore::is_partly_on_disk() const {
    return std::any_of(shards_.begin(), shards_.end(),
                       [](const Shard& shard) { return shard.base > 0; });
}

std::size_t StateStore::states_in_memory() const {
    std::size_t sum = 0;
    for (const Shard& shard : shards_) {
        sum += shard.parents.size();
    }
    return sum;
}

std::size_t StateStore::unsaved_bytes() const {
    std::size_t states = 0;
    for (std::size_t number = 0; number < kShards; ++number) {
        states += shards_[number].size() - (disk_ ? disk_->size_of(number) : 0);
    }
    return states * (2 * shape_.words * sizeof(std::uint64_t) + sizeof(StateId));
}

bool StateStore::is_full(std::size_t more) const {
    return plan_ != nullptr && states_in_memory() + more >= plan_->states_in_memory;
}

void StateStore::begin_disk(const LookAtClock& look) {
    if (!disk_) {
        auto disk = std::make_unique<DiskStates>(*plan_, shape_, look);
        disk->begin();
        disk_ = std::move(disk);
    }
}

const std::uint64_t* StateStore::record_on_disk(StateId id, RecordCache& cache) const {
    return disk_->record(shard_of(id), index_of(id), cache);
}
StateId StateStore::parent_on_disk(StateId id) const {
    return disk_->parent(shard_of(id), index_of(id));
}

std::uint64_t StateStore::fingerprint_of(const Shard& shard, std::size_t position) const {
    const std::uint64_t* key = shard.keys.at(position);
    return shape_.is_packed ? without_note(*key) : shape_.fingerprint(key);
}

void StateStore::settle(const ForShards& for_shards, const LookAtClock& look) {
    if (is_partly_on_disk()) {
        for_shards([&](std::size_t number) {
            if (look) {
                look();
            }
            const auto positions = known_on_disk(number);
            if (!positions.empty()) {
                remove(shards_[number], positions);
            }
        });
    }
    for (Shard& shard : shards_) {
        shard.settled = shard.size();
    }
}

// Positions in memory of states that are not settled, in ascending order.
std::vector<std::uint32_t> StateStore::known_on_disk(std::size_t number) {
    constexpr std::size_t kAhead = 16;
    Shard& shard = shards_[number];
    const KeyFilter& filter = disk_->filter(number);
    std::vector<DiskQuestion> questions;
    std::array<std::uint64_t, kAhead> hashes{};
    const std::size_t first = std::max(shard.settled, shard.base) - shard.base;
    const std::size_t end = shard.parents.size();
    for (std::size_t coming = first; coming < end + kAhead; ++coming) {
        const std::size_t now = coming - kAhead;
        if (coming >= first + kAhead && filter.may_have(hashes[now % kAhead])) {
            const std::uint64_t* key = shard.keys.at(now);
            questions.push_back({shape_.is_packed ? without_note(*key) : *key, key,
                                 static_cast<std::uint32_t>(now), false, false});
        }
        if (coming < end) {
            hashes[coming % kAhead] = fingerprint_of(shard, coming);
            filter.prefetch(hashes[coming % kAhead]);
        }
    }
    // Marked, which is faster than sorting.
    std::vector<bool> known(questions.empty() ? 0 : end - first);
    for (const DiskQuestion& found : disk_->known_of(number, std::move(questions))) {
        known[found.position - first] = true;
        shard.leads_back |= found.is_older;
    }
    std::vector<std::uint32_t> positions;
    for (std::size_t i = 0; i < known.size(); ++i) {
        if (known[i]) {
            positions.push_back(static_cast<std::uint32_t>(first + i));
        }
    }
    return positions;
}

// The others close up, in their order.
void StateStore::remove(Shard& shard, const std::vector<std::uint32_t>& positions) {
    auto gone = positions.begin();
    std::size_t to = positions.front();
    for (std::size_t from = to; from < shard.parents.size(); ++from) {
        if (gone != positions.end() && *gone == from) {
            ++gone;
            continue;
        }
        copy_words(shard.keys.at(to), shard.keys.at(from), shape_.words);
        *shard.parents.at(to) = *shard.parents.at(from);
        ++to;
    }
    shard.keys.shrink(to);
    shard.parents.shrink(to);
    fill_table(shard);
}

void StateStore::fill_table(Shard& shard) const {
    constexpr std::size_t kAhead = 32;
    shard.table.clear();
    std::array<std::uint64_t, kAhead> hashes{};
    const std::size_t size = shard.parents.size();
    for (std::size_t coming = 0; coming < size + kAhead; ++coming) {
        if (coming >= kAhead) {
            shard.table.insert(hashes[coming % kAhead],
                               static_cast<std::uint32_t>(coming - kAhead));
        }
        if (coming < size) {
            hashes[coming % kAhead] = shape_.fingerprint(shard.keys.at(coming));
            shard.table.prefetch(hashes[coming % kAhead]);
        }
    }
}

void StateStore::write_out(const ForShards& for_shards, const LookAtClock& look) {
    begin_disk(look);
    settle(for_shards, look);
    write_out(false, for_shards, look);
    write_out(true, for_shards, look);
}

void StateStore::write_out(bool coming, const ForShards& for_shards, const LookAtClock& look) {
    ShardsToWrite shards{};
    std::size_t count = 0;
    for (std::size_t number = 0; number < kShards; ++number) {
        const Shard& shard = shards_[number];
        const std::size_t written = disk_->size_of(number);
        const std::size_t end = coming ? shard.size() : std::max(written, shard.first_coming);
        shards[number] = {&shard.keys, &shard.parents, written - shard.base, end - written};
        count += end - written;
    }
    if (count > 0) {
        disk_->add(shards, coming, for_shards, look);
    }
}

void StateStore::make_room(const ForShards& for_shards) {
    const std::size_t kept = plan_->states_in_memory / kKeptShare / kShards;
    for_shards([&](std::size_t number) {
        Shard& shard = shards_[number];
        const std::size_t size = shard.parents.size();
        if (size > kept) {
            drop_first(shard, size - kept);
        }
    });
}

void StateStore::drop_first(Shard& shard, std::size_t count) const {
    const std::size_t kept = shard.parents.size() - count;
    for (std::size_t to = 0; to < kept; ++to) {
        copy_words(shard.keys.at(to), shard.keys.at(to + count), shape_.words);
        *shard.parents.at(to) = *shard.parents.at(to + count);
    }
    shard.keys.shrink(kept);
    shard.parents.shrink(kept);
    shard.base += count;
    fill_table(shard);
}

bool StateStore::merge_on_disk(const ForShards& for_shards,
                               const std::function<bool(std::uint64_t bytes)>& has_time_for) {
    return disk_ && disk_->merge(for_shards, has_time_for);
}

bool StateStore::reserve_disk() { return disk_->reserve(plan_->states_in_memory); }

void StateStore::end_saving() {
    if (disk_) {
        disk_->end_saving();
    }
}
void StateStore::end_loading() {
    if (disk_) {
        disk_->end_loading();
    }
}
void StateStore::forget_disk() {
    if (disk_) {
        disk_->forget();
    }
}

}  // namespace lockkeeper
