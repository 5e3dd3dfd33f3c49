// What the three lease systems have in common: time and what it waits for, renewals as messages,
// the guarded resource, grants and their tokens. Source: docs/reference/leases.md.
//
// A renewal, per key; every arrow is one background action:
//
//   waits --send--> asked --the server handles it--> answered --the answer arrives--> waits, or
//   lost
//                     \--lost--> silent <--lost--/      (the client finds out by a time-out, or
//                     never)
//
// A database's that finds its row in a transaction that has not ended is blocked instead of handled
// (lease_db_rows.cpp).
//
// Time stops at deadlines (just before, at, just after), when a renewal is due, and at time-outs.
// It does not go on while somebody is later than he may be: a client by `pause`, a message by
// `delay`, the reaper by `reaper`. Nor beyond `until`: what is found holds up to there.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "impl/leases/lease_parts.hpp"
#include "model/implementation.hpp"
#include "model/virtual_time.hpp"

namespace lockkeeper::leases {

class LeaseSide : public Defaults {
  public:
    static constexpr Traits kTraits{
        .disturbances = true, .restarts = true, .clock = true, .watches = true, .errors = true};

    explicit LeaseSide(const LeaseOptions& options) : options_(options) {}

    [[nodiscard]] static std::string fault_name(unsigned fault) {
        return std::string(name_of(static_cast<StepFault>(fault)));
    }
    [[nodiscard]] static std::string error_name(unsigned error) {
        return std::string(name_of(static_cast<Error>(error)));
    }

  protected:
    [[nodiscard]] const LeaseOptions& options() const { return options_; }
    [[nodiscard]] std::size_t keys_count() const { return options_.keys.size(); }
    [[nodiscard]] bool repairs(unsigned repair) const { return (options_.repairs & repair) != 0; }
    [[nodiscard]] std::int32_t ttl_of(std::size_t caller) const {
        const std::int32_t own = options_.clients[caller].ttl;
        return own == 0 ? options_.ttl : own;
    }
    // How long a timer of this client really takes.
    [[nodiscard]] std::int32_t timer(std::size_t caller, std::int32_t duration) const {
        return duration + duration * options_.clients[caller].drift / 1000;
    }

    static Outcome fail(Error error, Event& event) {
        event.error = static_cast<std::uint8_t>(error);
        const bool refused = error == Error::kConflict || error == Error::kTimedOut ||
                             error == Error::kNoCall || error == Error::kOtherCall;
        return refused ? Outcome::kRefused : Outcome::kFailed;
    }
    // Nobody knows whether the row is there: with the repair the call cleans up before it fails.
    // `token`: 0, when no insert of the call is known to the model; a late one may come.
    template <class Call, class At>
    static Outcome unanswered(Call& call, At clean_up, bool cleans_up, std::uint8_t token,
                              Error cause, Event& event) {
        if (!cleans_up) {
            return fail(cause, event);
        }
        call.at = clean_up;
        call.token = token;
        call.cause = static_cast<std::uint8_t>(cause);
        return Outcome::kContinues;
    }
    // The transaction of that clean-up; delete_row(token) deletes the row if it has the token.
    // False: it is not answered, and tried again.
    template <class Record, class Call, class DeleteRow>
    static bool cleaned_up(Budgets& left, Record& record, const Call& call, std::size_t key,
                           bool leaves_tombstone, DeleteRow delete_row, const Event& event) {
        const StepFault fault = met(left, event);
        if (fault != StepFault::kLostRequest) {
            const std::uint8_t token = call.token != 0 ? call.token : record.late_token[key];
            if (token != 0) {
                delete_row(token);
            }
            if (call.token == 0 && leaves_tombstone) {
                record.late_by[key] = 0;  // whenever it comes, it finds the tombstone
            }
        }
        return fault == StepFault::kNone;
    }

    // --- instants ------------------------------------------------------------------------------

    [[nodiscard]] Instant wake_at(Instant now, std::uint16_t number) const {
        if (now + number > kBeginning + options_.until) {
            throw LimitExceeded("a caller sleeps beyond the parameter until");
        }
        return static_cast<Instant>(now + number);
    }

