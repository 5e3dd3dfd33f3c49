// SPDX-License-Identifier: Apache-2.0

// The common part of the three lease systems: time and what it waits for, renewals as messages,
// the guarded resource, grants and their tokens. Source: docs/decisions/models/leases.md.
//
// A renewal, per key; every arrow is one background action:
//
//   waits --send--> asked --the server handles it--> answered --the answer arrives--> waits, or
//   lost
//                     \--lost--> silent <--lost--/      (the client finds out by a time-out, or
//                     never)
//
// A database blocks a renewal that finds its row in a transaction that has not ended, instead of
// handling it (lease_db_rows.cpp).
//
// Time stops at deadlines (just before, at, just after), when a renewal is due, and at time-outs.
// It does not go on while an action is later than allowed: a client's by `pause`, a message by
// `delay`, the reaper by `reaper`. Nor beyond `until`: what is found holds up to there. A state in
// relative time (lease_times.cpp) says itself when that is.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "impl/leases/lease_parts.hpp"
#include "model/client_process.hpp"
#include "model/told_time.hpp"

namespace lockkeeper::leases {

// `Lease` says in collect() what may happen without any caller, and by when it has to.
template <class Lease>
class LeaseSide : public Defaults, public ToldTime {
  public:
    static constexpr Traits kTraits{.disturbances = true,
                                    .restarts = true,
                                    .clock = true,
                                    .watches = true,
                                    .errors = true,
                                    .messages = true,
                                    .relative_time = true,
                                    .time_left = true};

    explicit LeaseSide(const LeaseOptions& options)
        : ToldTime(options.time_unit),
          options_(options),
          farthest_clock_(farthest_clock_of(options)),
          longest_timer_(longest_timer_of(options)) {}

    [[nodiscard]] static std::string fault_name(unsigned fault) {
        return std::string(name_of(static_cast<StepFault>(fault)));
    }
    [[nodiscard]] static std::string error_name(unsigned error) {
        return std::string(name_of(static_cast<Error>(error)));
    }

    template <class Shared, class Record>
    void background(const Shared& shared, Records<const Record> records, ActionList& out) const {
        Agenda agenda(shared.now);
        lease().collect(shared, records, agenda, out);
        agenda.offer(out, end_of_time(shared));
    }
    template <class Shared, class Record>
    [[nodiscard]] bool time_is_over(const Shared& shared, Records<const Record> records) const {
        Agenda agenda(shared.now);
        agenda.ends_waits = false;
        ActionList unused;
        lease().collect(shared, records, agenda, unused);
        return agenda.is_beyond(end_of_time(shared));
    }
    template <class Shared, class Record>
    void sound_background(Shared& shared, Records<Record> records, Action action,
                          Event& event) const {
        if (pass_time(shared, action, event, time_unit())) {
            return;
        }
        const std::size_t key = key_of(action);
        if (action.kind == ActionKind::kBackground) {
            lease().act(shared, records[action.actor], action.actor, key, doing(action), event);
        } else {
            lease().disturb(shared, records, action.actor, key, disturbance(action), event);
        }
    }

    // For reports. Lease says at which steps of a call its request or its answer travels.
    template <class Shared, class Record, class Call>
    [[nodiscard]] static MessagesUnderWay messages_of(const Shared&, const Record& record,
                                                      const Call& call) {
        MessagesUnderWay messages;
        messages.request = Lease::has_sent(call.at) ? 1 : 0;
        messages.reply = Lease::awaits_answer(call.at) ? 1 : 0;
        for (std::size_t key = 0; key < record.renewal.size(); ++key) {
            const Phase phase = record.renewal[key].phase;
            messages.to_servers[key] = phase == Phase::kAsked || phase == Phase::kGhost ? 1 : 0;
            messages.to_caller[key] = phase == Phase::kAnswered ? 1 : 0;
        }
        return messages;
    }
    [[nodiscard]] static bool is_by_caller(Action action) {
        switch (doing(action)) {
            case Doing::kSend:
            case Doing::kAnswer:
            case Doing::kGiveUp:
            case Doing::kDeadline:
            case Doing::kTakeBack: return true;
            case Doing::kHandle:
            case Doing::kReap:
            case Doing::kCleanUp:
            case Doing::kNotice:
            case Doing::kLate:
            case Doing::kCut:
            case Doing::kUnlock:
            case Doing::kCallOn: break;
        }
        return false;
    }

    template <class Shared>
    [[nodiscard]] static Instant& now_of(Shared& shared) {
        return shared.now;
    }
    template <class AnyShared>
    [[nodiscard]] static auto& end_of(AnyShared& shared) {
        return shared.end;
    }

