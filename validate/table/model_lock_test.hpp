// SPDX-License-Identifier: Apache-2.0

// A lock of the table as an implementation under the models' contract. small_locks.json explains
// its steps.
//
// Time: each grant with an end has a number, and time goes on from one number to the next, so that
// no two callers lose a lock by one step. A belief that outlasts the record ends at its number plus
// kBeyond. A grant that is over when it returns answers an error: its caller never holds.
//
// Two things differ for models. A release of a lock with an end is called whatever the caller
// believes, and goes by its acquires. If the row is re-entrant, acquires and releases inside of a
// hold are calls of the words "again" and "back", because World has one belief for each grant.
#pragma once

#include <array>
#include <string>
#include <utility>

#include "model/implementation.hpp"
#include "model/world.hpp"
#include "validate/table/rows_test.hpp"

namespace lockkeeper::table {

class ModelLock : public BasicImplementation<WorldSize<5, 1, std::uint8_t, std::uint8_t, 1>> {
  public:
    static constexpr std::size_t kSlots = 4;
    static constexpr std::uint8_t kBeyond = 100;
    static constexpr std::uint32_t kFeatures =
        kShowsCounters | kHasCapacity | kShowsGrants | kShowsTokens;
    enum Word : std::uint8_t { kRenew, kAgain, kBack };

    struct Entry {
        std::uint8_t owner;  // from 1; 0: free
        std::uint8_t depth;
        std::uint8_t end;     // 0: none
        std::uint8_t orphan;  // only the record knows that it is taken
    };
    struct Shared {
        std::array<Entry, kSlots> slots;
        std::uint8_t token;
        std::uint8_t largest;  // that a grant returned
        std::uint8_t waiters;
        std::uint8_t bell;
        std::uint8_t now;
        std::uint8_t ends;  // numbers given
        std::uint8_t time_left;
    };
    struct Record {
        std::uint8_t acquired;  // and not released
        std::uint8_t until;     // of its belief
        std::uint8_t token;     // of its hold
    };
    struct Call {
        std::uint8_t at;  // the next step, from 1; 0: not begun
        std::uint8_t slot;
        std::uint8_t until;
        std::uint8_t token;
        std::uint8_t floor;  // of tokens, when the call began
        std::uint8_t took;
        std::uint8_t held;    // release: the record granted it something when the call began
        std::uint8_t number;  // of the caller, from 1
    };

    explicit ModelLock(Row row) : row_(std::move(row)) {}

    [[nodiscard]] Shared initial_shared() const {
        Shared shared{};
        shared.token = 100;
        shared.time_left = row_.time;
        return shared;
    }
    void begin(const Operation&, Call&) const {}
    [[nodiscard]] bool blocked(const Shared& shared, const Record&, const Call& call) const {
        const std::vector<Step>& steps = row_.steps.at("acquire");
        return call.at > 0 && call.at <= steps.size() && steps[call.at - 1U].name == "wait" &&
               call.took == 0 && shared.bell == 0;
    }

    Outcome step(Shared& shared, Records<Record> records, std::size_t caller, Call& call,
                 const Operation& operation, Event& event) const {
        Record& record = records[caller];
        call.number = static_cast<std::uint8_t>(caller + 1);
        if (call.at == 0 && !begin_call(shared, record, call, operation)) {
            return operation.verb == Verb::kRelease ? Outcome::kReleased : Outcome::kDone;
        }
        const std::vector<Step>& steps = steps_of(operation);
        const Step& step = steps[call.at - 1U];
        const bool goes_well = access(shared, record, call, step);
        if (step.name == "again" && goes_well) {
            return end(shared, record, call, operation, "ok", event);
        }
        if (!goes_well && step.name != "again") {
            const std::string where = step.otherwise.empty() ? no_of(operation) : step.otherwise;
            if (where[0] < '0' || where[0] > '9') {
                return end(shared, record, call, operation, where, event);
            }
            call.at = static_cast<std::uint8_t>(std::stoi(where) + 1);
        } else {
            ++call.at;
        }
        if (call.at > steps.size()) {
            return end(shared, record, call, operation, "ok", event);
        }
        const std::string& next = steps[call.at - 1U].name;
        return is_answer(next) ? end(shared, record, call, operation, next, event)
                               : Outcome::kContinues;
    }

