// SPDX-License-Identifier: Apache-2.0
#include "impl/leases/lease_by_record.hpp"

#include <algorithm>

#include "impl/leases/lease_rules.hpp"

namespace lockkeeper::leases {
namespace {

constexpr std::uint8_t kRow = 1;                         // the acquisition that has the row
constexpr std::uint8_t kRowToken = Tokens::kMiddle + 1;  // its token
constexpr std::uint8_t kOther = 2;                       // of either, of a row that is gone

template <class Options>
Options without_end(Options options) {
    options.until = 1;  // nothing asks for it: time goes on for ever, no acquire waits
    return options;
}

// A fence refuses whoever has a smaller token.
std::string why_not_fenced(unsigned repairs, unsigned fencing, unsigned guarded_writes) {
    const bool is_compared = (repairs & fencing) != 0 && (repairs & guarded_writes) == 0;
    return is_compared ? "a fence without guarded writes compares lease keys, which grow" : "";
}

// --- what is of one system -------------------------------------------------------------------

struct RowsToProve {
    template <class Shared>
    static RowNumbers row_of(const Shared& shared, std::size_t key) {
        return {shared.rows[key].token, shared.rows[key].generation};
    }
    // The numbers that a client has of its acquisitions of a key.
    template <class Record, class OfToken, class OfGeneration>
    static void visit(Record& record, std::size_t key, OfToken of_token,
                      OfGeneration of_generation) {
        of_token(record.token[key]);
        of_token(record.late_token[key]);
        of_generation(record.generation[key]);
    }
    template <class Call>
    static std::size_t key_of(const Call& call) {
        return call.key;
    }
    template <class Shared>
    static void forget_resources(Shared& shared) {
        shared.resources = {};
    }
    template <class Shared>
    static void remove_expired(Shared&) {}
    template <class Record>
    static void time_comes(Record&, std::int32_t) {}
};

template <class Lease>
struct ToProve;

template <>
struct ToProve<LeaseCoordinator> : RowsToProve {
    static std::string why_not(const LeaseCoordinatorOptions& options) {
        const bool waits =
            options.wait != 0 || std::any_of(options.clients.begin(), options.clients.end(),
                                             [](const Client& client) { return client.wait > 0; });
        return options.rules != &kSoundLeaseCoordinatorRules ? "a rule of it is another one"
               : waits || options.upsert || options.hooks
                   ? "acquires wait, renew whosever row there is, or change what it guards"
                   : why_not_fenced(options.repairs, kCoFencing, kCoGuardedWrites);
    }
    static std::string why_not_call(unsigned word) {
        switch (static_cast<LeaseCoordinatorCall>(word)) {
            case LeaseCoordinatorCall::kWrite:
            case LeaseCoordinatorCall::kHeartbeat:
            case LeaseCoordinatorCall::kReleaseFail: return "";
            case LeaseCoordinatorCall::kNested: return "callers make nested calls";
            case LeaseCoordinatorCall::kReap: return "callers reap";
        }
        return "an unknown call";
    }
    static void forget_resources(LeaseCoordinator::Shared& shared) {
        shared.resources = {};
        shared.notified = {};
    }
    static bool has_generation(const LeaseCoordinator::Call& call) {
        return call.at == LeaseCoordinatorAt::kCommitWrite;
    }
};

template <>
struct ToProve<LeaseDb> : RowsToProve {
    static std::string why_not(const LeaseDbOptions& options) {
        return options.rules != &kSoundLeaseDbRules ? "a rule of it is another one"
               : options.calls                      ? "its keys are asynchronous calls"
                               : why_not_fenced(options.repairs, kDbFencing, kDbGuardedWrites);
    }
    static std::string why_not_call(unsigned word) {
        switch (static_cast<LeaseDbCall>(word)) {
            case LeaseDbCall::kWrite:
            case LeaseDbCall::kHang: return "";
            case LeaseDbCall::kComplete: return "its keys are asynchronous calls";
            case LeaseDbCall::kDeleteRow: return "callers delete the rows of others";
            case LeaseDbCall::kReapRows: return "callers reap";
        }
        return "an unknown call";
    }
    static bool has_generation(const LeaseDb::Call&) { return true; }
};

template <>
struct ToProve<LeaseService> {
    static std::string why_not(const LeaseServiceOptions& options) {
        return options.rules != &kSoundLeaseServiceRules ? "a rule of it is another one"
               : options.keys.size() > 1
                   ? "there are several scopes"
                   : why_not_fenced(options.repairs, kSvFencing, kSvGuardedWrites);
    }
    static std::string why_not_call(unsigned) { return ""; }
    static RowNumbers row_of(const LeaseService::Shared& shared, std::size_t key) {
        return {shared.map[key].token, shared.map[key].id};
    }
    template <class Record, class OfToken, class OfGeneration>
    static void visit(Record& record, std::size_t key, OfToken of_token,
                      OfGeneration of_generation) {
        of_token(record.token[key]);
        of_generation(record.entry[key]);
        of_generation(record.orphan[key]);
        of_generation(record.generation[key]);
    }
    static std::size_t key_of(const LeaseService::Call&) { return 0; }
    // A write may be sent without a token, which a fence refuses once there was a write.
    static void forget_resources(LeaseService::Shared& shared) {
        for (Resource& resource : shared.resources) {
            resource = {0, std::min(resource.fence, std::uint8_t{1})};
        }
    }
    static void remove_expired(LeaseService::Shared& shared) {
        for (LeaseService::Entry& entry : shared.map) {
            if (entry.expires <= shared.now) {
                entry = {};
            }
        }
    }
    // Messages of a stream that its client has left are there by then.
    static void time_comes(LeaseService::Record& record, std::int32_t now) {
        for (std::size_t key = 0; key < record.late.size(); ++key) {
            if (now > record.late[key]) {
                record.late[key] = 0;
                record.late_of[key] = 0;
            }
        }
    }
    static bool has_generation(const LeaseService::Call&) { return true; }
};

}  // namespace

template <class Lease>
std::string LeaseByRecord<Lease>::why_not(const Options& options, const WorldConfig& world) {
    if (std::string why = ToProve<Lease>::why_not(options); !why.empty()) {
        return why;
    }
    if (std::string why =
            why_not_used(options.faults, world,
                         [](unsigned word) { return ToProve<Lease>::why_not_call(word); });
        !why.empty()) {
        return why;
    }
    const Lease lease(
        with_clients(without_end(options), client_of_each_kind(options.clients, world)));
    return lease.time_bounds().exist() ? "" : "its instants are not relative to now";
}

template <class Lease>
LeaseByRecord<Lease>::LeaseByRecord(const Options& options, const WorldConfig& world)
    : Base(without_end(options), world),
      keys_count_(options.keys.size()),
      bounds_(all_.time_bounds()) {
    LOCKKEEPER_CHECK(why_not(options, world).empty());
}

// --- what is forgotten -----------------------------------------------------------------------

// Forgets all that grows, and all that only compares it.
template <class Lease>
void LeaseByRecord<Lease>::forget_the_past(Shared& shared) const {
    shared.lock.tokens = {};
    shared.lock.tokens.restart();
    ToProve<Lease>::forget_resources(shared.lock);
    EndOfTime unused{};
    CappedAges times(shared.lock.now, unused, bounds_);
    all_.tell_times(shared.lock, times);
    shared.lock.tokens = {};
    shared.lock.tokens.restart();
    shared.lock.end.set(static_cast<Instant>(kInstantMax));
}

template <class Lease>
void LeaseByRecord<Lease>::forget_the_past(Record& record, Call* call, Instant now) const {
    EndOfTime unused{};
    CappedAges times(now, unused, bounds_);
    all_.tell_times(record.lock, false, times);
    if (call != nullptr && call->at != Lease::At::kNowhere) {
        Lease::tell_times(*call, ToProve<Lease>::key_of(*call), times);
    }
}

// Numbers that are not the row's are all alike.
template <class Lease>
void LeaseByRecord<Lease>::renumber(const Shared& shared, Record& record, Call* call) const {
    const auto keep = [](std::uint8_t& number, std::uint8_t of_row) {
        number = number == 0 || number == of_row ? number : kOther;
    };
    for (std::size_t key = 0; key < keys_count_; ++key) {
        const RowNumbers row = ToProve<Lease>::row_of(shared.lock, key);
        LOCKKEEPER_CHECK(row.token == 0 ? row.generation == 0
                                        : row.token == kRowToken && row.generation == kRow);
        ToProve<Lease>::visit(
            record.lock, key, [&](std::uint8_t& token) { keep(token, row.token); },
            [&](std::uint8_t& generation) { keep(generation, row.generation); });
    }
    if (call != nullptr && call->at != Lease::At::kNowhere) {
        const RowNumbers row = ToProve<Lease>::row_of(shared.lock, ToProve<Lease>::key_of(*call));
        keep(call->token, row.token);
        if (ToProve<Lease>::has_generation(*call)) {
            keep(call->generation, row.generation);
        }
    }
}

// After a step of one caller: it has taken away no row but its own.
template <class Lease>
void LeaseByRecord<Lease>::settle(const Shared& before, const Record& record_before,
                                  const Call* call_before, Shared& shared, Record& record,
                                  Call* call) const {
    for (std::size_t key = 0; key < keys_count_; ++key) {
        const RowNumbers row = ToProve<Lease>::row_of(before.lock, key);
        const bool has_gone =
            row.token != 0 && ToProve<Lease>::row_of(shared.lock, key).token != row.token;
        bool is_own = call_before != nullptr && ToProve<Lease>::key_of(*call_before) == key &&
                      call_before->token == row.token;
        ToProve<Lease>::visit(
            record_before.lock, key, [&](std::uint8_t token) { is_own |= token == row.token; },
            [&](std::uint8_t generation) { is_own |= generation == row.generation; });
        LOCKKEEPER_CHECK((!has_gone || is_own) && "a step takes away the row of somebody else");
    }
    kind_of(record).watch(shared.lock, one_record(record.lock));
    renumber(shared, record, call);
    forget_the_past(shared);
    forget_the_past(record, call, shared.lock.now);
}

// --- steps -----------------------------------------------------------------------------------

template <class Lease>
auto LeaseByRecord<Lease>::initial_shared() const -> Shared {
    Shared shared{all_.initial_shared()};
    forget_the_past(shared);
    return shared;
}

template <class Lease>
Outcome LeaseByRecord<Lease>::step(Shared& shared, Record& record, Call& call,
                                   const Operation& operation, Event& event) const {
    const Shared before = shared;
    const Record record_before = record;
    const Call call_before = call;
    record.kind = operation.signal;
    const Outcome outcome = kind_of(record).step(shared.lock, record.lock, call, operation, event);
    settle(before, record_before, &call_before, shared, record, &call);
    return outcome;
}

template <class Lease>
void LeaseByRecord<Lease>::on_death(Shared& shared, Record& record) const {
    const Shared before = shared;
    const Record record_before = record;
    kind_of(record).on_death(shared.lock, record.lock);
    settle(before, record_before, nullptr, shared, record, nullptr);
}

template <class Lease>
bool LeaseByRecord<Lease>::is_elsewhere(Action action) {
    return action.kind == ActionKind::kBackground && Lease::doing(action) == Doing::kReap;
}

template <class Lease>
void LeaseByRecord<Lease>::background_of(const Shared& shared, const Record& record,
                                         std::size_t /*caller*/, ActionList& out) const {
    Agenda agenda(shared.lock.now);
    ActionList all;
    kind_of(record).collect(shared.lock, one_record(record.lock), agenda, all);
    for (const Action action : all) {
        if (!is_elsewhere(action)) {
            out.add(action);
        }
    }
}

template <class Lease>
void LeaseByRecord<Lease>::background_elsewhere(const Shared& shared, ActionList& out) const {
    Agenda agenda(shared.lock.now);
    all_.collect(shared.lock, no_records<LeaseRecord>(), agenda, out);
    if (agenda.latest > shared.lock.now) {
        out.add({0, ActionKind::kTime, 1});
    }
}

template <class Lease>
bool LeaseByRecord<Lease>::late(const Shared& shared, const Record& record) const {
    Agenda agenda(shared.lock.now);
    ActionList unused;
    kind_of(record).collect(shared.lock, one_record(record.lock), agenda, unused);
    return agenda.latest <= shared.lock.now;
}

template <class Lease>
void LeaseByRecord<Lease>::apply_background(Shared& shared, Record& record, Action action,
                                            Event& event) const {
    const Shared before = shared;
    const Record record_before = record;
    kind_of(record).apply_background(shared.lock, one_record(record.lock), action, event);
    settle(before, record_before, nullptr, shared, record, nullptr);
}

template <class Lease>
bool LeaseByRecord<Lease>::apply_background(Shared& shared, Action action, Event& event) const {
    if (action.kind == ActionKind::kTime) {
        shared.lock.now = instant(shared.lock.now + action.argument);
        ToProve<Lease>::remove_expired(shared.lock);
    } else {
        LeaseRecord unused{};
        all_.apply_background(shared.lock, one_record(unused), action, event);
    }
    forget_the_past(shared);
    return true;
}

template <class Lease>
Heard LeaseByRecord<Lease>::hear(const Shared& shared, Record& record, Call& call,
                                 Action action) const {
    const std::int32_t passed = action.kind == ActionKind::kTime ? action.argument : 0;
    ToProve<Lease>::time_comes(record.lock, shared.lock.now + passed);
    kind_of(record).watch(shared.lock, one_record(record.lock));
    renumber(shared, record, &call);
    forget_the_past(record, &call, instant(shared.lock.now + passed));
    return {};
}

template <class Lease>
bool LeaseByRecord<Lease>::idle(const Shared& shared) const {
    return all_.idle(shared.lock, no_records<LeaseRecord>());
}
template <class Lease>
bool LeaseByRecord<Lease>::idle(const Shared& shared, const Record& record) const {
    return all_.idle(shared.lock, one_record(record.lock));
}

template class LeaseByRecord<LeaseCoordinator>;
template class LeaseByRecord<LeaseDb>;
template class LeaseByRecord<LeaseService>;

}  // namespace lockkeeper::leases
