// SPDX-License-Identifier: Apache-2.0

// The planted bugs of the lease coordinator.
#include "impl/leases/planted_bugs.hpp"
#include "impl/leases/planted_bugs_shared.hpp"

namespace lockkeeper::leases {
namespace broken::coordinator {

using Sound = LeaseCoordinatorRules;
using At = LeaseCoordinatorAt;

struct ReleasesByScope : Sound {
    bool deletes(const Row& /*row*/, std::uint8_t /*token*/) const override { return true; }
};

// The transaction of this step.
bool commits(const Operation& operation) {
    const auto fault = static_cast<StepFault>(operation.fault);
    return fault != StepFault::kLostRequest && fault != StepFault::kHookFails;
}

// The step that deletes the row, without its business data: they are written by the next.
struct TwoTransactions : Sound {
    Outcome step(const LeaseCoordinator& leases, Shared& shared, Record& record, Call& call,
                 const Operation& operation, Event& event) const override {
        if (call.at == At::kWriteReleased) {
            event.what |= kEffect;
            return Outcome::kReleased;
        }
        if (call.at != At::kRelease || !commits(operation)) {
            return Sound::step(leases, shared, record, call, operation, event);
        }
        static_cast<void>(met(shared.left, operation));
        const Resource data = shared.resources[operation.key];
        Event whole = event;
        Operation without_fault = operation;
        without_fault.fault = 0;
        const Outcome outcome = Sound::step(leases, shared, record, call, without_fault, whole);
        if (outcome != Outcome::kReleased) {
            event.error = whole.error;
            return outcome;
        }
        shared.resources[operation.key] = data;
        event.note(Breach::kForeignRemoval, whole.is(Breach::kForeignRemoval));
        call.at = At::kWriteReleased;
        return Outcome::kContinues;
    }
};

struct NeverNotifies : Sound {
    Outcome step(const LeaseCoordinator& leases, Shared& shared, Record& record, Call& call,
                 const Operation& operation, Event& event) const override {
        const auto notified = shared.notified;
        const Outcome outcome = Sound::step(leases, shared, record, call, operation, event);
        shared.notified = notified;
        return outcome;
    }
    void background(const LeaseCoordinator& leases, Shared& shared, Records<Record> records,
                    Action action, Event& event) const override {
        const auto notified = shared.notified;
        Sound::background(leases, shared, records, action, event);
        shared.notified = notified;
    }
};

// A bug of both ways to renew: the call `heartbeat` and what the module sends.
struct RowAgain;

template <class Renewal>
struct Renews : Sound {
    Outcome step(const LeaseCoordinator& leases, Shared& shared, Record& record, Call& call,
                 const Operation& operation, Event& event) const override {
        const bool renews = (call.at == At::kHeartbeat && leases.arrives_at_once()) ||
                            call.at == At::kHeartbeatArrives;
        const bool arrives = static_cast<StepFault>(operation.fault) != StepFault::kLostRequest;
        if (!renews || !arrives) {
            return Sound::step(leases, shared, record, call, operation, event);
        }
        const Renewal renewal(shared.rows[operation.key], record, operation.key);
        return Sound::step(leases, shared, record, call, operation, event);
    }
    void background(const LeaseCoordinator& leases, Shared& shared, Records<Record> records,
                    Action action, Event& event) const override {
        if (!is_about_renewal<LeaseCoordinator>(action, Doing::kHandle)) {
            return Sound::background(leases, shared, records, action, event);
        }
        const std::size_t key = LeaseCoordinator::key_of(action);
        const Renewal renewal(shared.rows[key], records[action.actor], key);
        Sound::background(leases, shared, records, action, event);
    }
    // A row that is inserted again and whose hook fails then has no deadline, not even an old one.
    bool is_relative() const override { return !std::is_same_v<Renewal, RowAgain>; }
};

// Whosever row it is looks like the client's own for as long as this lives.
class AnyRow {
  public:
    AnyRow(LeaseCoordinator::Row& row, const LeaseCoordinator::Record& record, std::size_t key)
        : row_(row), was_(row) {
        if (is_there()) {
            row.token = record.token[key];
            row.generation = was_.token == row.token ? was_.generation : record.generation[key];
        }
    }
    AnyRow(const AnyRow&) = delete;
    AnyRow& operator=(const AnyRow&) = delete;
    ~AnyRow() {
        if (is_there()) {
            row_.token = was_.token;
            row_.generation = was_.generation;
        }
    }

  private:
    [[nodiscard]] bool is_there() const { return was_.token != 0; }

