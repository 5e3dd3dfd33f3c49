// SPDX-License-Identifier: Apache-2.0

// The common part of monglock's write lock and multi lock: clients with clocks of their own,
// sleeping, reading after an update that did not match, faults, and the deadline of a holder that
// gives up by itself (a repair). Source: docs/decisions/models/monglock.md.
#pragma once

#include <string>
#include <utility>

#include "impl/monglock/time_limit.hpp"
#include "model/check.hpp"
#include "model/client_process.hpp"
#include "model/relative_time.hpp"
#include "model/told_time.hpp"

namespace lockkeeper::monglock {

// `Lock`: arrive(shared, records, event), the stray update comes to the store; has_ended(shared),
// the stray's lock is not there any more; forget(record, key), the client knows of no lock;
// disturb_document(shared, records, action).
template <class Lock>
class ClientSide : public Defaults, public ToldTime {
  public:
    static constexpr Traits kTraits{.faults = true,
                                    .disturbances = true,
                                    .restarts = true,
                                    .clock = true,
                                    .watches = true,
                                    .errors = true,
                                    .messages = true,
                                    .faults_left = true,
                                    .relative_time = true,
                                    .tells_what_concerns_others = true,
                                    .begins_unblocked = true};

    explicit ClientSide(const ClientSideOptions& options)
        : ToldTime(options.time_unit),
          common_(options),
          time_limit_(options),
          end_of_time_(monglock::end_of_time(options)) {}

    template <class AnyShared>
    [[nodiscard]] static auto& left(AnyShared& shared) {
        return shared.left;
    }

    [[nodiscard]] static std::string fault_name(unsigned fault) {
        return std::string(name_of(static_cast<OperationFault>(fault)));
    }
    [[nodiscard]] static std::string error_name(unsigned error) {
        return std::string(name_of(static_cast<Error>(error)));
    }
    [[nodiscard]] std::string error_code(unsigned error) const {
        return std::string(kind_of(static_cast<Error>(error), common_.boom));
    }
    template <class Shared, class Record, class Call>
    [[nodiscard]] static MessagesUnderWay messages_of(const Shared&, const Record&, const Call&) {
        return {};
    }
    [[nodiscard]] static bool is_by_caller(Action) { return true; }  // gives up

    template <class Shared, class Record>
    void background(const Shared& shared, Records<const Record> records, ActionList& out) const {
        Agenda agenda(shared.now);
        lock().collect(shared, records, agenda, out);
        agenda.offer_or_refuse(out, end_of_time_);
    }
    template <class Shared, class Record>
    [[nodiscard]] bool time_is_over(const Shared& shared, Records<const Record> records) const {
        Agenda agenda(shared.now);
        ActionList unused;
        lock().collect(shared, records, agenda, unused);
        return agenda.is_beyond(end_of_time_);
    }

    // Asleep, without an answer, or in a call that never returns.
    template <class Shared, class Record, class Call>
    [[nodiscard]] bool blocked(const Shared& shared, const Record& record, const Call& call) const {
        using At = decltype(call.at);
        return call.at == At::kForEver || shared.now < record.wake;
    }
    template <class Shared, class Record>
    void on_death(Shared&, Record& record) const {
        record.wake = 0;
        record.reading = 0;
        record.deadline = {};
    }
    // A dead client starts again once no update is under way: the one that it sent comes first.
    template <class Shared, class Record>
    [[nodiscard]] bool can_restart(const Shared& shared, const Record&) const {
        return !shared.stray.is_under_way();
    }
    // The new process does not wait for the update that the one before has sent.
    template <class Shared, class Record>
    void on_restart(Shared& shared, Record& record) const {
        if (record.has_sent != 0) {
            take_back(shared, record);
        }
        start_afresh(record);
    }