    static constexpr Traits kTraits{};
    void background(const Shared& shared, Records<const Record> records, ActionList& out) const {
        if (const std::uint8_t next = next_end(shared, records); next > 0 && shared.time_left > 0) {
            out.add({0, ActionKind::kTime, next});
        }
    }
    void apply_background(Shared& shared, Records<Record> records, Action action,
                          Event& event) const {
        shared.now = static_cast<std::uint8_t>(action.argument);
        --shared.time_left;
        for (Entry& entry : shared.slots) {
            entry = is_live(shared, entry) ? entry : Entry{};
        }
        for (std::size_t i = 0; i < records.size(); ++i) {
            if (records[i].until == shared.now) {
                records[i].until = 0;
                lose(event, i, 0);
            }
        }
    }
    void on_death(Shared& shared, Records<Record> records, std::size_t caller) const {
        records[caller] = {};
        leave(shared, static_cast<std::uint8_t>(caller + 1));
    }
    [[nodiscard]] bool idle(const Shared&, Records<const Record>) const { return true; }
    // Grants with an end are judged by what callers believe.
    [[nodiscard]] bool granted(const Call& call) const { return call.took != 0 && row_.ttl == 0; }
    [[nodiscard]] std::uint32_t pending_cleanup(const Shared& shared, Records<const Record>,
                                                std::size_t) const {
        return count(shared, [](const Entry& entry) { return entry.orphan != 0; });
    }
    [[nodiscard]] bool holds(const Shared&, const Record& record, std::size_t) const {
        return record.acquired > 0;
    }
    void observe(const Shared& shared, Records<const Record>, Observation& out) const {
        KeyObservation& seen = out.keys[0];
        seen.counted_least = seen.counted_most =
            count(shared, [](const Entry& entry) { return entry.owner != 0; });
        seen.counters = {static_cast<std::int32_t>(seen.counted_least)};
    }
    [[nodiscard]] std::string describe_step(const Shared&, const Record&, const Call& call,
                                            const Operation& operation) const {
        const std::vector<Step>& steps = steps_of(operation);
        return steps[call.at == 0 ? 0 : call.at - 1U].name;
    }
    [[nodiscard]] std::string describe_background(const Shared&, Records<const Record>,
                                                  Action) const {
        return "time goes on";
    }
    [[nodiscard]] std::string show(const Shared& shared) const {
        std::string out;
        for (const Entry& entry : shared.slots) {
            out += std::to_string(entry.owner);
        }
        return out;
    }

  private:
    static std::string no_of(const Operation& operation) {
        return operation.verb == Verb::kAcquire ? "refused" : "lost";
    }
    [[nodiscard]] const std::vector<Step>& steps_of(const Operation& operation) const {
        const bool acquires = operation.verb == Verb::kAcquire ||
                              (operation.verb == Verb::kCall && operation.word == kAgain);
        const bool renews = operation.verb == Verb::kCall && operation.word == kRenew;
        return row_.steps.at(acquires ? "acquire" : renews ? "renew" : "release");
    }
    template <class Test>
    static std::uint32_t count(const Shared& shared, Test test) {
        return static_cast<std::uint32_t>(
            std::count_if(shared.slots.begin(), shared.slots.end(), test));
    }
    static bool is_live(const Shared& shared, const Entry& entry) {
        return entry.owner != 0 && (entry.end == 0 || entry.end > shared.now);
    }
    static std::uint8_t next_end(const Shared& shared, Records<const Record> records) {
        unsigned next = 0;
        const auto look = [&](unsigned end) {
            next = end > shared.now && (next == 0 || end < next) ? end : next;
        };
        for (const Entry& entry : shared.slots) {
            look(entry.end);
        }
        for (std::size_t i = 0; i < records.size(); ++i) {
            look(records[i].until);
        }
        return static_cast<std::uint8_t>(next);
    }
    static void leave(Shared& shared, std::uint8_t number) {
        for (Entry& entry : shared.slots) {
            entry.orphan = entry.owner == number ? 1 : entry.orphan;
        }
    }
    // False: the caller has acquired nothing that the call could be about.
    bool begin_call(const Shared& shared, Record& record, Call& call,
                    const Operation& operation) const {
        call.at = 1;
        call.floor = shared.largest;
        if (operation.verb == Verb::kAcquire) {
            return true;
        }
        const bool is_about_one = record.acquired > 0;
        if (operation.verb == Verb::kRelease && is_about_one) {
            --record.acquired;
            record.until = 0;
        }
        call.held =
            count(shared, [&](const Entry& entry) { return entry.owner == call.number; }) > 0;
        return is_about_one;
    }

