// SPDX-License-Identifier: Apache-2.0

// The common part of locks that are written once more with one record at a time
// (Traits::by_record), for every number of callers: callers of one kind have the same settings, and
// the kind of a caller stands in its operations (`signal`, which such an operation does not use).
#pragma once

#include <cstring>
#include <string>
#include <utility>
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

template <class Options, class Clients>
[[nodiscard]] Options with_clients(Options options, Clients clients) {
    options.clients = std::move(clients);
    return options;
}

// The base of all such locks. Their steps are a Lock's, and so is all that they show. A state has a
// Lock's as its member `lock` where it has more than that.
template <class Lock>
class CallersByKind : public Defaults {
  public:
    using Size = typename Lock::Size;
    using Call = typename Lock::Call;

    void begin(const Operation& operation, Call& call) const { all_.begin(operation, call); }
    template <class Shared, class Record>
    [[nodiscard]] bool blocked(const Shared& shared, const Record& record, const Call& call) const {
        return all_.blocked(lock_in(shared), lock_in(record), call);
    }
    template <class Shared, class Record>
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

    template <class Shared, class Record>
    [[nodiscard]] bool holds(const Shared& shared, const Record& record, std::size_t key) const {
        return all_.holds(lock_in(shared), lock_in(record), key);
    }
    template <class Shared>
    void observe(const Shared& shared, Observation& out) const {
        const std::uint8_t callers = std::exchange(out.callers_count, std::uint8_t{0});
        all_.observe(lock_in(shared), no_records<typename Lock::Record>(), out);
        out.callers_count = callers;
    }
    template <class Shared, class Record>
    [[nodiscard]] bool is_phantom(const Shared& shared, const Record& record,
                                  const CallerObservation& caller, std::size_t key) const {
        Observation seen;
        seen.callers_count = 1;
        seen.keys_count = static_cast<std::uint8_t>(key + 1);
        seen.callers[0] = caller;
        all_.observe(lock_in(shared), one_record(lock_in(record)), seen);
        return seen.keys[key].phantoms > 0;
    }

    template <class Shared, class Record>
    [[nodiscard]] std::string describe_step(const Shared& shared, const Record& record,
                                            const Call& call, const Operation& operation) const {
        return all_.describe_step(lock_in(shared), lock_in(record), call, operation);
    }
    template <class Shared, class Record>
    [[nodiscard]] std::string describe_background(const Shared& shared,
                                                  Records<const Record> records,
                                                  Action action) const {
        if (action.kind == ActionKind::kTime) {
            return "time goes on by " + std::to_string(action.argument);
        }
        const Records<const typename Lock::Record> locks(&lock_in(records[0]),
                                                         records.stride_bytes(), records.size());
        return all_.describe_background(lock_in(shared), locks, action);
    }
    template <class Shared>
    [[nodiscard]] std::string show(const Shared& shared) const {
        return all_.show(lock_in(shared));
    }

  protected:
    // `options`: clients as in the world. `world`: with_kinds_in_operations().
    template <class Options>
    CallersByKind(const Options& options, const WorldConfig& world)
        : all_(with_clients(options, client_of_each_kind(options.clients, world))) {
        for (const auto& client : client_of_each_kind(options.clients, world)) {
            kinds_.emplace_back(with_clients(options, decltype(options.clients){client}));
        }
    }

    template <class State>
    [[nodiscard]] static auto& lock_in(State& state) {
        if constexpr (requires { state.lock; }) {
            return state.lock;
        } else {
            return state;
        }
    }
    template <class Record>
    [[nodiscard]] const Lock& kind_of(const Record& record) const {
        return kinds_[record.kind];
    }

    Lock all_;                 // with one client of each kind
    std::vector<Lock> kinds_;  // with one client
};

}  // namespace lockkeeper