    // Record::flags: the record of an acquisition was away, or somebody else's, since it was made.
    static constexpr std::uint8_t kInterrupted = 1;
    [[nodiscard]] static Doing doing(Action action) {
        return static_cast<Doing>(action.argument / kKeysMax);
    }
    [[nodiscard]] static Disturbance disturbance(Action action) {
        return static_cast<Disturbance>(action.argument / kKeysMax);
    }
    [[nodiscard]] static std::size_t key_of(Action action) { return action.argument % kKeysMax; }
    [[nodiscard]] std::int32_t ttl_of(std::size_t caller) const {
        const std::int32_t own = options_.clients[caller].ttl;
        return own == 0 ? options_.ttl : own;
    }

  protected:
    [[nodiscard]] const Lease& lease() const { return static_cast<const Lease&>(*this); }
    [[nodiscard]] const LeaseOptions& options() const { return options_; }
    [[nodiscard]] std::size_t keys_count() const { return options_.keys.size(); }
    [[nodiscard]] bool repairs(unsigned repair) const { return (options_.repairs & repair) != 0; }
    template <class Shared>
    [[nodiscard]] Shared at_the_beginning() const {
        Shared shared{};
        shared.now = kBeginning;
        shared.left = options_.faults;
        shared.tokens.restart();
        return shared;
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
    // --- instants ------------------------------------------------------------------------------

    template <class Shared, class Record, class Call>
    Outcome lie_down(const Shared& shared, Record& record, Call& call,
                     const Operation& operation) const {
        if (shared.now + operation.time() > end_of_time(shared)) {
            throw LimitExceeded("a caller sleeps beyond the parameter until");
        }
        return sleep_until(static_cast<Instant>(shared.now + operation.time()), record, call);
    }

    struct Agenda : lockkeeper::Agenda {
        using lockkeeper::Agenda::Agenda;
        bool ends_waits = true;  // those for ever, too, at the end of the numbers
    };
    template <class Shared>
    [[nodiscard]] std::int32_t end_of_time(const Shared& shared) const {
        const Instant left = shared.end.instant();
        return left == 0 ? kBeginning + options_.until : left;
    }

    static void add(ActionList& out, std::size_t actor, Doing what, std::size_t key) {
        out.add({static_cast<std::uint8_t>(actor), ActionKind::kBackground,
                 static_cast<std::uint16_t>(static_cast<std::size_t>(what) * kKeysMax + key)});
    }
    static void add(ActionList& out, std::size_t actor, Disturbance what, std::size_t key) {
        out.add({static_cast<std::uint8_t>(actor), ActionKind::kDisturb,
                 static_cast<std::uint16_t>(static_cast<std::size_t>(what) * kKeysMax + key)});
    }
    // Adds what a client has to do at an instant, and does at most `pause` later.
    void add_due(Agenda& agenda, Instant now, std::int32_t at, std::size_t caller, Doing what,
                 std::size_t key, ActionList& out) const {
        agenda.due(at, options_.pause);
        if (now >= at) {
            add(out, caller, what, key);
        }
    }

    // Relative time (lease_times.cpp): how far a clock can be from the true time; what can lie
    // ahead of now, of what this system writes.
    [[nodiscard]] std::int32_t farthest_clock() const { return farthest_clock_; }
    [[nodiscard]] std::int32_t longest_timer() const { return longest_timer_; }
    [[nodiscard]] std::int32_t server_jumps() const {
        return options_.jump * options_.faults.clock_jumps;
    }
    // Returns no bounds where the beginning or the end of the numbers could cut off an instant.
    [[nodiscard]] CappedAges::Bounds bounds_of(std::int32_t oldest, std::int32_t farthest) const;
    [[nodiscard]] CappedAges::Bounds farther(const CappedAges::Bounds& bounds,
                                             std::int32_t oldest) const {
        return bounds.exist() ? bounds_of(std::max(bounds.oldest, oldest), bounds.farthest)
                              : CappedAges::Bounds{};
    }

    // --- renewals --------------------------------------------------------------------------------

    // `times_out`: a request without an answer is given up at renewal.at.
    void add_renewal(Agenda& agenda, Instant now, const Renewal& renewal, std::size_t caller,
                     std::size_t key, bool times_out, ActionList& out) const {
        const auto act_from = [&](Doing what) {
            add_due(agenda, now, renewal.at, caller, what, key, out);
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
        event.note(Breach::kStale,
                   generation < resource.newest);  // not seen what a later holder changed
        resource.newest = std::max(resource.newest, generation);
        event.what |= kEffect;
        return true;
    }

    [[nodiscard]] std::string describe_common(Action action) const {
        if (action.kind == ActionKind::kTime) {
            return describe_time(action, time_unit());
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
            case Doing::kCallOn: return "the nested call of @ under " + key + " makes another";
        }
        return {};
    }

  private:
    LeaseOptions options_;
    std::int32_t farthest_clock_;
    std::int32_t longest_timer_;
};

}  // namespace lockkeeper::leases