    LeaseCoordinator::Row& row_;
    LeaseCoordinator::Row was_;
};

struct RowAgain {
    RowAgain(LeaseCoordinator::Row& row, LeaseCoordinator::Record& record, std::size_t key) {
        insert_again(row, record, key);
    }
};

struct CountsFromAnswer : Sound {
    Instant kept_deadline(Instant /*returned*/, std::int32_t now, std::int32_t ttl) const override {
        return instant(now + ttl);
    }
};

struct ForgetsToDelete : Sound {
    Outcome step(const LeaseCoordinator& leases, Shared& shared, Record& record, Call& call,
                 const Operation& operation, Event& event) const override {
        if (call.at != At::kRelease || !commits(operation)) {
            return Sound::step(leases, shared, record, call, operation, event);
        }
        static_cast<void>(met(shared.left, operation));
        leases.stop(shared, record, operation.key);
        return Outcome::kReleased;
    }
};

struct IgnoresLoss : Sound {
    void background(const LeaseCoordinator& leases, Shared& shared, Records<Record> records,
                    Action action, Event& event) const override {
        const std::size_t key = LeaseCoordinator::key_of(action);
        if (is_about_renewal<LeaseCoordinator>(action, Doing::kAnswer) &&
            records[action.actor].renewal[key].gone != 0) {
            Record& record = records[action.actor];
            record.renewal[key].gone = 0;
            record.renewal[key].sent =
                instant(record.deadline[key] + leases.renew_every(action.actor));
        }
        Sound::background(leases, shared, records, action, event);
    }
};

// WillInsert has a transaction of its own: when it fails, the row is there all the same.
struct HooksApart : Sound {
    Outcome step(const LeaseCoordinator& leases, Shared& shared, Record& record, Call& call,
                 const Operation& operation, Event& event) const override {
        const bool inserts = call.at == At::kInsert || call.at == At::kWaits;
        const std::size_t key = operation.key;
        const Outcome outcome = Sound::step(leases, shared, record, call, operation, event);
        if (inserts && event.error == static_cast<std::uint8_t>(Error::kHookFailed)) {
            leases.add_row(shared, event.caller, key, false, event);
            record.token[key] = shared.rows[key].token;
            record.generation[key] = shared.rows[key].generation;
            record.flags[key] = 0;
            record.renewal[key] = {};
        }
        return outcome;
    }
};

struct CancelsTheFirstOnly : Sound {
    bool passes_cancellation_on() const override { return false; }
};

struct ForgetsChildren : Sound {
    unsigned reaping(unsigned asked_for) const override {
        return asked_for & ~LeaseCoordinator::kWithChildren;
    }
};

struct ReapsOneNamespace : Sound {
    unsigned reaping(unsigned asked_for) const override {
        return asked_for & ~LeaseCoordinator::kOfUseCase;
    }
};

// INSERT ... ON CONFLICT DO NOTHING.
struct OnConflictDoNothing : Sound {
    bool upsert_renews() const override { return false; }
};

void forget_grace(LeaseCoordinatorOptions& options) { options.grace = 0; }
void ignore_row_count(LeaseCoordinatorOptions& options) {
    options.repairs = static_cast<std::uint16_t>(options.repairs & ~kCoCheckedRelease);
}

}  // namespace broken::coordinator

PlantedBugs<LeaseCoordinatorOptions> lease_coordinator_bugs() {
    using namespace broken;
    using namespace broken::coordinator;
    static constexpr PlantedBugs<LeaseCoordinatorOptions>::value_type kBugs[] = {
        {"forgets_grace", "belief-overlap", "the holder gives up at the deadline itself",
         forget_grace},
        {"releases_by_scope", "foreign-removal",
         "release deletes the row of the scope, whosever lease it is", follow<ReleasesByScope>},
        {"two_transactions", "unprotected-effect",
         "release deletes the row first, and writes the business data then",
         follow<TwoTransactions>},
        {"never_notifies", "deadlock", "nobody hears of a release", follow<NeverNotifies>},
        {"renews_by_scope", "belief-overlap",
         "a heartbeat extends the row of the scope, whosever lease it is", follow<Renews<AnyRow>>},
        {"renews_by_insert", "phantom", "a heartbeat that finds no row inserts it again",
         follow<Renews<RowAgain>>},
        {"writes_client_clock", "free-late",
         "the client's clock, not the database's, says when a row expires",
         follow<ExpiresByClientClock<Sound>>},
        kReapsByClientClock<LeaseCoordinatorOptions, Sound>,
        {"deadline_from_answer", "belief-overlap",
         "the holder counts its deadline from the answer, by its own clock",
         follow<CountsFromAnswer>},
        {"ignores_row_count", "false-ok", "release does not look whether it has deleted a row",
         ignore_row_count},
        {"forgets_to_delete", "phantom", "release ends the renewals and leaves the row",
         follow<ForgetsToDelete>},
        {"restarts_tokens", "token-order", "the numbers of lease keys begin again with each row",
         follow<RestartsTokens<Sound>>},
        kKeepsNoFence<LeaseCoordinatorOptions, Sound, At::kCommitWrite>,
        {"ignores_loss", "told-late",
         "the answer that the row is gone changes nothing, and the deadline moves on",
         follow<IgnoresLoss>},
        {"reaps_too_late", "free-late", "reaps rows a duration after their deadline",
         follow<ReapsTooLate<Sound>>},
        {"hooks_apart", "phantom",
         "WillInsert has a transaction of its own: when it fails the row stays",
         follow<HooksApart>},
        {"cancels_the_first_only", "unprotected-effect",
         "a nested call that is cancelled does not cancel the one that it has made",
         follow<CancelsTheFirstOnly>},
        {"forgets_children", "deadlock", "a reap with its children reaps the namespaces alone",
         follow<ForgetsChildren>},
        {"reaps_one_namespace", "deadlock", "a reap of several namespaces reaps the first alone",
         follow<ReapsOneNamespace>},
        {"on_conflict_do_nothing", "told-late",
         "an upsert that finds a row returns a new deadline, and leaves the row as it is",
         follow<OnConflictDoNothing>},
    };
    return kBugs;
}

}  // namespace lockkeeper::leases
