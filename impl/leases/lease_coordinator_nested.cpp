// SPDX-License-Identifier: Apache-2.0

// The lease coordinator: calls that are made under a lease, and what ends them.
#include "impl/leases/lease_rules.hpp"

namespace lockkeeper::leases {

Outcome LeaseCoordinator::call_nested(Record& record, Call& call, const Operation& operation) {
    const std::size_t key = operation.key;
    record.nested[key].begin(operation.number);
    record.cancel_by[key] = 0;
    record.nested_token[key] = record.token[key];
    record.nested_generation[key] = record.generation[key];
    call.at = At::kNestedRuns;
    return Outcome::kContinues;
}

void LeaseCoordinator::add_nested(Agenda& agenda, const Record& record, std::size_t caller,
                                  std::size_t key, ActionList& out) const {
    const NestedCalls& nested = record.nested[key];
    if (!nested.any()) {
        return;
    }
    add(out, caller, nested.makes_another() ? Doing::kCallOn : Doing::kNotice, key);
    if (nested.are_cancelled()) {
        add(out, caller, Doing::kCleanUp, key);
        agenda.due(record.cancel_by[key], 0);
    }
}

// The holder's context is cancelled, and the cancellation goes on to the call that it has made.
void LeaseCoordinator::cancel_nested(const Shared& shared, Record& record, std::size_t key) const {
    NestedCalls& nested = record.nested[key];
    if (nested.any() && !nested.are_cancelled()) {
        nested.cancel();
        record.cancel_by[key] = instant(shared.now + options().delay);
    }
}

// A call that is cancelled ends, and its end cancels the call that it has made.
void LeaseCoordinator::cancellation_arrives(const Shared& shared, Record& record,
                                            std::size_t key) const {
    NestedCalls& nested = record.nested[key];
    nested.outermost_ends();
    if (!own_.rules->passes_cancellation_on()) {
        nested.forget_cancellation();
    }
    record.cancel_by[key] =
        nested.are_cancelled() ? instant(shared.now + options().delay) : Instant{0};
    forget_ended(record, key);
}

// Its caller may have died, and remembers nothing: the call's own token counts.
void LeaseCoordinator::nested_writes(Shared& shared, const Record& record, std::size_t key,
                                     Event& event) const {
    const Row& row = shared.rows[key];
    const bool valid = is_granted(shared, key) && row.token == record.nested_token[key] &&
                       row.generation == record.nested_generation[key];
    if (take_effect(shared.resources[key], record.nested_generation[key], record.nested_token[key],
                    repairs(kCoFencing), valid || !repairs(kCoGuardedWrites), event)) {
        event.note(Breach::kUnprotected, !valid);
    }
}

// Forgets the nested calls of the key once all of them have ended.
void LeaseCoordinator::forget_ended(Record& record, std::size_t key) {
    if (!record.nested[key].any()) {
        record.nested_token[key] = 0;
        record.nested_generation[key] = 0;
        record.cancel_by[key] = 0;
    }
}

}  // namespace lockkeeper::leases