    struct Agenda : lockkeeper::Agenda {
        using lockkeeper::Agenda::Agenda;
        bool ends_waits = true;  // those for ever, too, at the end of the numbers
    };
    [[nodiscard]] std::int32_t end_of_time() const { return kBeginning + options_.until; }

    static void add(ActionList& out, std::size_t actor, Doing what, std::size_t key) {
        out.add({static_cast<std::uint8_t>(actor), ActionKind::kBackground,
                 static_cast<std::uint16_t>(static_cast<std::size_t>(what) * kKeysMax + key)});
    }
    static void add(ActionList& out, std::size_t actor, Disturbance what, std::size_t key) {
        out.add({static_cast<std::uint8_t>(actor), ActionKind::kDisturb,
                 static_cast<std::uint16_t>(static_cast<std::size_t>(what) * kKeysMax + key)});
    }
    [[nodiscard]] static Doing doing(Action action) {
        return static_cast<Doing>(action.argument / kKeysMax);
    }
    [[nodiscard]] static Disturbance disturbance(Action action) {
        return static_cast<Disturbance>(action.argument / kKeysMax);
    }
    [[nodiscard]] static std::size_t key_of(Action action) { return action.argument % kKeysMax; }

    // --- renewals --------------------------------------------------------------------------------

    // `times_out`: a request without an answer is given up at renewal.at.
    void add_renewal(Agenda& agenda, Instant now, const Renewal& renewal, std::size_t caller,
                     std::size_t key, bool times_out, ActionList& out) const {
        const auto act_from = [&](Doing what) {
            agenda.due(renewal.at, options_.pause);
            if (now >= renewal.at) {
                add(out, caller, what, key);
            }
        };
        switch (renewal.phase) {
            case Phase::kNone: return;
            case Phase::kWaits: act_from(Doing::kSend); return;
            case Phase::kAsked:
            case Phase::kGhost: add(out, caller, Doing::kHandle, key); break;
            case Phase::kAnswered: add(out, caller, Doing::kAnswer, key); break;
            case Phase::kSilent:
            case Phase::kBlocked:
            case Phase::kBlockedGhost: break;  // what blocks them is the database's
        }
        if (renewal.under_way()) {
            agenda.no_later_than(renewal.by);
        }
        if (times_out && !renewal.is_ghost()) {
            act_from(Doing::kGiveUp);
        }
    }
    static void add_message_losses(const Budgets& left, const Renewal& renewal, std::size_t caller,
                                   std::size_t key, ActionList& out) {
        if (renewal.phase == Phase::kAsked && left.lost_requests > 0) {
            add(out, caller, Disturbance::kLoseRequest, key);
        }
        if (renewal.phase == Phase::kAnswered && left.lost_replies > 0) {
            add(out, caller, Disturbance::kLoseReply, key);
        }
    }
    // What can go wrong with renewals, rows and the clock of a database of leases; `may_go(row)`:
    // somebody may delete the row.
    template <class Shared, class AnyRecords, class MayGo>
    void add_disturbances(const Shared& shared, const AnyRecords& records, MayGo may_go,
                          ActionList& out) const {
        for (std::size_t caller = 0; caller < records.size(); ++caller) {
            for (std::size_t key = 0; key < keys_count(); ++key) {
                add_message_losses(shared.left, records[caller].renewal[key], caller, key, out);
            }
        }
        for (std::size_t key = 0; shared.left.deletions > 0 && key < keys_count(); ++key) {
            if (may_go(shared.rows[key])) {
                add(out, 0, Disturbance::kDelete, key);
            }
        }
        if (shared.left.clock_jumps > 0) {
            add(out, 0, Disturbance::kForward, 0);
            add(out, 0, Disturbance::kBack, 0);
        }
    }
    template <class Shared, class Record>
    void disturb(Shared& shared, Record& record, std::size_t key, Disturbance what) const {
        switch (what) {
            case Disturbance::kLoseRequest:
                --shared.left.lost_requests;
                record.renewal[key].phase = Phase::kSilent;
                return;
            case Disturbance::kLoseReply:
                --shared.left.lost_replies;
                record.renewal[key].phase = Phase::kSilent;
                record.renewal[key].gone = 0;
                return;
            case Disturbance::kDelete:
                --shared.left.deletions;
                shared.rows[key] = {};
                return;
            case Disturbance::kForward:
            case Disturbance::kBack: break;
            default: unreachable("a disturbance of a database of leases");
        }
        --shared.left.clock_jumps;
        const std::int32_t jump = what == Disturbance::kForward ? options_.jump : -options_.jump;
        shared.clock = jumped(shared.clock, jump);
    }
    void wait_for(Renewal& renewal, Instant now, std::int32_t duration, std::size_t caller) const {
        renewal = {};
        renewal.at = instant(now + timer(caller, duration));
        renewal.phase = Phase::kWaits;
    }
    void send(Renewal& renewal, Instant now, std::int32_t timeout, std::size_t caller) const {
        renewal.at = timeout == 0 ? Instant{0} : instant(now + timer(caller, timeout));
        renewal.sent = now;
        renewal.by = instant(now + options_.delay);
        renewal.phase = Phase::kAsked;
        renewal.gone = 0;
    }
    void answer(Renewal& renewal, Instant now, bool gone) const {
        if (renewal.is_ghost()) {
            renewal = {};
            return;
        }
        renewal.phase = Phase::kAnswered;
        renewal.by = instant(now + options_.delay);
        renewal.gone = gone ? 1 : 0;
    }
    // The client has given up; its request may still arrive.
    static void leave(Renewal& renewal) {
        if (renewal.is_blocked()) {
            renewal.phase = Phase::kBlockedGhost;
            renewal.sent = 0;
            return;
        }
        const bool travels = renewal.phase == Phase::kAsked || renewal.phase == Phase::kGhost;
        const Instant by = renewal.by;
        renewal = {};
        if (travels) {
            renewal.by = by;
            renewal.phase = Phase::kGhost;
        }
    }