    template <class Shared, class Record>
    void apply_background(Shared& shared, Records<Record> records, Action action,
                          Event& event) const {
        if (pass_time(shared, action, event, time_unit())) {
            return;
        }
        if (action.kind == ActionKind::kBackground) {  // its own deadline
            lose(event, action.actor, action.argument);
            Lock::forget(records[action.actor], action.argument);
        } else if (static_cast<Disturbance>(action.argument) == Disturbance::kArrives) {
            lock().arrive(shared, records, event);
            if (shared.stray.is_none()) {
                forget_stray(shared, records);
            }
        } else {
            lock().disturb_document(shared, records, action);
        }
    }
    // Forgets a stray update that has arrived once its lock is not there any more.
    template <class Shared, class Record>
    void watch(Shared& shared, Records<Record> records) const {
        if (Lock::has_ended(shared)) {
            forget_stray(shared, records);
        }
    }
    // The client that sent a stray update is told when the stray's lock has ended.
    template <class Shared, class Record>
    [[nodiscard]] static bool concerns_others(const Shared&, const Record&, const Shared& after,
                                              const Record&) {
        return Lock::has_ended(after);
    }

    template <class Shared, class AnyRecords>
    [[nodiscard]] std::string describe_background(const Shared&, const AnyRecords&,
                                                  Action action) const {
        if (action.kind == ActionKind::kTime) {
            return describe_time(action, time_unit());
        }
        if (action.kind == ActionKind::kBackground) {
            return "@ gives up " + common_.keys[action.argument] + ": its own deadline has passed";
        }
        return std::string(name_of(static_cast<Disturbance>(action.argument)));
    }

  protected:
    [[nodiscard]] const Lock& lock() const { return static_cast<const Lock&>(*this); }
    [[nodiscard]] const ClientSideOptions& common() const { return common_; }
    [[nodiscard]] std::size_t keys_count() const { return common_.keys.size(); }
    [[nodiscard]] std::int32_t end_of_time() const { return end_of_time_; }
    [[nodiscard]] const TimeLimit& time_limit() const { return time_limit_; }

    template <class Record>
    [[nodiscard]] std::int32_t ahead(const Record& record, std::size_t caller) const {
        return lockkeeper::ahead(common_.clients[caller], record);
    }
    // Returns what the client's clock shows, including its drift.
    template <class Record>
    [[nodiscard]] std::int32_t shown(std::int32_t now, const Record& record,
                                     std::size_t caller) const {
        const std::int32_t drift = common_.clients[caller].drift;
        return now + ahead(record, caller) + (now - kBeginning) * drift / 1000;
    }
    template <class Record>
    [[nodiscard]] Instant clock_of(Instant now, const Record& record, std::size_t caller) const {
        const std::int32_t reading = shown(now, record, caller);
        LOCKKEEPER_CHECK(reading >= 1 && reading <= kInstantMax);  // 0 is none
        return static_cast<Instant>(reading);
    }
    // The first instant at which the client's clock shows so much, or more.
    template <class Record>
    [[nodiscard]] std::int32_t when_shows(std::int32_t reading, const Record& record,
                                          std::size_t caller) const {
        const std::int32_t drift = common_.clients[caller].drift;
        const std::int32_t target = reading - ahead(record, caller);
        if (drift == 0) {
            return target;
        }
        std::int32_t instant = kBeginning + (target - kBeginning) * 1000 / (1000 + drift);
        while (shown(instant, record, caller) < reading) {
            ++instant;
        }
        while (shown(instant - 1, record, caller) >= reading) {
            --instant;
        }
        return instant;
    }
    [[nodiscard]] bool has_drift(std::size_t caller) const {
        return common_.clients[caller].drift != 0;
    }
    // The first client that has the same periods.
    [[nodiscard]] std::size_t like(std::size_t caller) const {
        const auto& clients = common_.clients;
        std::size_t first = 0;
        while (clients[first].lock_timeout != clients[caller].lock_timeout ||
               clients[first].lock_timeouts != clients[caller].lock_timeouts) {
            ++first;
        }
        return first;
    }

