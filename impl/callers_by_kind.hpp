// SPDX-License-Identifier: Apache-2.0

// The common part of locks that are written once more with one record at a time
// (Traits::by_record), for every number of callers: callers of one kind have the same settings, and
// the kind of a caller stands in its operations (`signal`, which such an operation does not use).
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "model/implementation.hpp"
#include "model/world_config.hpp"

namespace lockkeeper {

template <class Record>
[[nodiscard]] Records<Record> one_record(Record& record) {
    return {&record, sizeof(Record), 1};
}
template <class Record>
[[nodiscard]] Records<const Record> no_records() {
    return {nullptr, 0, 0};
}

// The world with the kind of each caller, its group, in its operations.
[[nodiscard]] inline WorldConfig with_kinds_in_operations(WorldConfig world) {
    for (CallerConfig& caller : world.callers) {
        for (Operation& operation : caller.script) {
            operation.signal = operation.uses_signal() ? operation.signal : caller.group;
        }
    }
    return world;
}

// `clients`: one for each caller of the world. Throws if a group has none before it.
template <class Client>
[[nodiscard]] std::vector<Client> client_of_each_kind(const std::vector<Client>& clients,
                                                      const WorldConfig& world) {
    std::vector<Client> kinds;
    for (std::size_t caller = 0; caller < world.callers.size(); ++caller) {
        if (world.callers[caller].group == kinds.size()) {
            kinds.push_back(clients[caller]);
        }
        LOCKKEEPER_CHECK(world.callers[caller].group < kinds.size());
    }
    return kinds;
}

// Why callers that are used like this are not proved; empty: they are. `faults`: what is counted,
// but crashes; `why_not_call(word)`: of a call beside acquire and release.
template <class Budgets, class WhyNotCall>
[[nodiscard]] std::string why_not_used(const Budgets& faults, const WorldConfig& world,
                                       WhyNotCall why_not_call) {
    const Budgets none{};
    if (std::memcmp(&faults, &none, sizeof(none)) != 0 || world.restarts_max > 0) {
        return "faults, but crashes, are counted";
    }
    if (world.resizes_max() > 0 || world.watches_others) {
        return "there are resizes, or what others hold is watched";
    }
    for (const CallerConfig& caller : world.callers) {
        for (const Operation& operation : caller.script) {
            if (operation.verb == Verb::kSignal || operation.verb == Verb::kWait) {
                return "scripts wait for each other";
            }
            if (operation.verb == Verb::kSleep) {
                return "callers sleep";
            }
            if (operation.verb == Verb::kCall) {
                if (std::string why = why_not_call(operation.word); !why.empty()) {
                    return why;
                }
            }
        }
    }
    return "";
}

// Functions that are the same in all such locks.
class CallersByKind : public Defaults {
  public:
    template <class Shared, class Record, class Call>
    [[nodiscard]] bool is_private(const Shared&, const Record&, const Call&, std::uint32_t) const {
        return false;
    }
    template <class Shared, class Record>
    [[nodiscard]] bool is_private(const Shared&, const Record&, Action, std::uint32_t) const {
        return false;
    }
    template <class Shared>
    [[nodiscard]] std::uint8_t mode(const Shared&) const {
        return 0;
    }
    template <class Shared>
    [[nodiscard]] bool acts_elsewhere(const Shared&) const {
        return true;
    }
};

}  // namespace lockkeeper
