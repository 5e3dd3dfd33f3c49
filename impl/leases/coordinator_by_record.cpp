// SPDX-License-Identifier: Apache-2.0
#include "impl/leases/coordinator_by_record.hpp"

#include <algorithm>

#include "impl/leases/lease_rules.hpp"

namespace lockkeeper::leases {
namespace {

template <class Record>
Records<Record> one(Record& record) {
    return {&record, sizeof(Record), 1};
}
Records<const LeaseCoordinator::Record> nobody() { return {nullptr, 0, 0}; }

LeaseCoordinatorOptions without_end(LeaseCoordinatorOptions options, std::vector<Client> clients) {
    options.clients = std::move(clients);
    options.until = 1;  // nothing asks for it: time goes on for ever, no acquire waits
    return options;
}

std::vector<Client> client_of_each_kind(const LeaseCoordinatorOptions& options,
                                        const WorldConfig& world) {
    std::vector<Client> clients;
    for (std::size_t caller = 0; caller < world.callers.size(); ++caller) {
        if (world.callers[caller].group == clients.size()) {
            clients.push_back(options.clients[caller]);
        }
    }
    return clients;
}

std::string why_not_called(const Operation& operation) {
    switch (operation.verb) {
        case Verb::kAcquire:
        case Verb::kRelease:
        case Verb::kExit:
        case Verb::kIfHolding: return "";
        case Verb::kSignal:
        case Verb::kWait: return "scripts wait for each other";
        case Verb::kSleep: return "callers sleep";
        case Verb::kCall: break;
    }
    switch (static_cast<LeaseCoordinatorCall>(operation.word)) {
        case LeaseCoordinatorCall::kWrite:
        case LeaseCoordinatorCall::kHeartbeat:
        case LeaseCoordinatorCall::kReleaseFail: return "";
        case LeaseCoordinatorCall::kNested: return "callers make nested calls";
        case LeaseCoordinatorCall::kReap: return "callers reap";
    }
    return "an unknown call";
}

}  // namespace

std::string CoordinatorByRecord::why_not(const LeaseCoordinatorOptions& options,
                                         const WorldConfig& world) {
    const bool waits =
        options.wait != 0 || std::any_of(options.clients.begin(), options.clients.end(),
                                         [](const Client& client) { return client.wait > 0; });
    const Budgets none{};
    if (options.rules != &kSoundLeaseCoordinatorRules) {
        return "a rule of it is another one";
    }
    if (waits || options.upsert || options.hooks) {
        return "acquires wait, renew whosever row there is, or change what it guards";
    }
    if (std::memcmp(&options.faults, &none, sizeof(none)) != 0 || world.restarts_max > 0) {
        return "faults, but crashes, are counted";
    }
    const bool is_fenced = (options.repairs & kCoFencing) != 0;
    if (is_fenced && (options.repairs & kCoGuardedWrites) == 0) {
        return "a fence without guarded writes compares lease keys, which grow";
    }
    if (world.resizes_max() > 0 || world.watches_others) {
        return "there are resizes, or what others hold is watched";
    }
    for (const CallerConfig& caller : world.callers) {
        for (const Operation& operation : caller.script) {
            if (std::string why = why_not_called(operation); !why.empty()) {
                return why;
            }
        }
    }
    const LeaseCoordinator lease(without_end(options, client_of_each_kind(options, world)));
    return lease.time_bounds().exist() ? "" : "its instants are not relative to now";
}

WorldConfig CoordinatorByRecord::with_kinds(WorldConfig world) {
    for (CallerConfig& caller : world.callers) {
        for (Operation& operation : caller.script) {
            operation.signal = operation.uses_signal() ? operation.signal : caller.group;
        }
    }
    return world;
}

CoordinatorByRecord::CoordinatorByRecord(const LeaseCoordinatorOptions& options,
                                         const WorldConfig& world)
    : all_(without_end(options, client_of_each_kind(options, world))),
      keys_count_(options.keys.size()),
      bounds_(all_.time_bounds()) {
    LOCKKEEPER_CHECK(why_not(options, world).empty());
    for (const Client& client : client_of_each_kind(options, world)) {
        kinds_.emplace_back(without_end(options, {client}));
    }
    for (const CallerConfig& caller : world.callers) {
        LOCKKEEPER_CHECK(caller.group < kinds_.size());
    }
}

// --- what is forgotten -----------------------------------------------------------------------

// Forgets all that grows, and all that only compares it.
void CoordinatorByRecord::forget_the_past(Shared& shared) const {
    shared.lease.tokens = {};
    shared.lease.tokens.restart();
    shared.lease.resources = {};
    shared.lease.notified = {};
    EndOfTime unused{};
    CappedAges times(shared.lease.now, unused, bounds_);
    all_.tell_times(shared.lease, times);
    shared.lease.tokens = {};
    shared.lease.tokens.restart();
    shared.lease.end.set(static_cast<Instant>(kInstantMax));
}

void CoordinatorByRecord::forget_the_past(Record& record, Call* call, Instant now) const {
    EndOfTime unused{};
    CappedAges times(now, unused, bounds_);
    all_.tell_times(record.lease, false, times);
    if (call != nullptr && call->at != LeaseCoordinatorAt::kNowhere) {
        LeaseCoordinator::tell_times(*call, call->key, times);
    }
}

// Numbers that are not the row's are all alike.
void CoordinatorByRecord::renumber(const Shared& shared, Record& record, Call* call) const {
    const auto keep = [](std::uint8_t& number, std::uint8_t of_row) {
        number = number == 0 || number == of_row ? number : kOther;
    };
    for (std::size_t key = 0; key < keys_count_; ++key) {
        const LeaseCoordinator::Row& row = shared.lease.rows[key];
        LOCKKEEPER_CHECK(row.token == 0 ? row.generation == 0
                                        : row.token == kRowToken && row.generation == kRow);
        keep(record.lease.token[key], row.token);
        keep(record.lease.late_token[key], row.token);
        keep(record.lease.generation[key], row.generation);
    }
    if (call != nullptr && call->at != LeaseCoordinatorAt::kNowhere) {
        keep(call->token, shared.lease.rows[call->key].token);
        if (call->at == LeaseCoordinatorAt::kCommitWrite) {
            keep(call->generation, shared.lease.rows[call->key].generation);
        }
    }
}

// After a step of one caller: it has taken away no row but its own.
void CoordinatorByRecord::settle(const Shared& before, const Record& record_before,
                                 const Call* call_before, Shared& shared, Record& record,
                                 Call* call) const {
    for (std::size_t key = 0; key < keys_count_; ++key) {
        const std::uint8_t token = before.lease.rows[key].token;
        const bool has_gone = token != 0 && shared.lease.rows[key].token != token;
        const bool is_own =
            record_before.lease.token[key] == token ||
            record_before.lease.late_token[key] == token ||
            (call_before != nullptr && call_before->key == key && call_before->token == token);
        LOCKKEEPER_CHECK((!has_gone || is_own) && "a step takes away the row of somebody else");
    }
    kind_of(record).watch(shared.lease, one(record.lease));
    renumber(shared, record, call);
    forget_the_past(shared);
    forget_the_past(record, call, shared.lease.now);
}

// --- steps -----------------------------------------------------------------------------------

CoordinatorByRecord::Shared CoordinatorByRecord::initial_shared() const {
    Shared shared{all_.initial_shared()};
    forget_the_past(shared);
    return shared;
}

Outcome CoordinatorByRecord::step(Shared& shared, Record& record, Call& call,
                                  const Operation& operation, Event& event) const {
    const Shared before = shared;
    const Record record_before = record;
    const Call call_before = call;
    record.kind = operation.signal;
    const Outcome outcome =
        kind_of(record).step(shared.lease, record.lease, call, operation, event);
    settle(before, record_before, &call_before, shared, record, &call);
    return outcome;
}

void CoordinatorByRecord::on_death(Shared& shared, Record& record) const {
    const Shared before = shared;
    const Record record_before = record;
    kind_of(record).on_death(shared.lease, record.lease);
    settle(before, record_before, nullptr, shared, record, nullptr);
}

bool CoordinatorByRecord::is_elsewhere(Action action) {
    return action.kind == ActionKind::kBackground &&
           LeaseCoordinator::doing(action) == Doing::kReap;
}

void CoordinatorByRecord::background_of(const Shared& shared, const Record& record,
                                        std::size_t /*caller*/, ActionList& out) const {
    Opened::Agenda agenda(shared.lease.now);
    ActionList all;
    kind_of(record).collect(shared.lease, one(record.lease), agenda, all);
    for (const Action action : all) {
        if (!is_elsewhere(action)) {
            out.add(action);
        }
    }
}

void CoordinatorByRecord::background_elsewhere(const Shared& shared, ActionList& out) const {
    Opened::Agenda agenda(shared.lease.now);
    all_.collect(shared.lease, nobody(), agenda, out);
    if (agenda.latest > shared.lease.now) {
        out.add({0, ActionKind::kTime, 1});
    }
}

bool CoordinatorByRecord::late(const Shared& shared, const Record& record) const {
    Opened::Agenda agenda(shared.lease.now);
    ActionList unused;
    kind_of(record).collect(shared.lease, one(record.lease), agenda, unused);
    return agenda.latest <= shared.lease.now;
}

void CoordinatorByRecord::apply_background(Shared& shared, Record& record, Action action,
                                           Event& event) const {
    const Shared before = shared;
    const Record record_before = record;
    kind_of(record).apply_background(shared.lease, one(record.lease), action, event);
    settle(before, record_before, nullptr, shared, record, nullptr);
}

bool CoordinatorByRecord::apply_background(Shared& shared, Action action, Event& event) const {
    if (action.kind == ActionKind::kTime) {
        shared.lease.now = instant(shared.lease.now + action.argument);
    } else {
        LeaseCoordinator::Record unused{};
        all_.apply_background(shared.lease, one(unused), action, event);
    }
    forget_the_past(shared);
    return true;
}

Heard CoordinatorByRecord::hear(const Shared& shared, Record& record, Call& call,
                                Action action) const {
    kind_of(record).watch(shared.lease, one(record.lease));
    renumber(shared, record, &call);
    const std::int32_t passed = action.kind == ActionKind::kTime ? action.argument : 0;
    forget_the_past(record, &call, instant(shared.lease.now + passed));
    return {};
}

// --- what it shows ---------------------------------------------------------------------------

bool CoordinatorByRecord::idle(const Shared& shared) const {
    return all_.idle(shared.lease, nobody());
}
bool CoordinatorByRecord::idle(const Shared& shared, const Record& record) const {
    return all_.idle(shared.lease, one(record.lease));
}

void CoordinatorByRecord::observe(const Shared& shared, Observation& out) const {
    const std::uint8_t callers = std::exchange(out.callers_count, std::uint8_t{0});
    all_.observe(shared.lease, nobody(), out);
    out.callers_count = callers;
}

bool CoordinatorByRecord::is_phantom(const Shared& shared, const Record& record,
                                     const CallerObservation& caller, std::size_t key) const {
    Observation seen;
    seen.callers_count = 1;
    seen.keys_count = static_cast<std::uint8_t>(keys_count_);
    seen.callers[0] = caller;
    all_.observe(shared.lease, one(record.lease), seen);
    return seen.keys[key].phantoms > 0;
}

std::string CoordinatorByRecord::describe_background(const Shared& shared,
                                                     Records<const Record> records,
                                                     Action action) const {
    if (action.kind == ActionKind::kTime) {
        return "time goes on by " + std::to_string(action.argument);
    }
    const Records<const LeaseCoordinator::Record> leases(&records[0].lease, records.stride_bytes(),
                                                         records.size());
    return all_.describe_background(shared.lease, leases, action);
}

}  // namespace lockkeeper::leases
