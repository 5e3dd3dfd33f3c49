// SPDX-License-Identifier: Apache-2.0

// The locks through a pool for every number of callers: PooledLock's own steps, each with one
// record (Traits::by_record). `lockkeeper prove` takes it apart; nobody explores it but tests,
// which compare it with the PooledLock.
//
// Everybody who waits for a lock has a connection, and the pool has few: the lines of the database
// are in Shared, have an end, and move in the step of a release as they do there. Who waits for a
// connection is in no line. So there is one difference from the PooledLock in a World:
//
//   who came first   is forgotten: P23 (token-order) is not told. Who has waited for how long
//                    compares the records of all callers (PooledLock::watch), and decides nothing.
//
// Limits: see why_not(). Planted bugs replace rules that see no other record either.
#pragma once

#include <string>

#include "impl/callers_by_kind.hpp"
#include "impl/transactional/pooled_lock.hpp"

namespace lockkeeper::transactional {

class PooledByRecord : public CallersByKind<PooledLock> {
  public:
    using Shared = PooledLock::Shared;
    using Record = PooledLock::Record;
    static constexpr Traits kTraits{.no_background = true, .by_record = true};
    static constexpr std::uint32_t kFeatures = PooledLock::kFeatures & ~kShowsTokens;

    // Why this pool, used like this, is not proved; empty: it is.
    [[nodiscard]] static std::string why_not(const WorldConfig& world);

    // Only what why_not() accepts. `options`: clients as in the world. `world`:
    // with_kinds_in_operations().
    PooledByRecord(const PooledOptions& options, const WorldConfig& world);

    [[nodiscard]] Shared initial_shared() const { return all_.initial_shared(); }
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const;
    void on_death(Shared& shared, Record& record) const { all_.on_death(shared, record); }
};

static_assert(Implementation<PooledByRecord>);

}  // namespace lockkeeper::transactional
