// SPDX-License-Identifier: Apache-2.0
#include "impl/monglock/planted_bugs.hpp"

#include "impl/monglock/monglock_rules.hpp"

namespace lockkeeper::monglock {
namespace broken {

struct TakesActive : WriteLockRules {
    bool is_free(const Field& /*lock*/, std::int32_t /*oldest*/) const override { return true; }
};

struct GuardsByActive : WriteLockRules {
    bool guards(const WriteLock& /*locks*/, const Shared& shared, const Record& /*record*/,
                std::size_t key) const override {
        return shared.documents[key].lock.active == WriteLock::Active::kYes;
    }
};

struct ReleasesAnything : WriteLockRules {
    bool releases(const WriteLock& /*locks*/, const Field& /*lock*/,
                  const WriteLock::Request& /*request*/) const override {
        return true;
    }
};

struct SaysOkAnyway : WriteLockRules {
    Outcome step(const WriteLock& locks, Shared& shared, Record& record, Call& call,
                 const Operation& operation, Event& event) const override {
        const bool releases = call.at == WriteLockAt::kRelease;
        const std::uint8_t released = WriteLock::named(record, call, operation.key).generation;
        const Outcome outcome = WriteLockRules::step(locks, shared, record, call, operation, event);
        if (!releases || call.at != WriteLockAt::kLookAfterRelease) {
            return outcome;
        }
        event.note(Breach::kFalseOk, released != 0);
        return (call.flags & WriteLock::kEarlier) != 0 ? Outcome::kDone : Outcome::kReleased;
    }
};

struct CleansNothing : WriteLockRules {
    void remove_left(const WriteLock& /*locks*/, WriteLock::Document& /*document*/,
                     const Budgets& /*left*/) const override {}
};

template <class Sound>
struct GivesUpUnanswered : Sound {
    bool cleans_up_unanswered() const override { return false; }
};

template <class Sound>
struct AcknowledgedByOne : Sound {
    bool asks_for_majority() const override { return false; }
};

struct ConstantToken : WriteLockRules {
    Instant token(Instant /*timestamp*/) const override { return kBeginning; }
    bool is_relative() const override { return false; }
};

struct IgnoresCooperative : MultiLockRules {
    bool may_push(bool /*all_free*/) const override { return true; }
};

template <class Sound>
struct DeadlineFromAnswer : Sound {
    Instant deadline_from(Instant /*taken*/, Instant answered) const override { return answered; }
};

}  // namespace broken

PlantedBugs<WriteLockOptions> write_lock_bugs() {
    using namespace broken;
    static constexpr PlantedBugs<WriteLockOptions>::value_type kBugs[] = {
        {"takes_active", "belief-overlap", "takes the lock whether it is active or not",
         follow<TakesActive>},
        {"guards_by_active", "unprotected-effect", "an effect asks only that somebody has the lock",
         follow<GuardsByActive>},
        {"releases_anything", "foreign-removal", "release does not compare the token",
         follow<ReleasesAnything>},
        {"says_ok_anyway", "false-ok", "release says ok though the lock was lost",
         follow<SaysOkAnyway>},
        {"cleans_nothing", "phantom", "the clean-up after an error leaves what it finds",
         follow<CleansNothing>},
        {"constant_token", "token-order", "every acquisition has the same timestamp",
         follow<ConstantToken>},
        {"deadline_from_answer", "belief-overlap", "the holder's deadline counts from the answer",
         follow<DeadlineFromAnswer<WriteLockRules>>},
        {"gives_up_unanswered", "phantom", "an acquire whose time-out is over does not clean up",
         follow<GivesUpUnanswered<WriteLockRules>>},
        {"acknowledged_by_one", "belief-overlap",
         "updates are sent with w: 1 though it is majority",
         follow<AcknowledgedByOne<WriteLockRules>>},
    };
    return kBugs;
}

PlantedBugs<MultiLockOptions> multi_lock_bugs() {
    using namespace broken;
    static constexpr PlantedBugs<MultiLockOptions>::value_type kBugs[] = {
        {"ignores_cooperative", "grant-overlap", "an entry is pushed on no condition",
         follow<IgnoresCooperative>},
        {"deadline_from_answer", "belief-overlap", "the holder's deadline counts from the answer",
         follow<DeadlineFromAnswer<MultiLockRules>>},
        {"gives_up_unanswered", "phantom", "an acquire whose time-out is over does not clean up",
         follow<GivesUpUnanswered<MultiLockRules>>},
        {"acknowledged_by_one", "belief-overlap",
         "updates are sent with w: 1 though it is majority",
         follow<AcknowledgedByOne<MultiLockRules>>},
    };
    return kBugs;
}

}  // namespace lockkeeper::monglock
