// SPDX-License-Identifier: Apache-2.0
#include "impl/transactional/pooled_by_record.hpp"

#include <utility>

namespace lockkeeper::transactional {
namespace {

PooledOptions with_clients(PooledOptions options, std::vector<PooledClient> clients) {
    options.clients = std::move(clients);
    return options;
}

}  // namespace

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
    : all_(with_clients(options, client_of_each_kind(options.clients, world))) {
    LOCKKEEPER_CHECK(why_not(world).empty());
    for (const PooledClient& client : client_of_each_kind(options.clients, world)) {
        kinds_.emplace_back(with_clients(options, {client}));
    }
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

void PooledByRecord::observe(const Shared& shared, Observation& out) const {
    const std::uint8_t callers = std::exchange(out.callers_count, std::uint8_t{0});
    all_.observe(shared, {nullptr, 0, 0}, out);
    out.callers_count = callers;
}

}  // namespace lockkeeper::transactional
