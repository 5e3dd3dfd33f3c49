// SPDX-License-Identifier: Apache-2.0

// The rules by which monglock's locks compare and set, each with a name: a planted bug replaces one
// (planted_bugs.cpp). Source: docs/decisions/models/monglock.md.
#pragma once

#include "impl/monglock/multi_lock.hpp"
#include "impl/monglock/write_lock.hpp"
#include "impl/planted_bug.hpp"

namespace lockkeeper::monglock {

struct WriteLockRules : Rules<WriteLock> {
    using Field = WriteLock::Field;

    // The condition of a take; `oldest`: what is as old as this has expired.
    [[nodiscard]] virtual bool is_free(const Field& lock, std::int32_t oldest) const {
        return lock.active != WriteLock::Active::kYes || lock.timestamp <= oldest;
    }
    // The condition of a release that names a lock.
    [[nodiscard]] virtual bool releases(const WriteLock& locks, const Field& lock,
                                        const WriteLock::Request& request) const {
        return locks.is_named(lock, request);
    }
    // The condition of a guarded write.
    [[nodiscard]] virtual bool guards(const WriteLock& locks, const Shared& shared,
                                      const Record& record, std::size_t key) const {
        return locks.holds(shared, record, key);
    }
    // The holder's own deadline counts from then.
    [[nodiscard]] virtual Instant deadline_from(Instant taken, Instant /*answered*/) const {
        return taken;
    }
    [[nodiscard]] virtual Instant token(Instant timestamp) const { return timestamp; }
    // False: an instant is not compared with others, but with a number of the code.
    [[nodiscard]] virtual bool is_relative() const { return true; }
    // An acquire whose time-out is over cleans up as after any other error.
    [[nodiscard]] virtual bool cleans_up_unanswered() const { return true; }
    // Whether updates are sent with the w: majority that is configured.
    [[nodiscard]] virtual bool asks_for_majority() const { return true; }
    // The clean-up after an error, of a lock that the acquire has left.
    virtual void remove_left(const WriteLock& locks, WriteLock::Document& document,
                             const Budgets& left) const {
        locks.set_inactive(document, left);
    }
};

struct MultiLockRules {
    virtual ~MultiLockRules() = default;
    // The condition of a push; `all_free`: the tags to which it is cooperative.
    [[nodiscard]] virtual bool may_push(bool all_free) const { return all_free; }
    [[nodiscard]] virtual bool cleans_up_unanswered() const { return true; }
    [[nodiscard]] virtual bool asks_for_majority() const { return true; }
    [[nodiscard]] virtual Instant deadline_from(Instant pushed, Instant /*answered*/) const {
        return pushed;
    }
};

}  // namespace lockkeeper::monglock