    static Outcome fail(Error error, Event& event) {
        event.error = static_cast<std::uint8_t>(error);
        const bool is_conflict = error == Error::kLockAlreadyTaken ||
                                 error == Error::kCooperativeLock || error == Error::kAssertiveLock;
        return is_conflict ? Outcome::kRefused : Outcome::kFailed;
    }
    // An effect under the lock arrives; one that is refused tells its author of the loss.
    static Outcome take_effect(bool is_taken, Event& event) {
        event.what |= is_taken ? kEffect : kEffectRefused;
        return is_taken ? Outcome::kDone : Outcome::kLost;
    }
    // The read that follows an update which did not match. One that fails is an error, or, where it
    // does not settle the call, nothing: the call never returns.
    template <class Shared, class Record, class Call>
    Outcome look(Shared& shared, Record& record, Call& call, bool exists, Error if_there,
                 bool settles, const Operation& operation, Event& event) const {
        const OperationFault fault = met(shared.left, operation);
        if (fault == OperationFault::kReadFails) {
            call.at = settles ? call.at : decltype(call.at)::kForEver;
            const bool waits = !settles || time_limit_.wait(shared.now, record, event.caller);
            return waits ? Outcome::kContinues : fail(Error::kDbError, event);
        }
        const bool is_there = exists || fault == OperationFault::kReadLags;
        return fail(is_there ? if_there : Error::kRessourceNotFound, event);
    }
    // The call says an error, and its update has come, or may come yet.
    template <class Record, class Call>
    static void leave(Record& record, const Call& call, std::size_t key) {
        if (call.id != 0) {
            record.left[key] = static_cast<std::uint8_t>(call.id);
        }
    }
    // A document that was deleted; one that never was is on no replica.
    [[nodiscard]] bool is_deleted(bool exists) const { return !exists && common_.exists; }

    // --- time --------------------------------------------------------------------------------

    template <class Record>
    void add_own_stops(Agenda& agenda, Instant now, const Record& record, std::size_t caller,
                       ActionList& out) const {
        agenda.next.at(record.wake);
        for (std::size_t key = 0; key < keys_count(); ++key) {
            if (record.deadline[key] == 0 || record.deadline[key] == kNever) {
                continue;
            }
            if (record.deadline[key] == kAfterTheEnd) {
                agenda.next.at(kAfterTheEnd);
                continue;
            }
            const std::int32_t due = when_shows(record.deadline[key], record, caller);
            agenda.due(due, common_.pause_most);
            if (now >= due) {
                out.add({static_cast<std::uint8_t>(caller), ActionKind::kBackground,
                         static_cast<std::uint16_t>(key)});
            }
        }
    }

    // Returns the deadline by the client's own clock; at least 1, because 0 is none.
    [[nodiscard]] Instant deadline_of(Instant taken_at, std::int32_t timeout) const {
        const std::int32_t deadline = taken_at + timeout - common_.grace;
        if (timeout == kNeverOld) {
            return kNever;
        }
        return deadline > kInstantMax ? kAfterTheEnd : instant(deadline);
    }

    // --- disturbances --------------------------------------------------------------------------