    [[nodiscard]] Entry entry_of(Shared& shared, const Call& call) const {
        Entry entry{call.number, 1, 0, 0};
        if (row_.ttl > 0) {
            entry.end = ++shared.ends;
        }
        return entry;
    }
    bool put(Shared& shared, Call& call, std::size_t slot) const {
        shared.slots[slot] = entry_of(shared, call);
        call.took = 1;
        if (row_.ttl > 0) {
            call.until =
                static_cast<std::uint8_t>(shared.slots[slot].end + (row_.beyond > 0 ? kBeyond : 0));
        }
        return true;
    }
    // Takes one step. True: it goes well.
    bool access(Shared& shared, Record& record, Call& call, const Step& step) const {
        const std::string& name = step.name;
        const auto find = [&](auto test) {
            return static_cast<std::size_t>(
                std::find_if(shared.slots.begin(), shared.slots.end(), test) -
                shared.slots.begin());
        };
        const std::size_t free = find([](const Entry& entry) { return entry.owner == 0; });
        const std::size_t taken = find([](const Entry& entry) { return entry.owner != 0; });
        const std::size_t own =
            find([&](const Entry& entry) { return entry.owner == call.number; });
        if (name == "take" || name == "take-next") {
            const bool is_free =
                free < static_cast<std::size_t>(step.number) && put(shared, call, free);
            if (is_free && name == "take-next") {
                call.token = ++shared.token;
            }
            return is_free;
        }
        if (name == "read") {
            call.slot = static_cast<std::uint8_t>(free);
            return count(shared, [](const Entry& entry) { return entry.owner != 0; }) <
                   static_cast<std::uint32_t>(step.number);
        }
        if (name == "add") {
            return put(shared, call, free);
        }
        if (name == "put") {
            return shared.slots[call.slot].owner == 0 && put(shared, call, call.slot);
        }
        if (name == "again") {
            if (own < kSlots) {
                ++shared.slots[own].depth;
                call.token = record.token;
            }
            return own < kSlots;
        }
        if (name == "mine" || name == "drop" || name == "delete-mine") {
            return own < kSlots && give_back(shared.slots[own], name);
        }
        if (name == "delete" && taken < kSlots) {
            shared.slots[taken] = {};
        }
        if (name == "extend") {
            if (taken < kSlots) {
                shared.slots[taken].end = ++shared.ends;
            }
            call.until = shared.ends;
        }
        if (name == "token") {
            shared.token = static_cast<std::uint8_t>(shared.token + step.number);
            call.token = shared.token;
        }
        shared.waiters = static_cast<std::uint8_t>(shared.waiters + (name == "register" ? 1 : 0));
        shared.bell = name == "ring" ? 1 : shared.bell;
        return name != "waited-for" || shared.waiters > 0;
    }
    static bool give_back(Entry& entry, const std::string& name) {
        entry.depth = static_cast<std::uint8_t>(entry.depth - (name == "delete-mine" ? 1 : 0));
        if (name == "drop" || entry.depth == 0) {
            entry = {};
        }
        return true;
    }

    Outcome end(Shared& shared, Record& record, const Call& call, const Operation& operation,
                const std::string& word, Event& event) const {
        if (word == "dies") {
            return Outcome::kDied;
        }
        if (word == "failed" || word == "unknown") {
            leave(shared, call.number);
            return Outcome::kFailed;
        }
        switch (operation.verb) {
            case Verb::kAcquire:
                return word == "ok" ? grant(shared, record, call, event) : Outcome::kRefused;
            case Verb::kRelease:
                // Models know from the record whether a release was late.
                event.note(Breach::kFalseOk, word == "ok" && call.held == 0);
                return word == "lost" ? Outcome::kFailed : Outcome::kReleased;
            default: break;
        }
        if (operation.word == kAgain && word == "ok") {
            judge_token(shared, record, call, event);
            ++record.acquired;
        }
        record.acquired =
            static_cast<std::uint8_t>(record.acquired - (operation.word == kBack ? 1 : 0));
        return Outcome::kDone;
    }
    Outcome grant(Shared& shared, Record& record, const Call& call, Event& event) const {
        judge_token(shared, record, call, event);
        ++record.acquired;
        record.token = call.token;
        if (call.until != 0 && call.until <= shared.now) {
            return Outcome::kFailed;
        }
        record.until = call.until;
        return Outcome::kAcquired;
    }
    static void judge_token(Shared& shared, const Record& record, const Call& call, Event& event) {
        const bool is_own = record.acquired > 0 && record.token == call.token;
        const bool repeats = call.token == call.floor || call.token == shared.largest;
        event.note(Breach::kTokenRepeated,
                   call.token != 0 && (call.token < call.floor || (repeats && !is_own)));
        shared.largest = std::max(shared.largest, call.token);
    }

    Row row_;
};
static_assert(Implementation<ModelLock>);

// The row's world in the form that models need.
inline WorldConfig model_world_of(const Row& row) {
    WorldConfig world = world_of(row).world;
    world.words = {"renew", "again", "back"};
    for (CallerConfig& caller : world.callers) {
        std::size_t depth = 0;
        for (Operation& operation : caller.script) {
            const bool acquires = operation.verb == Verb::kAcquire;
            const bool releases = operation.verb == Verb::kRelease;
            const bool is_inner = row.reentrant.value_or(false) && depth > (acquires ? 0U : 1U);
            depth += acquires ? 1U : 0U;
            depth -= releases && depth > 0 ? 1U : 0U;
            if (is_inner && (acquires || releases)) {
                operation.verb = Verb::kCall;
                operation.word = acquires ? ModelLock::kAgain : ModelLock::kBack;
                operation.needs_lock = true;
            }
            operation.unchecked = releases && !is_inner && row.ttl > 0;
        }
    }
    return world;
}

}  // namespace lockkeeper::table
