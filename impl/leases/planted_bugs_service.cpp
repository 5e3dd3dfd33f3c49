// SPDX-License-Identifier: Apache-2.0

// The planted bugs of the lease service.
#include "impl/leases/planted_bugs.hpp"
#include "impl/leases/planted_bugs_shared.hpp"

namespace lockkeeper::leases {
namespace broken::service {

using Sound = LeaseServiceRules;
using At = LeaseServiceAt;
using Stream = LeaseService::Stream;

struct IgnoresExpiry : Sound {
    bool is_taken(const Entry& /*entry*/, Instant /*now*/,
                  const Client& /*client*/) const override {
        return false;
    }
};

struct TakesByClientClock : Sound {
    bool is_taken(const Entry& entry, Instant now, const Client& client) const override {
        return entry.id != 0 && entry.expires > now + client.clock;
    }
};

struct ClosesByScope : Sound {
    bool deletes(const Entry& /*entry*/, std::uint8_t /*remembered*/) const override {
        return true;
    }
};

struct RenewsByScope : Sound {
    bool may_renew(const Entry& entry, std::uint8_t own, Instant now) const override {
        return (own == entry.id || entry.id != 0) && entry.expires > now;
    }
};

struct RevivesExpired : Sound {
    bool may_renew(const Entry& entry, std::uint8_t own, Instant /*now*/) const override {
        return own == entry.id;
    }
};

struct ExpiresByClientClock : Sound {
    std::int32_t expiry(Instant now, std::int32_t ttl, const Client& client) const override {
        return now + client.clock + ttl;
    }
};

struct DoublesTtl : Sound {
    std::int32_t expiry(Instant now, std::int32_t ttl, const Client& /*client*/) const override {
        return now + 2 * ttl;
    }
};

struct GuardsByScope : Sound {
    bool guards(const LeaseService& /*service*/, const Shared& shared, const Record& /*record*/,
                std::size_t key) const override {
        return LeaseService::is_valid(shared, key);
    }
};

// Tokens begin again after a restart.
struct RestartsTokens : Sound {
    void background(const LeaseService& service, Shared& shared, Records<Record> records,
                    Action action, Event& event) const override {
        Sound::background(service, shared, records, action, event);
        if (action.kind == ActionKind::kDisturb &&
            LeaseService::disturbance(action) == Disturbance::kRestart) {
            shared.tokens.restart();
        }
    }
    Outcome step(const LeaseService& service, Shared& shared, Record& record, Call& call,
                 const Operation& operation, Event& event) const override {
        const bool asks = call.at == At::kAsk || call.at == At::kAsked;
        const Outcome outcome = Sound::step(service, shared, record, call, operation, event);
        const Entry& entry = shared.map[operation.key];
        if (asks && event.value > 0 && entry.token - Tokens::kMiddle < entry.id) {
            event.note(Breach::kTokenRepeated);
        }
        return outcome;
    }
    bool is_relative() const override { return false; }
};

// Release asks whether the entry is still there, and says ok whatever the answer.
struct SaysOkAnyway : Sound {
    Outcome step(const LeaseService& service, Shared& shared, Record& record, Call& call,
                 const Operation& operation, Event& event) const override {
        const std::size_t key = operation.key;
        const Record before = record;
        const bool releases = call.at == At::kRelease;
        const Outcome outcome = Sound::step(service, shared, record, call, operation, event);
        if (!releases || outcome != Outcome::kFailed) {
            return outcome;
        }
        event.error = 0;
        event.note(Breach::kFalseOk, (before.flags[key] & LeaseService::kInterrupted) != 0);
        record.generation[key] =
            service.holds(shared, before, key) ? before.generation[key] : std::uint8_t{0};
        return Outcome::kReleased;
    }
};

struct ForgetsToEnd : Sound {
    Outcome step(const LeaseService& service, Shared& shared, Record& record, Call& call,
                 const Operation& operation, Event& event) const override {
        const bool waits = service.sends_itself(call) && record.under_way[0] != 0;
        if (call.at != At::kRelease || waits) {
            return Sound::step(service, shared, record, call, operation, event);
        }
        service.forget(record, operation.key);
        return Outcome::kReleased;
    }
};

// A heartbeat that cannot be sent counts as answered.
struct IgnoresSendErrors : Sound {
    void background(const LeaseService& service, Shared& shared, Records<Record> records,
                    Action action, Event& event) const override {
        Record& record = records[action.actor];
        const bool sends =
            action.kind == ActionKind::kBackground && LeaseService::doing(action) == Doing::kSend;
        if (!sends || record.stream == Stream::kOpen || record.stream == Stream::kRefused) {
            return Sound::background(service, shared, records, action, event);
        }
        const std::size_t key = LeaseService::key_of(action);
        record.deadline[key] = instant(shared.now + service.ttl_of(action.actor));
        service.next_heartbeat(record, shared.now, action.actor, key);
    }
};

}  // namespace broken::service

PlantedBugs<LeaseServiceOptions> lease_service_bugs() {
    using namespace broken::service;
    static constexpr PlantedBugs<LeaseServiceOptions>::value_type kBugs[] = {
        {"ignores_expiry", "belief-overlap",
         "gives a scope away although its entry has not run out", follow<IgnoresExpiry>},
        {"closes_by_scope", "foreign-removal",
         "the end of a stream deletes the entries of its scopes, whosever they are",
         follow<ClosesByScope>},
        {"restarts_tokens", "token-order", "tokens begin again after a restart",
         follow<RestartsTokens>},
        {"renews_by_scope", "belief-overlap",
         "a renewal extends the entry of the scope, whosever it is", follow<RenewsByScope>},
        {"revives_expired", "false-ok", "a renewal extends an entry that has run out",
         follow<RevivesExpired>},
        {"expires_by_client_clock", "belief-overlap",
         "the client's clock, not the service's, says when an entry runs out",
         follow<ExpiresByClientClock>},
        {"takes_by_client_clock", "belief-overlap",
         "the contender's clock, not the service's, says whether an entry has run out",
         follow<TakesByClientClock>},
        broken::kDeadlineFromAnswer<LeaseServiceOptions, Sound>,
        {"guards_by_scope", "unprotected-effect",
         "an effect asks whether somebody has the scope, not who", follow<GuardsByScope>},
        {"says_ok_anyway", "false-ok",
         "release asks whether the entry is still there, and says ok whatever the answer",
         follow<SaysOkAnyway>},
        {"forgets_to_end", "phantom", "release ends the heartbeats and leaves the entry",
         follow<ForgetsToEnd>},
        broken::kKeepsNoFence<LeaseServiceOptions, Sound, At::kSendWrite, At::kWriteArrives>,
        {"ignores_send_errors", "told-late", "a heartbeat that cannot be sent counts as answered",
         follow<IgnoresSendErrors>},
        {"doubles_ttl", "free-late", "an entry lasts twice as long as its client asked for",
         follow<DoublesTtl>},
    };
    return kBugs;
}

}  // namespace lockkeeper::leases