    // --- the guarded resource ----------------------------------------------------------------

    // An effect arrives. `allowed`: what a condition in the same transaction says, where there is
    // one. False: refused.
    static bool take_effect(Resource& resource, std::uint8_t generation, std::uint8_t token,
                            bool compares_tokens, bool allowed, Event& event) {
        if (!allowed || (compares_tokens && token < resource.fence)) {
            event.what |= kEffectRefused;
            return false;
        }
        resource.fence = compares_tokens ? std::max(resource.fence, token) : std::uint8_t{0};
        event.note(kStale, generation < resource.newest);  // not seen what a later holder changed
        resource.newest = std::max(resource.newest, generation);
        event.what |= kEffect;
        return true;
    }

    [[nodiscard]] std::string describe_common(Action action) const {
        if (action.kind == ActionKind::kTime) {
            return describe_time(action);
        }
        if (action.kind == ActionKind::kDisturb) {
            return std::string(name_of(disturbance(action)));
        }
        const std::string& key = options_.keys[std::min(key_of(action), keys_count() - 1)];
        switch (doing(action)) {
            case Doing::kSend: return "@ sends the renewal of " + key;
            case Doing::kHandle: return "the renewal of " + key + " by @ is handled";
            case Doing::kAnswer: return "the answer to the renewal of " + key + " reaches @";
            case Doing::kGiveUp: return "@ gives up " + key + ": no answer in time";
            case Doing::kDeadline: return "@ gives up " + key + ": its own deadline has come";
            case Doing::kReap: return "reap what has expired";
            case Doing::kCleanUp: return "@ removes what it left of " + key;
            case Doing::kNotice: return "it is noticed that " + key + " of @ has ended";
            case Doing::kTakeBack: return "@ deletes " + key + ", which it has given up";
            case Doing::kLate: return "what @ asked for " + key + " arrives late";
            case Doing::kCut: return "the time-out of the renewal of " + key + " by @ cuts it";
            case Doing::kUnlock: return "the transaction that looked at " + key + " ends";
        }
        return {};
    }

  private:
    LeaseOptions options_;
};

}  // namespace lockkeeper::leases
