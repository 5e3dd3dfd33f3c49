// SPDX-License-Identifier: Apache-2.0
#include "scheduler/disk/disk_states.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <random>

#include "model/check.hpp"
#include "scheduler/disk/sort_words.hpp"
#include "scheduler/states/packing.hpp"

namespace lockkeeper {
namespace {

// A merge is given up: there is no time for the rest of it.
struct NoTimeToMerge {};

// Files of one search are none of another's.
std::uint64_t random_seed() {
    std::random_device random;
    return std::uint64_t{random()} << 32U | random();
}

// Different files begin far from each other.
std::uint64_t seed_of_file(std::uint64_t seed, std::uint64_t number) {
    return seed + (number << 40U);
}
constexpr std::uint64_t kNumberOfLog = 0xFFFFFF;

void add_to_filter(KeyFilter& filter, const RecordShape& shape, const StatesToWrite& states) {
    constexpr std::size_t kAhead = 16;
    std::array<std::uint64_t, kAhead> hashes{};
    for (std::size_t coming = 0; coming < states.count + kAhead; ++coming) {
        std::uint64_t& hash = hashes[coming % kAhead];
        if (coming >= kAhead) {
            filter.add(hash);
        }
        if (coming < states.count) {
            const std::uint64_t* record = states.records->at(states.from + coming);
            hash = shape.is_packed ? without_note(*record) : shape.fingerprint(record);
            filter.prefetch(hash);
        }
    }
}

}  // namespace

DiskStates::DiskStates(const DiskPlan& plan, const RecordShape& shape, const LookAtClock& look)
    : plan_(plan), shape_(shape), seed_(random_seed()) {
    for (std::size_t shard = 0; shard < kStateShards; ++shard) {
        if (look) {
            look();
        }
        filters_.emplace_back(plan.filter_bytes / kStateShards);
    }
}

DiskStates::~DiskStates() {
    if (!is_saved_) {
        plan_.directory->clear();
    }
    release_reserve();
}

std::size_t DiskStates::bytes() const {
    std::size_t sum = log_->bytes();
    for (const KeyFilter& filter : filters_) {
        sum += filter.bytes();
    }
    for (const Run& run : runs_) {
        sum += run->bytes();
    }
    return sum;
}

void DiskStates::begin() {
    log_ = std::make_unique<StateLog>(plan_.directory->log(), seed_of_file(seed_, kNumberOfLog),
                                      BlockFile::Opening::kNew, words());
}

std::vector<DiskQuestion> DiskStates::known_of(std::size_t shard,
                                               std::vector<DiskQuestion> questions) const {
    std::sort(questions.begin(), questions.end(),
              [&](const DiskQuestion& left, const DiskQuestion& right) {
                  return comes_before(left, right, words());
              });
    std::vector<DiskQuestion> known;
    for (auto run = runs_.rbegin(); run != runs_.rend() && !questions.empty(); ++run) {
        (*run)->find(shard, questions);
        std::size_t open = 0;
        for (const DiskQuestion& question : questions) {
            if (question.is_known) {
                known.push_back(question);
            } else {
                questions[open++] = question;
            }
        }
        questions.resize(open);
    }
    return known;
}

void DiskStates::add(const ShardsToWrite& shards, bool coming, const ForShards& for_shards,
                     const LookAtClock& look) {
    SortedRun::Counts counts{};
    for (std::size_t shard = 0; shard < kStateShards; ++shard) {
        counts[shard] = shards[shard].count;
    }
    release_reserve();
    Run run = new_run(counts);
    run->is_coming = coming;
    log_->begin(shards);
    try {
        for_shards([&](std::size_t shard) {
            look();
            log_->write(shard, shards[shard]);
            look();
            write_run(*run, shard, shards[shard]);
        });
    } catch (...) {
        log_->drop();
        drop_run(*run);
        throw;
    }
    log_->keep();
    // Now that nothing can fail any more.
    for_shards([&](std::size_t shard) { add_to_filter(filters_[shard], shape_, shards[shard]); });
    runs_.push_back(std::move(run));
}

DiskStates::Run DiskStates::new_run(const SortedRun::Counts& counts) {
    const std::uint64_t number = next_run_++;
    auto run =
        std::make_unique<SortedRun>(plan_.directory->run(number), seed_of_file(seed_, number),
                                    BlockFile::Opening::kNew, words(), counts);
    run->number = number;
    return run;
}

void DiskStates::write_run(SortedRun& run, std::size_t shard, const StatesToWrite& states) {
    std::size_t next = 0;
    if (shape_.is_packed) {
        std::vector<std::uint64_t> keys;
        keys.reserve(states.count);
        for (std::size_t at = states.from; at < states.from + states.count; ++at) {
            keys.push_back(without_note(*states.records->at(at)));
        }
        sort_scattered(keys, kStateShardBits);
        run.write(shard, [&] { return next < keys.size() ? &keys[next++] : nullptr; });
        return;
    }
    std::vector<const std::uint64_t*> keys;
    keys.reserve(states.count);
    for (std::size_t at = states.from; at < states.from + states.count; ++at) {
        keys.push_back(states.records->at(at));
    }
    std::sort(keys.begin(), keys.end(), [&](const std::uint64_t* left, const std::uint64_t* right) {
        return compare_keys(left, right, words()) < 0;
    });
    run.write(shard, [&] { return next < keys.size() ? keys[next++] : nullptr; });
}

void DiskStates::drop_run(const SortedRun& run) const {
    plan_.directory->remove(run.file().path());
}

void DiskStates::begin_level() {
    for (const Run& run : runs_) {
        run->is_coming = false;
    }
}

bool DiskStates::merge(const ForShards& for_shards, const HasTimeFor& has_time_for) {
    const std::size_t obsolete_before = obsolete_.size();
    try {
        for (std::size_t first = 0; first + plan_.runs_of_rank <= runs_.size(); ++first) {
            const SortedRun& one = *runs_[first];
            const auto end =
                runs_.begin() + static_cast<std::ptrdiff_t>(first + plan_.runs_of_rank);
            const bool are_alike = std::all_of(
                runs_.begin() + static_cast<std::ptrdiff_t>(first), end, [&](const Run& run) {
                    return run->rank == one.rank && run->is_coming == one.is_coming;
                });
            // Behind a group that there is no time for may be smaller ones.
            if (are_alike && merge(first, plan_.runs_of_rank, for_shards, has_time_for)) {
                first = static_cast<std::size_t>(-1);  // from the beginning
            }
        }
        // Then the runs are there as before: looking at each takes longer, and that is all.
    } catch (const DiskLimit&) {
    }
    return obsolete_.size() > obsolete_before;
}

bool DiskStates::merge(std::size_t first, std::size_t count, const ForShards& for_shards,
                       const HasTimeFor& has_time_for) {
    const auto from = std::span<const Run>(runs_).subspan(first, count);
    SortedRun::Counts counts{};
    for (const Run& run : from) {
        for (std::size_t shard = 0; shard < kStateShards; ++shard) {
            counts[shard] += run->counts()[shard];
        }
    }
    std::atomic<std::uint64_t> left = 0;
    for (const std::uint64_t count_of_shard : counts) {
        left += count_of_shard * words() * sizeof(std::uint64_t);
    }
    if (!has_time_for(left)) {
        return false;
    }
    Run merged = new_run(counts);
    merged->rank = from.front()->rank + 1;
    merged->is_coming = from.front()->is_coming;
    try {
        for_shards([&](std::size_t shard) {
            if (!has_time_for(left)) {
                throw NoTimeToMerge();
            }
            merge_shard(from, *merged, shard);
            left -= counts[shard] * words() * sizeof(std::uint64_t);
        });
    } catch (const NoTimeToMerge&) {
        drop_run(*merged);
        return false;
    } catch (...) {
        drop_run(*merged);
        throw;
    }
    for (const Run& run : from) {
        obsolete_.push_back(run->number);
    }
    const auto begin = runs_.begin() + static_cast<std::ptrdiff_t>(first);
    *begin = std::move(merged);
    runs_.erase(begin + 1, begin + static_cast<std::ptrdiff_t>(count));
    return true;
}

void DiskStates::merge_shard(std::span<const Run> from, SortedRun& to, std::size_t shard) const {
    std::vector<BlockReader> readers;
    std::vector<const std::uint64_t*> heads;
    const auto advance = [&](std::size_t i) {
        heads[i] = reinterpret_cast<const std::uint64_t*>(readers[i].next());
    };
    for (std::size_t i = 0; i < from.size(); ++i) {
        readers.push_back(from[i]->reader(shard));
        heads.push_back(nullptr);
        advance(i);
    }
    const auto is_less = [&](const std::uint64_t* left, const std::uint64_t* right) {
        return words() == 1 ? *left < *right : compare_keys(left, right, words()) < 0;
    };
    std::size_t last = from.size();  // whose key is being written
    to.write(shard, [&]() -> const std::uint64_t* {
        if (last < from.size()) {
            advance(last);
        }
        last = from.size();
        for (std::size_t i = 0; i < heads.size(); ++i) {
            if (heads[i] != nullptr && (last == from.size() || is_less(heads[i], heads[last]))) {
                last = i;
            }
        }
        return last < from.size() ? heads[last] : nullptr;
    });
}

bool DiskStates::reserve(std::uint64_t states) const {
    constexpr std::uint64_t kMore = std::uint64_t{2} << 20U;  // begun blocks, and the checkpoint
    const std::uint64_t of_state = 2 * words() * sizeof(std::uint64_t) + sizeof(StateId);
    const std::uint64_t bytes = states * of_state / DiskBlock::kContent * DiskBlock::kBytes;
    return reserve_room(plan_.directory->reserve(), bytes + kMore);
}

void DiskStates::save(CheckpointWriter& file) {
    log_->sync();
    file.value(seed_);
    file.value(next_run_);
    log_->save(file);
    file.value(std::uint64_t{runs_.size()});
    for (const Run& run : runs_) {
        file.look_at_clock();
        run->file().sync();
        file.value(std::array<std::uint64_t, 3>{run->number, run->rank, run->is_coming ? 1U : 0U});
        file.value(run->counts());
    }
}

void DiskStates::end_saving() {
    is_saved_ = true;
    for (const std::uint64_t number : obsolete_) {
        plan_.directory->remove(plan_.directory->run(number));
    }
    obsolete_.clear();
}

void DiskStates::load(CheckpointReader& file, const ForShards& for_shards) {
    is_saved_ = true;  // nothing of it goes because somebody cannot read it
    file.value(seed_);
    file.value(next_run_);
    log_ = std::make_unique<StateLog>(plan_.directory->log(), seed_of_file(seed_, kNumberOfLog),
                                      BlockFile::Opening::kThere, words());
    log_->load(file);
    std::uint64_t runs_count = 0;
    file.value(runs_count);
    for (std::uint64_t i = 0; i < runs_count; ++i) {
        std::array<std::uint64_t, 3> what{};
        SortedRun::Counts counts{};
        file.value(what);
        file.value(counts);
        runs_.push_back(std::make_unique<SortedRun>(plan_.directory->run(what[0]),
                                                    seed_of_file(seed_, what[0]),
                                                    BlockFile::Opening::kThere, words(), counts));
        SortedRun& run = *runs_.back();
        run.number = what[0];
        run.rank = static_cast<unsigned>(what[1]);
        run.is_coming = what[2] != 0;
        if (run.file().blocks() != run.blocks()) {
            throw CheckpointError(run.file().path() +
                                  ": states on disk cannot be read: the file is truncated");
        }
        for_shards([&](std::size_t shard) {
            run.read(shard, [&](const std::uint64_t* key) {
                filters_[shard].add(shape_.fingerprint(key));
            });
        });
    }
    SortedRun::Counts sorted{};
    for (const Run& run : runs_) {
        for (std::size_t shard = 0; shard < kStateShards; ++shard) {
            sorted[shard] += run->counts()[shard];
        }
    }
    for (std::size_t shard = 0; shard < kStateShards; ++shard) {
        if (sorted[shard] != log_->size_of(shard)) {
            file.fail("is damaged");
        }
    }
}

void DiskStates::end_loading() {
    log_->end_loading();
    std::vector<std::string> files{plan_.directory->log()};
    for (const Run& run : runs_) {
        files.push_back(run->file().path());
    }
    plan_.directory->keep_only(files);
}

}  // namespace lockkeeper
