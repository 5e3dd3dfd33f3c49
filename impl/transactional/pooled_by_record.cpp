// SPDX-License-Identifier: Apache-2.0
#include "impl/transactional/pooled_by_record.hpp"

namespace lockkeeper::transactional {

// A pool that runs out of connections because each caller wants a second one does so with as many
// callers as there are connections. A proof finds nobody who is stuck.
std::string PooledByRecord::why_not(const WorldConfig& world) {
    struct NoFaults {
        std::uint8_t none;
    };
    return why_not_used(NoFaults{}, world, [](unsigned word) {
        return static_cast<PooledWord>(word) == PooledWord::kOtherConnection
                   ? "callers take a second connection"
                   : "";
    });
}

PooledByRecord::PooledByRecord(const PooledOptions& options, const WorldConfig& world)
    : CallersByKind(options, world) {
    LOCKKEEPER_CHECK(why_not(world).empty());
}

Outcome PooledByRecord::step(Shared& shared, Record& record, Call& call, const Operation& operation,
                             Event& event) const {
    const Outcome outcome = kinds_[operation.signal].step(shared, record, call, operation, event);
    if (record.granted_now != 0) {
        record.asks = 0;
    }
    record.granted_now = record.rank = record.overtaken = 0;
    return outcome;
}

}  // namespace lockkeeper::transactional
