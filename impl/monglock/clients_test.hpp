// SPDX-License-Identifier: Apache-2.0

// Clients of a monglock lock who call one at a time, each call alone to its end. For tests.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "impl/monglock/client_side.hpp"

namespace lockkeeper::monglock::testing_monglock {

template <class Lock>
class Clients {
  public:
    explicit Clients(Lock lock) : lock_(std::move(lock)), shared_(lock_.initial_shared()) {}

    // The name of the result; a call that never returns is "silent", one that is not done after
    // ten steps "endless".
    std::string call(std::size_t caller, const Operation& operation, OperationFault fault = {}) {
        begin(caller, operation);
        return finish(caller, fault);
    }
    // The call, and so many of its steps; `finish` makes the others.
    void begin(std::size_t caller, const Operation& operation, int steps = 0) {
        operations_[caller] = operation;
        calls_[caller] = {};
        lock_.begin(operation, calls_[caller]);
        for (; steps > 0; --steps) {
            (void)step(caller, {});
        }
    }
    // One more step of its call, which goes on.
    void go_wrong(std::size_t caller, OperationFault fault) { (void)step(caller, fault); }
    std::string finish(std::size_t caller, OperationFault fault = {}) {
        for (int steps = 0; steps < 10; ++steps) {
            if (lock_.blocked(shared_, records_[caller], calls_[caller])) {
                return "silent";
            }
            if (auto result = step(caller, fault)) {
                return *result;
            }
        }
        return "endless";
    }
    // With what goes wrong in each of its steps, and nothing in those after them.
    std::string call_through(std::size_t caller, const Operation& operation,
                             const std::vector<OperationFault>& faults) {
        begin(caller, operation);
        for (const OperationFault fault : faults) {
            if (auto result = step(caller, fault)) {
                return *result;
            }
        }
        return finish(caller);
    }
    std::string acquire_through(std::size_t caller, const std::vector<OperationFault>& faults) {
        return call_through(caller, {.verb = Verb::kAcquire}, faults);
    }
    std::string release_through(std::size_t caller, const std::vector<OperationFault>& faults) {
        return call_through(caller, {.verb = Verb::kRelease}, faults);
    }
    std::string acquire(std::size_t caller, std::uint8_t key = 0, OperationFault fault = {}) {
        return call(caller, {.verb = Verb::kAcquire, .key = key}, fault);
    }
    std::string release(std::size_t caller, std::uint8_t key = 0, OperationFault fault = {}) {
        return call(caller, {.verb = Verb::kRelease, .key = key}, fault);
    }
    // Delivers the update under way that no client waits for; false: there is none.
    bool arrive() { return disturb(0, Disturbance::kArrives); }
    // False: that is not possible now.
    bool disturb(std::size_t actor, Disturbance what) {
        ActionList list;
        const Action action{static_cast<std::uint8_t>(actor), ActionKind::kDisturb,
                            static_cast<std::uint16_t>(what)};
        lock_.disturbances(shared_, seen(), list);
        if (!list.contains(action)) {
            return false;
        }
        last_ = {};
        lock_.apply_background(shared_, Records<Record>{records_.data(), sizeof(Record), kClients},
                               action, last_);
        return true;
    }
    [[nodiscard]] std::uint32_t phantoms(std::size_t key = 0) const {
        Observation observation{};
        observation.callers_count = kClients;
        observation.keys_count = static_cast<std::uint8_t>(key + 1);
        for (std::size_t caller = 0; caller < kClients; ++caller) {
            observation.callers[caller].dead = dead_[caller];
        }
        lock_.observe(shared_, seen(), observation);
        return observation.keys[key].phantoms;
    }
    // Returns the instant to which time goes next; -1: none.
    [[nodiscard]] std::int32_t next_stop() const {
        ActionList list;
        lock_.background(shared_, seen(), list);
        return list.empty() ? -1 : list[list.size() - 1].argument - kBeginning;
    }
    void die(std::size_t caller) {
        lock_.on_death(shared_, records_[caller]);
        dead_[caller] = true;
    }
    void restart(std::size_t caller) {
        die(caller);
        lock_.on_restart(shared_, records_[caller]);
        dead_[caller] = false;
    }
    [[nodiscard]] const Event& last() const { return last_; }
    void go_to(std::int32_t time) { shared_.now = static_cast<Instant>(kBeginning + time); }
    [[nodiscard]] bool holds(std::size_t caller, std::size_t key = 0) const {
        return lock_.holds(shared_, records_[caller], key);
    }
    [[nodiscard]] typename Lock::Shared& shared() { return shared_; }

  private:
    using Record = typename Lock::Record;
    static constexpr std::size_t kClients = 2;

    [[nodiscard]] Records<const Record> seen() const {
        return {records_.data(), sizeof(Record), kClients};
    }
    // The name of the result, when it is the last step.
    std::optional<std::string> step(std::size_t caller, OperationFault fault) {
        last_ = {};
        Event& event = last_;
        event.caller = static_cast<std::uint8_t>(caller);
        Operation operation = operations_[caller];
        const std::uint32_t bit = 1U << static_cast<unsigned>(fault);
        if ((lock_.faults_of(shared_, records_[caller], calls_[caller], operation) & bit) != 0) {
            operation.fault = static_cast<std::uint8_t>(fault);
        }
        const Outcome outcome =
            lock_.step(shared_, records_[caller], calls_[caller], operation, event);
        return outcome == Outcome::kContinues ? std::nullopt
                                              : std::optional(Lock::error_name(event.error));
    }

    Lock lock_;
    typename Lock::Shared shared_;
    std::array<typename Lock::Record, 4> records_{};
    std::array<typename Lock::Call, 4> calls_{};
    std::array<Operation, 4> operations_{};
    std::array<bool, 4> dead_{};
    Event last_;
};

// Every fault may happen.
inline Budgets plenty() {
    Budgets budgets{};
    budgets.late_requests = 1;
    budgets.copies = Copies::of(1, 1);
    budgets.not_applied = budgets.ack_lost = budgets.read_fails = budgets.read_lags = 9;
    return budgets;
}

}  // namespace lockkeeper::monglock::testing_monglock