    static void add(ActionList& out, std::size_t actor, Disturbance what) {
        out.add({static_cast<std::uint8_t>(actor), ActionKind::kDisturb,
                 static_cast<std::uint16_t>(what)});
    }
    // Offers the faults of one document. `differs`: the newest write changed the lock; `is_kept`: a
    // majority has that write.
    static void add_disturbances(const Budgets& left, std::size_t document, bool differs,
                                 bool is_kept, ActionList& out) {
        if (left.deletions > 0) {
            add(out, document, Disturbance::kDelete);
        }
        if (left.failovers > 0 && differs && !is_kept) {
            add(out, document, Disturbance::kForget);
        }
        if (left.save_backs > 0 && differs) {
            add(out, document, Disturbance::kSaveBack);
        }
    }
    template <class Shared, class Record>
    void add_disturbances(const Shared& shared, Records<const Record> records,
                          ActionList& out) const {
        const bool jumps = shared.left.clock_jumps > 0;
        for (std::size_t caller = 0; jumps && caller < records.size(); ++caller) {
            add(out, caller, Disturbance::kForward);
            if (shown(shared.now, records[caller], caller) >
                common_.jump) {  // as far as numbers go
                add(out, caller, Disturbance::kBack);
            }
        }
        if (shared.stray.is_under_way()) {
            add(out, 0, Disturbance::kArrives);
        }
    }
    // With w: majority, and where it matters.
    [[nodiscard]] bool asks_for_majority(const Budgets& left) const {
        return common_.majority && left.failovers > 0;
    }
    // LimitExceeded: a clock that has jumped further than a record can hold.
    template <class Record, class Value, class Delete>
    void disturb(Budgets& left, Records<Record> records, Action action, Value& lock,
                 Older<Value>& older, bool keeps_two, Delete delete_it) const {
        const auto what = static_cast<Disturbance>(action.argument);
        switch (what) {
            case Disturbance::kDelete:
                --left.deletions;
                delete_it();
                return;
            case Disturbance::kForget:
                --left.failovers;
                lock = older[0];
                older[0] = keeps_two ? older[1] : older[0];
                return;
            case Disturbance::kSaveBack:
                --left.save_backs;
                std::swap(lock, older[0]);
                older[1] = keeps_two ? lock : older[1];
                return;
            case Disturbance::kForward:
            case Disturbance::kBack: break;
            case Disturbance::kArrives: unreachable("a stray is no disturbance of a document");
        }
        --left.clock_jumps;
        jump(records[action.actor].clock,
             what == Disturbance::kForward ? common_.jump : -common_.jump);
    }

    // --- what is under way although nobody waits for it ----------------------------------------

    template <class Shared, class Record>
    static void send(Shared& shared, Record& record, const Stray& stray) {
        shared.stray = stray;
        record.has_sent = 1;
    }
    // The stray will not be applied: the client that has sent it has used up its id.
    template <class Shared, class Record>
    static void take_back(Shared& shared, Record& record) {
        shared.stray = {};
        record.has_sent = 0;
    }
    template <class Shared, class Record>
    static void forget_stray(Shared& shared, Records<Record> records) {
        shared.stray = {};
        for (std::size_t caller = 0; caller < records.size(); ++caller) {
            records[caller].has_sent = 0;
        }
    }
    // True: the update of this call is still under way.
    template <class Shared, class Record, class Call>
    static bool is_coming(const Shared& shared, const Record& record, const Call& call,
                          std::size_t key) {
        const Stray& stray = shared.stray;
        return record.has_sent != 0 && stray.what() == Stray::What::kTake && stray.key() == key &&
               stray.id == call.id;
    }
    // True: no client knows of the lock that a stray has set, although it blocks the others. Its
    // sender is alive, and its call has ended.
    template <class Record, class Knows>
    static bool is_nobodys(Records<const Record> records, const Observation& out, Knows knows) {
        for (std::size_t caller = 0; caller < records.size(); ++caller) {
            const Record& record = records[caller];
            const CallerObservation& who = out.callers[caller];
            if (knows(record) || (record.has_sent != 0 && (who.dead || who.calling))) {
                return false;
            }
        }
        return true;
    }

  private:
    // Deadlines that no clock of a client comes to.
    static constexpr Instant kNever = kInstantMax + 1;
    static constexpr Instant kAfterTheEnd = RelativeTime::kAfterTheEnd;

    ClientSideOptions common_;
    TimeLimit time_limit_;
    Instant end_of_time_;
};

}  // namespace lockkeeper::monglock
