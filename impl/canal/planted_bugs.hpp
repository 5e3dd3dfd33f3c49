// SPDX-License-Identifier: Apache-2.0

// The planted bugs of the canal lock (impl/planted_bug.hpp).
//
// A bug hides one function of the faithful lock and changes what it did around one label; the
// faithful code knows nothing of it.
#pragma once

#include "impl/canal/canal_lock.hpp"
#include "impl/planted_bug.hpp"
#include "model/one_of.hpp"

namespace lockkeeper::broken {

using canal::At;
using Faithful = canal::CanalLock<canal::TinySize>;
using Shared = Faithful::Shared;
using Record = Faithful::Record;
using Call = Faithful::Call;

// Takes a step as if update_counter saw a max_per that is larger by `more`.
inline Outcome step_seeing(const Faithful& lock, int more, Shared& shared, Record& record,
                           Call& call, const Operation& operation, Event& event) {
    Operation other = operation;
    if (call.at == At::kUpdateCounter) {
        other.place_capacity =
            static_cast<std::uint16_t>(std::max(operation.place_capacity + more, 0));
    }
    return lock.step(shared, record, call, other, event);
}

// P1: takes the cap for the last unit.
struct GrantsAtCap : Faithful {
    using Faithful::Faithful;
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const {
        return step_seeing(*this, 1, shared, record, call, operation, event);
    }
};

// P2: does not subtract again when it took the mark.
struct LeavesTheMark : Faithful {
    using Faithful::Faithful;
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const {
        const Outcome outcome = Faithful::step(shared, record, call, operation, event);
        if (call.at == At::kSubtractMark) {
            call = {At::kSendUnlock, 0, 0};
        }
        return outcome;
    }
};

// P3: takes the last unit for the cap.
struct RefusesTheLastUnit : Faithful {
    using Faithful::Faithful;
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const {
        return step_seeing(*this, -1, shared, record, call, operation, event);
    }
};

// P4: subtracts 2 always, not only when forced.
struct SubtractsTwo : Faithful {
    using Faithful::Faithful;
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const {
        if (call.at == At::kSubtract) {
            shared.rows[operation.key].subtract_floored(call.bucket, 1);
        }
        return Faithful::step(shared, record, call, operation, event);
    }
};

// P5: goes on to the next bucket without putting the empty one back to 0.
struct DropsTheUndo : Faithful {
    using Faithful::Faithful;
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const {
        const std::uint8_t bucket = call.bucket;
        const bool undoes = call.at == At::kUndo;
        const Outcome outcome = Faithful::step(shared, record, call, operation, event);
        if (undoes) {
            shared.rows[operation.key].subtract(bucket);
        }
        return outcome;
    }
};

// P6: the count does not include the new lock.
struct CountsFromZero : Faithful {
    using Faithful::Faithful;
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const {
        const Outcome outcome = Faithful::step(shared, record, call, operation, event);
        event.count -= outcome == Outcome::kAcquired ? 1 : 0;
        return outcome;
    }
};

// P7: the manager keeps one reference a caller, however many locks it has.
struct KeepsOneReference : Faithful {
    using Faithful::apply_background;
    using Faithful::Faithful;
    void apply_background(Shared& shared, Record& record, Action action, Event& event) const {
        const std::uint32_t before = record.count(0, canal::ReferenceKind::kMonitored);
        Faithful::apply_background(shared, record, action, event);
        if (action.argument == canal::kHandleLock && before > 0) {
            record.remove(0, canal::ReferenceKind::kMonitored);
        }
    }
};

// P8: unlock replies but forgets to remove the reference.
struct KeepsTheReference : Faithful {
    using Faithful::apply_background;
    using Faithful::Faithful;
    void apply_background(Shared& shared, Record& record, Action action, Event& event) const {
        Faithful::apply_background(shared, record, action, event);
        if (action.argument == canal::kHandleUnlock) {
            record.add(0, canal::ReferenceKind::kMonitored);
        }
    }
};

// P9: the notification is lost, so the manager does not know whom it unlocks.
struct LosesTheNotification : Faithful {
    using Faithful::Faithful;
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const {
        const bool notifies = call.at == At::kNotify;
        const Outcome outcome = Faithful::step(shared, record, call, operation, event);
        if (notifies) {
            record.channel.pop();
        }
        return outcome;
    }
};

// P10: has no rule for the mark.
struct DiesOfTheMark : Faithful {
    using Faithful::Faithful;
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const {
        const Outcome outcome = Faithful::step(shared, record, call, operation, event);
        return call.at == At::kSubtractMark ? Outcome::kDied : outcome;
    }
};

// P11: the manager was started with a smaller max_per than it should.
struct ManagerWithSmallerMaxPer : Faithful {
    explicit ManagerWithSmallerMaxPer(canal::CanalOptions options)
        : Faithful(with_smaller(std::move(options))) {}
    static canal::CanalOptions with_smaller(canal::CanalOptions options) {
        --options.manager_max_per;
        return options;
    }
};

// P12: creates the first bucket and does not register it.
struct ForgetsToRegister : Faithful {
    using Faithful::Faithful;
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const {
        const bool registers = call.at == At::kRegister;
        const Outcome outcome = Faithful::step(shared, record, call, operation, event);
        if (registers) {
            shared.rows[operation.key].highest = canal::Table<canal::TinySize>::kAbsent;
        }
        return outcome;
    }
};

// P13: handles unlock and does not reply.
struct ForgetsToReply : Faithful {
    using Faithful::Faithful;
    bool blocked(const Shared&, const Record& record, const Call& call) const {
        return call.at == At::kAwaitReply && !record.is(Record::kReplied);
    }
    using Faithful::apply_background;
    void apply_background(Shared& shared, Record& record, Action action, Event& event) const {
        Faithful::apply_background(shared, record, action, event);
        if (action.argument == canal::kHandleUnlock) {
            record.lower(Record::kReplied);
        }
    }
};

// P14: never forces, so that unlock and lock can alternate for ever.
struct NeverForces : Faithful {
    explicit NeverForces(canal::CanalOptions options) : Faithful(unbounded(std::move(options))) {}
    static canal::CanalOptions unbounded(canal::CanalOptions options) {
        options.max_decr_tries.reset();
        return options;
    }
};

// P15: begins with the newest bucket.
struct AcquiresFromTheRight : Faithful {
    using Faithful::Faithful;
    void begin(const Operation& operation, Call& call) const {
        Faithful::begin(operation, call);
        if (operation.verb == Verb::kAcquire) {
            call.bucket = static_cast<std::uint8_t>(operation.places);
        }
    }
};

// P16: gives back to the oldest bucket first.
struct ReleasesFromTheLeft : Faithful {
    using Faithful::Faithful;
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const {
        const bool looks_up = call.at == At::kReadHighest;
        const Outcome outcome = Faithful::step(shared, record, call, operation, event);
        if (looks_up && outcome == Outcome::kContinues) {
            call.bucket = 1;
        }
        return outcome;
    }
};

// All of them share one instantiation of World and of the searches.
using PlantedCanal =
    OneOf<GrantsAtCap, LeavesTheMark, RefusesTheLastUnit, SubtractsTwo, DropsTheUndo,
          CountsFromZero, KeepsOneReference, KeepsTheReference, LosesTheNotification, DiesOfTheMark,
          ManagerWithSmallerMaxPer, ForgetsToRegister, ForgetsToReply, NeverForces,
          AcquiresFromTheRight, ReleasesFromTheLeft>;

template <class Bug>
PlantedCanal planted(canal::CanalOptions options) {
    return PlantedCanal(Bug(std::move(options)));
}

inline constexpr PlantedBug<PlantedCanal (*)(canal::CanalOptions)> kCanalBugs[] = {
    {"grants_at_cap", "over-allocation", "takes the cap for the last unit", planted<GrantsAtCap>},
    {"leaves_the_mark", "leak", "does not subtract again when it took the mark",
     planted<LeavesTheMark>},
    {"refuses_the_last_unit", "under-allocation", "takes the last unit for the cap",
     planted<RefusesTheLastUnit>},
    {"subtracts_two", "double-release", "subtracts 2 always, not only when forced",
     planted<SubtractsTwo>},
    {"drops_the_undo", "negative-counter", "does not put an empty bucket back to 0",
     planted<DropsTheUndo>},
    {"counts_from_zero", "wrong-count", "the count does not include the new lock",
     planted<CountsFromZero>},
    {"keeps_one_reference", "lost-reference", "the manager keeps one reference a caller",
     planted<KeepsOneReference>},
    {"keeps_the_reference", "foreign-reference", "unlock does not remove the reference",
     planted<KeepsTheReference>},
    {"loses_the_notification", "foreign-release", "the notification is lost",
     planted<LosesTheNotification>},
    {"dies_of_the_mark", "caller-death", "has no rule for the mark", planted<DiesOfTheMark>},
    {"manager_with_smaller_max_per", "manager-death",
     "the manager was started with a smaller max_per", planted<ManagerWithSmallerMaxPer>},
    {"forgets_to_register", "poisoned-key", "does not register the first bucket",
     planted<ForgetsToRegister>},
    {"forgets_to_reply", "deadlock", "handles unlock and does not reply", planted<ForgetsToReply>},
    {"never_forces", "livelock", "subtracts the mark for ever", planted<NeverForces>},
    {"acquires_from_the_right", "acquire-order", "begins with the newest bucket",
     planted<AcquiresFromTheRight>},
    {"releases_from_the_left", "release-order", "gives back to the oldest bucket first",
     planted<ReleasesFromTheLeft>},
};

}  // namespace lockkeeper::broken
