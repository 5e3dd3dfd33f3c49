// SPDX-License-Identifier: Apache-2.0

// Clients of one lease system who call one at a time, without a World. For the tests beside it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "impl/leases/lease_side.hpp"

namespace lockkeeper::leases {

inline constexpr Operation kAcquireIt{.verb = Verb::kAcquire};

template <class Lease>
class Clients {
  public:
    using Shared = typename Lease::Shared;
    using Record = typename Lease::Record;
    static constexpr std::size_t kClients = 3;

    explicit Clients(Lease lease) : lease_(std::move(lease)), shared_(lease_.initial_shared()) {}

    // The name of the result: "ok", an error, or "lost".
    std::string call(std::size_t caller, const Operation& operation, StepFault fault = {}) {
        begin(caller, operation);
        for (int steps = 0; steps < 20; ++steps) {
            if (blocked(caller)) {
                return "blocked";
            }
            const Outcome outcome = step(caller, steps == 0 ? fault : StepFault::kNone);
            if (outcome == Outcome::kLost) {
                return "lost";
            }
            if (outcome != Outcome::kContinues) {
                return Lease::error_name(last_.error);
            }
        }
        return "endless";
    }
    // The same one step after the other.
    void begin(std::size_t caller, const Operation& operation) {
        calls_[caller] = {};
        operations_[caller] = operation;
        lease_.begin(operation, calls_[caller]);
    }
    [[nodiscard]] bool blocked(std::size_t caller) const {
        return lease_.blocked(shared_, records_[caller], calls_[caller]);
    }
    Outcome step(std::size_t caller, StepFault fault = {}) {
        last_ = {};
        last_.caller = static_cast<std::uint8_t>(caller);
        operations_[caller].fault = static_cast<std::uint8_t>(fault);
        const Outcome outcome =
            lease_.step(shared_, records_[caller], calls_[caller], operations_[caller], last_);
        lease_.watch(shared_, all());
        return outcome;
    }
    [[nodiscard]] std::string last_error() const { return Lease::error_name(last_.error); }
    [[nodiscard]] std::uint32_t faults(std::size_t caller) const {
        return lease_.faults_of(shared_, records_[caller], calls_[caller], operations_[caller]);
    }

    std::string acquire(std::size_t caller, std::uint8_t key = 0, StepFault fault = {}) {
        return call(caller, {.verb = Verb::kAcquire, .key = key}, fault);
    }
    std::string release(std::size_t caller, std::uint8_t key = 0, StepFault fault = {}) {
        return call(caller, {.verb = Verb::kRelease, .key = key}, fault);
    }
    template <class Word>
    std::string call_word(std::size_t caller, Word word, std::uint8_t key = 0,
                          std::uint16_t number = 0) {
        return call(caller, {.verb = Verb::kCall,
                             .key = key,
                             .word = static_cast<std::uint8_t>(word),
                             .number = number});
    }

    void die(std::size_t caller) {
        calls_[caller] = {};
        lease_.on_death(shared_, records_[caller]);
        lease_.watch(shared_, all());
    }

    // Returns the actions that the background offers, in its order.
    [[nodiscard]] std::vector<Action> offered() const {
        ActionList list;
        lease_.background(shared_, seen(), list);
        return {list.begin(), list.end()};
    }
    [[nodiscard]] static Action doing(Doing what, std::size_t caller = 0, std::size_t key = 0) {
        return {static_cast<std::uint8_t>(caller), ActionKind::kBackground,
                static_cast<std::uint16_t>(static_cast<std::size_t>(what) * kKeysMax + key)};
    }
    [[nodiscard]] bool can(Doing what, std::size_t caller = 0, std::size_t key = 0) const {
        const auto all_of_them = offered();
        return std::find(all_of_them.begin(), all_of_them.end(), doing(what, caller, key)) !=
               all_of_them.end();
    }
    // False: it is not offered.
    bool act(Doing what, std::size_t caller = 0, std::size_t key = 0) {
        if (!can(what, caller, key)) {
            return false;
        }
        last_ = {};
        lease_.apply_background(shared_, all(), doing(what, caller, key), last_);
        lease_.watch(shared_, all());
        return true;
    }
    // False: it is not offered.
    bool disturb(Disturbance what, std::size_t caller = 0, std::size_t key = 0) {
        const Action action{
            static_cast<std::uint8_t>(caller), ActionKind::kDisturb,
            static_cast<std::uint16_t>(static_cast<std::size_t>(what) * kKeysMax + key)};
        ActionList list;
        lease_.disturbances(shared_, seen(), list);
        if (!list.contains(action)) {
            return false;
        }
        last_ = {};
        lease_.apply_background(shared_, all(), action, last_);
        lease_.watch(shared_, all());
        return true;
    }
    // Returns the instant to which time goes next; -1: none.
    [[nodiscard]] std::int32_t next_stop() const {
        for (const Action action : offered()) {
            if (action.kind == ActionKind::kTime) {
                return action.argument - kBeginning;
            }
        }
        return -1;
    }
    void go_to(std::int32_t time) { shared_.now = static_cast<Instant>(kBeginning + time); }

    [[nodiscard]] bool holds(std::size_t caller, std::size_t key = 0) const {
        return lease_.holds(shared_, records_[caller], key);
    }
    [[nodiscard]] const Event& last() const { return last_; }
    [[nodiscard]] Shared& shared() { return shared_; }
    [[nodiscard]] Record& record(std::size_t caller) { return records_[caller]; }

  private:
    [[nodiscard]] Records<Record> all() { return {records_.data(), sizeof(Record), kClients}; }
    [[nodiscard]] Records<const Record> seen() const {
        return {records_.data(), sizeof(Record), kClients};
    }

    Lease lease_;
    Shared shared_;
    std::array<Record, kClients> records_{};
    std::array<typename Lease::Call, kClients> calls_{};
    std::array<Operation, kClients> operations_{};
    Event last_;
};

template <class Options>
[[nodiscard]] Options with_clients(Options options = {}) {
    options.clients.assign(3, Client{});
    options.keys = {"lease", "other"};
    options.until = 60'000;
    return options;
}

}  // namespace lockkeeper::leases
