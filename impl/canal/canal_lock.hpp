// SPDX-License-Identifier: Apache-2.0

// Canal lock: an Erlang lock manager whose number of resources changes while locks are held.
// Source: the two canal lock seeds and the steps of version 1.0.0, one atomic step a label
// (canal_label.hpp). Without repairs this is exactly the published algorithm; each repair
// (canal_options.hpp) replaces the steps that it names.
//
// Read canal_label.hpp (the drawing of a caller's steps), canal_state.hpp (what there is),
// canal_caller.hpp (what callers do), canal_manager.hpp (what the manager does); here is what is
// shown of it. What only makes searches faster is in canal_hints.hpp.
//
//   manager   idle --lock--> idle: one reference more      idle --unlock--> idle: one less, reply
//             idle --DOWN, for each reference--> 5 to 9 as a caller, with its own max_per --> idle
//                                                 \--5 or 6 has no rule--> dead, for ever
//
// Invariants
//   1. The manager handles the messages of one caller in the order in which they were sent; a DOWN
//      is the last of them.
//   2. While the manager gives back for a dead caller it handles no message.
//   3. When the manager is dead there is no bucket, no `highest` and no reference; a caller dies of
//      its next step on the table.
//
// Limits: callers, keys, buckets as in the compiled size (canal_sizes.hpp); max_per at most 100 in
// the small sizes, 250 in the wide one; max_decr_tries at most 100.
#pragma once

#include "impl/canal/canal_hints.hpp"

namespace lockkeeper::canal {

template <class SizeType>
class CanalLock : public CanalHints<SizeType> {
  public:
    using Base = CanalHints<SizeType>;
    using Base::Base;
    using Base::options;
    using typename Base::Call;
    using typename Base::Manager;
    using typename Base::Record;
    using typename Base::Row;
    using typename Base::Shared;
    using typename Base::Size;
    static constexpr Traits kTraits{.server = true,
                                    .server_rows = true,
                                    .messages = true,
                                    .begins_unblocked = true,
                                    .local_background = true,
                                    .by_record = true,
                                    .possible_by_mode = true,
                                    .footprints = true};
    static constexpr ShownNames kShownNames{.servers = "manager",
                                            .steps = "impl/canal/canal_caller.hpp",
                                            .page = "docs/findings/canal_lock.md"};
    static constexpr std::uint32_t kFeatures = kHasCapacity | kShowsCounters | kShowsReferences |
                                               kShowsManager | kShowsPlaces | kShowsCount;

    // Without a manager there are no references, and nobody who could die of them. The first
    // README's acquire returns no count that could be wrong.
    [[nodiscard]] std::uint32_t features() const {
        const std::uint32_t of_manager =
            options().has_manager ? kFeatures : kFeatures & ~(kShowsReferences | kShowsManager);
        return options().returns_count ? of_manager : of_manager & ~kShowsCount;
    }

    void observe(const Shared& shared, Observation& out) const {
        out.servers_gone = shared.manager.at == At::kManagerDead;
        for (std::size_t key = 0; key < out.keys_count; ++key) {
            observe_row(shared.rows[key], out.servers_gone, out.keys[key]);
        }
    }
    static std::uint32_t references(const Record& record, std::size_t key) {
        return record.count(key, ReferenceKind::kMonitored);
    }

    // A DOWN for each reference follows the caller's death.
    static MessagesUnderWay messages_of(const Shared&, const Record& record, const Call&) {
        MessagesUnderWay messages;
        const bool waits = record.is(Record::kUnlockSent);
        messages.request = waits ? 1 : 0;
        messages.reply = record.is(Record::kReplied) ? 1 : 0;
        for (std::size_t key = 0; key < Size::kKeys; ++key) {
            const std::uint32_t unlocks = waits ? 0 : record.channel.unlocks_of(key);
            messages.to_servers[key] =
                static_cast<std::uint8_t>(record.channel.locks_of(key) + unlocks);
            const std::uint32_t references = record.count(key, ReferenceKind::kMonitored);
            messages.word_of_death = static_cast<std::uint8_t>(
                messages.word_of_death + (record.is(Record::kDead) ? references : 0U));
        }
        return messages;
    }
    static bool is_by_caller(Action) { return false; }

    std::string describe_step(const Shared& shared, const Record& record, const Call& call,
                              const Operation& operation) const {
        const std::string& key = options().keys[operation.key];
        const std::string label{name_of(call.at)};
        switch (call.at) {
            case At::kAwaitReply:
            case At::kAwaitWithdrawal:
                return shared.manager.at == At::kManagerDead || hears_nothing(record)
                           ? "notice that the manager is dead"
                           : label;
            default:
                return label + " " + key +
                       (names_bucket(call.at) ? "[" + bucket_text(call) + "]" : "");
        }
    }

