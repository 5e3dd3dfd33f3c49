// SPDX-License-Identifier: Apache-2.0

// Explorer's part for several processes that search together: how they agree. Included by
// explorer.hpp.
#pragma once

#include "scheduler/search/explorer.hpp"

namespace lockkeeper {

// Nothing is searched by processes that were asked different things: another file, other variables.
template <System S>
void Explorer<S>::agree_on_search() {
    RankMessage mine;
    MessageWriter out(mine);
    out.text(options_.checkpoint.identity);
    out.value(options_.states_max);
    out.value(options_.depth_max);
    const std::vector<RankMessage> all = options_.ranks->gather(mine);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
        if (all[rank] != mine) {
            throw RanksParted("rank " + std::to_string(rank) +
                              " has another version, scenario or options");
        }
    }
}

// Each process its shards, all of the same file; none goes on where one cannot.
template <System S>
bool Explorer<S>::load(const std::string& path) {
    bool is_loaded = false;
    std::string error;
    try {
        is_loaded =
            reached_.load(path, options_.checkpoint.identity, options_.seconds_max, for_shards());
    } catch (const CheckpointError& failed) {
        error = failed.what();
    }
    if (reached_.any_of_ranks(!error.empty())) {
        throw CheckpointError(error.empty() ? path + ": another rank cannot read it" : error);
    }
    return !reached_.any_of_ranks(!is_loaded);
}

// Each rank learns the totals of all ranks, and whether one of them has to end.
template <System S>
void Explorer<S>::share_status() {
    RankStatus mine;
    for (std::size_t shard = 0; shard < StateStore::kShards; ++shard) {
        mine.sizes[shard] = reached_.store().size_of(shard);
    }
    mine.bytes = bytes();
    mine.end = own_end(elapsed());
    mine.leads_back = reached_.store().leads_back();
    mine.saves = options_.ranks->is_first() && saver_.is_due(bytes_to_save());
    mine.failed = round_.has_failed();
    totals_.share(*options_.ranks, mine);
    reached_.note_totals(totals_.sum());
    if (totals_.sum().failed) {
        round_.throw_failure();
    }
}

template <System S>
RanksUse Explorer<S>::ranks_use(double seconds) const {
    return {options_.ranks->count(), totals_.sum().bytes_sent, totals_.imbalance(),
            totals_.share_waiting(seconds)};
}

template <System S>
void Explorer<S>::report(std::uint64_t frontier, double seconds) const {
    auto estimate = estimate_total(progress_.levels);  // depth first there are no levels
    ExploreProgress shown{reached_.size(), progress_.transitions,
                          progress_.depth, frontier,
                          bytes(),         seconds,
                          estimate,        {}};
    if (options_.ranks != nullptr) {
        shown.bytes = totals_.sum().bytes;
        shown.ranks = ranks_use(seconds);
    }
    options_.progress(shown);
}

}  // namespace lockkeeper
