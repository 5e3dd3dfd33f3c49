// SPDX-License-Identifier: Apache-2.0

// One of several implementations with the same plain state, chosen when it is made. All of them
// share one instantiation of World and of the searches: e.g. planted bugs cost no compile time
// each.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "model/by_record.hpp"

namespace lockkeeper {

template <class First, class... Others>
class OneOf {
  public:
    using Size = typename First::Size;
    using Shared = typename First::Shared;
    using Record = typename First::Record;
    using Call = typename First::Call;
    static constexpr std::uint32_t kFeatures = First::kFeatures;
    static constexpr Traits kTraits{.server = kTraitsOf<First>.server,
                                    .server_rows = kTraitsOf<First>.server_rows};

    template <class Chosen>
    explicit OneOf(Chosen chosen) : chosen_(std::move(chosen)) {}

    [[nodiscard]] Shared initial_shared() const {
        return std::visit([](const auto& lock) { return lock.initial_shared(); }, chosen_);
    }
    void begin(const Operation& operation, Call& call) const {
        std::visit([&](const auto& lock) { lock.begin(operation, call); }, chosen_);
    }
    bool blocked(const Shared& shared, const Record& record, const Call& call) const {
        return std::visit([&](const auto& lock) { return lock.blocked(shared, record, call); },
                          chosen_);
    }
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const {
        return std::visit(
            [&](const auto& lock) { return lock.step(shared, record, call, operation, event); },
            chosen_);
    }
    void background(const Shared& shared, Records<const Record> records, ActionList& out) const {
        std::visit([&](const auto& lock) { list_background(lock, shared, records, out); }, chosen_);
    }
    void apply_background(Shared& shared, Records<Record> records, Action action,
                          Event& event) const {
        const auto take = [&](const auto& lock) {
            static_assert(!kHearsStep<std::decay_t<decltype(lock)>>);  // no calls are at hand here
            take_background(lock, shared, records, action, event, [&] {
                for (std::size_t i = 0; i < records.size(); ++i) {
                    lock.hear(shared, records[i]);
                }
            });
        };
        std::visit(take, chosen_);
    }
    void on_death(Shared& shared, Record& record) const {
        std::visit([&](const auto& lock) { lock.on_death(shared, record); }, chosen_);
    }
    bool idle(const Shared& shared, Records<const Record> records) const {
        return std::visit([&](const auto& lock) { return is_idle(lock, shared, records); },
                          chosen_);
    }
    bool granted(const Call& call) const {
        return std::visit([&](const auto& lock) { return lock.granted(call); }, chosen_);
    }
    std::uint32_t pending_cleanup(const Shared& shared, Records<const Record> records,
                                  std::size_t key) const {
        return std::visit(
            [&](const auto& lock) { return lock.pending_cleanup(shared, records, key); }, chosen_);
    }
    void observe(const Shared& shared, Records<const Record> records, Observation& out) const {
        std::visit([&](const auto& lock) { lockkeeper::observe(lock, shared, records, out); },
                   chosen_);
    }
    ServerAct server_step(const Shared& shared, Records<const Record> records, std::size_t caller,
                          const Call& call, const Operation& operation) const {
        return std::visit(
            [&](const auto& lock) {
                return lock.server_step(shared, records, caller, call, operation);
            },
            chosen_);
    }
    ServerAct server_background(const Shared& shared, Records<const Record> records,
                                Action action) const {
        return std::visit(
            [&](const auto& lock) { return lock.server_background(shared, records, action); },
            chosen_);
    }
    static ServerFault server_fault(unsigned fault) { return First::server_fault(fault); }
    static ServerRow server_row(const Shared& shared, std::size_t key) {
        return First::server_row(shared, key);
    }
    std::string describe_step(const Shared& shared, const Record& record, const Call& call,
                              const Operation& operation) const {
        return std::visit(
            [&](const auto& lock) { return lock.describe_step(shared, record, call, operation); },
            chosen_);
    }
    std::string describe_background(const Shared& shared, Records<const Record> records,
                                    Action action) const {
        return std::visit(
            [&](const auto& lock) { return lock.describe_background(shared, records, action); },
            chosen_);
    }
    std::string show(const Shared& shared) const {
        return std::visit([&](const auto& lock) { return lock.show(shared); }, chosen_);
    }

  private:
    std::variant<First, Others...> chosen_;
};

}  // namespace lockkeeper