    // The same step on real tables and processes (validate/erlang/).
    ServerAct server_step(const Shared&, Records<const Record>, std::size_t, const Call& call,
                          const Operation&) const {
        return on_server(call.at, 0, call.bucket);
    }
    ServerAct server_background(const Shared& shared, Records<const Record> records,
                                Action action) const {
        if (is_of_manager(action)) {
            const Manager& manager = shared.manager;
            return on_server(manager.at, static_cast<std::size_t>(manager.key),
                             static_cast<std::size_t>(manager.bucket));
        }
        const Record& record = records[action.actor];
        switch (static_cast<Background>(action.argument % 8)) {
            case kHandleLock: return taken(ServerStep::kTakeLock, record.channel.head());
            case kHandleUnlock:
                return taken(ServerStep::kTakeUnlock, record.channel.key_of_unlock());
            default: return taken(ServerStep::kTakeDown, action.argument / 8U);
        }
    }
    static ServerFault server_fault(unsigned) { return ServerFault::kUnknown; }
    static ServerRow server_row(const Shared& shared, std::size_t key) {
        const auto highest = shared.rows[key].highest;
        return {.last_place = highest == Table<Size>::kAbsent ? kAbsentCounter : highest};
    }
    std::string describe_background(const Shared& shared, Records<const Record> records,
                                    Action action) const {
        if (is_of_manager(action)) {
            const Manager& manager = shared.manager;
            return "manager: " + std::string(name_of(manager.at)) + " " +
                   options().keys[static_cast<std::size_t>(manager.key)] +
                   (names_bucket(manager.at) ? "[" + std::to_string(manager.bucket) + "]" : "");
        }
        const Record& record = records[action.actor];
        switch (static_cast<Background>(action.argument % 8)) {
            case kHandleLock:
                return "manager: lock " + options().keys[record.channel.head()] + " of @";
            case kHandleUnlock:
                return "manager: unlock " + options().keys[record.channel.key_of_unlock()] +
                       " of @";
            default: return "manager: DOWN of @, " + options().keys[action.argument / 8U];
        }
    }

    std::string show(const Shared& shared) const {
        if (shared.manager.at == At::kManagerDead) {
            return "manager dead, tables gone";
        }
        std::string text;
        for (std::size_t key = 0; key < options().keys.size(); ++key) {
            text += (key == 0 ? "" : "  ") + options().keys[key] + " ";
            text += show_row(shared.rows[key]);
        }
        return text;
    }

  private:
    // True: the caller's request was lost with the manager.
    static bool hears_nothing(const Record& record) {
        return !record.is(Record::kUnlockSent) && !record.is(Record::kReplied);
    }
    // A step of giving back for the dead, not a message.
    static bool is_of_manager(Action action) {
        return action.argument == kContinue || action.argument == kReapEntry;
    }
    static ServerAct on_server(At at, std::size_t key, std::size_t bucket) {
        return {.step = server_step_of(at),
                .key = static_cast<std::uint8_t>(key),
                .bucket = static_cast<std::uint16_t>(names_bucket(at) ? bucket : 0)};
    }
    static ServerAct taken(ServerStep step, std::size_t key) {
        return {.step = step, .key = static_cast<std::uint8_t>(key)};
    }
    static std::string bucket_text(const Call& call) { return std::to_string(call.bucket); }

    static std::string show_row(const Row& row) {
        std::string text = "[";
        bool any = false;
        for (std::size_t bucket = 1; bucket <= Size::kBuckets && row.has(bucket); ++bucket) {
            text += (any ? "," : "") + std::to_string(row.value(bucket));
            any = true;
        }
        text += any ? "]" : "-]";
        text += " highest ";
        return text + (row.highest == Table<Size>::kAbsent ? "-" : std::to_string(row.highest));
    }

    void observe_row(const Row& row, bool manager_dead, KeyObservation& out) const {
        out.counted_least = 0;
        out.counted_most = 0;
        out.counters.clear();
        for (std::size_t bucket = 1; bucket <= Size::kBuckets; ++bucket) {
            if (!row.has(bucket)) {
                continue;
            }
            const std::int32_t value = row.value(bucket);
            out.counters.resize(bucket, kAbsentCounter);
            out.counters.back() = value;
            out.counted_least += units_at_least(value);
            out.counted_most += units_at_most(value);
        }
        // With whole-row releases `highest` is never read.
        out.releasable = manager_dead || this->repaired(kWholeRowGiveBack) || !row.has(1) ||
                         row.highest != Table<Size>::kAbsent;
    }

    // A counter at some caller's cap may contain that caller's mark ...
    [[nodiscard]] std::uint32_t units_at_least(std::int32_t value) const {
        const std::uint32_t most = units_at_most(value);
        for (const std::uint16_t max_per : options().max_pers) {
            if (value == max_per + 1) {
                return max_per;
            }
        }
        return most;
    }
    // ... and one above every caller's max_per must contain one. But for a bucket that was created:
    // its 1 is a unit also where max_per is 0.
    [[nodiscard]] std::uint32_t units_at_most(std::int32_t value) const {
        const std::int32_t largest =
            *std::max_element(options().max_pers.begin(), options().max_pers.end());
        return static_cast<std::uint32_t>(std::clamp(value, 0, std::max(largest, 1)));
    }
};

}  // namespace lockkeeper::canal
