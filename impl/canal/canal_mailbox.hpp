// SPDX-License-Identifier: Apache-2.0

// The canal lock with its manager's mailbox in view, and with features that the seeds name and the
// published lock leaves out:
//
//   asynchronous release   "A variant of the algorithm could be made asynchronous" (README, Manual
//                          Call). The counters as always (5 to 9); step 10 sends `unlock` and
//                          returns, as step 4 sends `lock` and returns. The manager does not reply.
//   the mailbox            how many messages wait is judged where a scenario says how many may.
//   a supervised manager   "The manager is in charge of starting an ETS table" (Algorithm). A
//                          manager that was killed, or died of its own error, is started again:
//                          with an empty mailbox, no table of before and no reference.
//
// Everything else is CanalLock, step by step.
//
//   manager   any --killed (a fault), or its own error--> dead --supervisor--> idle, cold tables
//
// Invariants
//   1. The messages of one caller are handled in the order in which they were sent.
//   2. What a dead manager had been told is lost: its mailbox and both tables. Callers keep what
//      they believe.
//   3. A caller that waited for a reply of a dead manager dies, even if another manager runs by
//      now: the request was to a process, not to a name.
//
// Limits: one size (MailboxSize). A DOWN counts as a message of the mailbox while its reference is
// known; one that the manager will ignore (its unlock was handled before) does not count. The
// tables of a new manager appear in one step with the manager. Nothing is compared with a real
// server.
#pragma once

#include "impl/canal/canal_lock.hpp"

namespace lockkeeper::canal {

struct MailboxOptions {
    CanalOptions canal;
    std::int32_t waiting_at_most = -1;  // below 0: not judged
    std::uint8_t manager_kills = 0;
    std::uint8_t restarts = 0;  // before the supervisor gives up
    // Planted bug: a request is to the name, and no longer to the process (invariant 3).
    bool waits_for_the_next = false;
};

class CanalMailbox : public CanalLock<MailboxSize> {
  public:
    using Base = CanalLock<MailboxSize>;
    using Held = std::array<MailboxSize::Count, MailboxSize::kKeys>;
    static constexpr std::uint32_t kFeatures = Base::kFeatures | kBoundsWaiting;
    static constexpr Traits kTraits{.disturbances = true,
                                    .judges = true,
                                    .server = true,
                                    .server_rows = true,
                                    .messages = true,
                                    .begins_unblocked = true,
                                    .local_background = true};

    explicit CanalMailbox(MailboxOptions given)
        : Base(std::move(given.canal)),
          waiting_at_most_(given.waiting_at_most),
          manager_kills_(given.manager_kills),
          restarts_(given.restarts),
          waits_for_the_next_(given.waits_for_the_next) {}

    [[nodiscard]] std::uint32_t features() const {
        return Base::features() | (waiting_at_most_ >= 0 ? kBoundsWaiting : 0U);
    }
    [[nodiscard]] Shared initial_shared() const {
        Shared shared = Base::initial_shared();
        shared.crashes_left = manager_kills_;
        shared.restarts_left = restarts_;
        return shared;
    }

    // --- the manager and its supervisor ----------------------------------------------------------

    void background(const Shared& shared, Records<const Record> records, ActionList& out) const {
        for (std::size_t i = 0; i < records.size(); ++i) {
            background_of(shared, records[i], i, out);
        }
        background_elsewhere(shared, out);
    }
    bool acts_elsewhere(const Shared& shared) const {
        return Base::acts_elsewhere(shared) || is_to_restart(shared);
    }
    void background_elsewhere(const Shared& shared, ActionList& out) const {
        Base::background_elsewhere(shared, out);
        if (is_to_restart(shared)) {
            out.add({0, ActionKind::kBackground, kRestart});
        }
    }
    void disturbances(const Shared& shared, Records<const Record>, ActionList& out) const {
        if (shared.crashes_left > 0 && shared.manager.at != At::kManagerDead) {
            out.add({0, ActionKind::kDisturb, kKill});
        }
    }
    void apply_background(Shared& shared, Records<Record> records, Action action,
                          Event& event) const {
        if (action.argument == kRestart) {
            --shared.restarts_left;
            shared.manager = {};
            return;
        }
        if (action.argument != kKill && !is_elsewhere(action)) {
            Base::apply_background(shared, records[action.actor], action, event);
            event.caller = action.actor;
            return;
        }
        if (action.argument == kKill) {
            --shared.crashes_left;
            lose_tables(shared);
        } else if (!Base::apply_background(shared, action, event)) {
            return;
        }
        for (std::size_t i = 0; i < records.size(); ++i) {
            hear_of_death(shared, records[i]);
        }
    }
    bool idle(const Shared& shared, Records<const Record> records) const {
        if (!Base::idle(shared) || is_to_restart(shared)) {
            return false;
        }
        for (std::size_t i = 0; i < records.size(); ++i) {
            if (!Base::idle(shared, records[i])) {
                return false;
            }
        }
        return true;
    }

    // --- how many messages wait ------------------------------------------------------------------

    // Counts the messages that the caller has sent, and once it is dead a DOWN per reference to it.
    [[nodiscard]] static std::uint32_t waiting(const Record& record) {
        std::uint32_t sum = record.channel.size();
        for (std::size_t key = 0; record.is(Record::kDead) && key < Size::kKeys; ++key) {
            sum += references(record, key);
        }
        return sum;
    }
    void judge(Shared&, Records<Record> records, Records<const Held>, Event& event) const {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < records.size(); ++i) {
            sum += waiting(records[i]);
        }
        event.note(Breach::kWaitsLong, waiting_at_most_ >= 0 && sum > waiting_at_most_);
    }

    // --- shown -----------------------------------------------------------------------------------

    void observe(const Shared& shared, Records<const Record> records, Observation& out) const {
        Base::observe(shared, out);
        for (std::size_t i = 0; i < records.size(); ++i) {
            for (std::size_t key = 0; key < out.keys_count; ++key) {
                out.callers[i].references[key] = references(records[i], key);
            }
        }
    }
    std::string describe_background(const Shared& shared, Records<const Record> records,
                                    Action action) const {
        switch (action.argument) {
            case kRestart: return "supervisor: starts the manager again";
            case kKill: return "the manager is killed";
            default: return Base::describe_background(shared, records, action);
        }
    }

    // No step is private: which callers send, and when, decides how many messages wait.
    static bool is_private(const Shared&, const Record&, const Call&, std::uint32_t) {
        return false;
    }
    static bool is_private(const Shared&, const Record&, Action, std::uint32_t) { return false; }

  private:
    static bool is_to_restart(const Shared& shared) {
        return shared.manager.at == At::kManagerDead && shared.restarts_left > 0;
    }

    void hear_of_death(const Shared& shared, Record& record) const {
        const bool waits_on = waits_for_the_next_ && is_to_restart(shared) &&
                              record.is(Record::kUnlockSent) && !record.is(Record::kDead);
        hear(shared, record);
        if (waits_on) {
            record.raise(Record::kUnlockSent);
        }
    }

    std::int32_t waiting_at_most_;
    std::uint8_t manager_kills_;
    std::uint8_t restarts_;
    bool waits_for_the_next_;
};

}  // namespace lockkeeper::canal
