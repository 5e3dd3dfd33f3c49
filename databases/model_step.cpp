#include "databases/model_step.hpp"

#include <string_view>

namespace lockkeeper::databases {
namespace {

// The first that fits.
constexpr StepRow kRows[] = {
    {"BEGIN", Step::kBegin, true},
    {"joins; lock ", Step::kLock},
    {"joins", Step::kJoin, true},
    {"lock ", Step::kLock},
    {"the lock statement of ", Step::kGoesOn},
    {"SAVEPOINT for the block", Step::kGuard, true},
    {"ROLLBACK, the lock was not granted", Step::kGiveUp, true},
    {"an inner block ends, nothing is sent", Step::kInnerEnd, true},
    {"an inner block ends: is the connection there?", Step::kInnerEnd, true},
    {"the block ends by what it got, or COMMIT", Step::kEnd, true},
    {"COMMIT", Step::kUnlock, true},
    {"COMMIT, the changes become visible", Step::kEnd, true},
    {"COMMIT, the locks are released", Step::kCommitEnds, true},
    {"the COMMIT is acknowledged", Step::kAcknowledge, true},
    {"ask what became of the COMMIT", Step::kAsk, true},
    {"the block ends: RELEASE of its savepoint, or ROLLBACK TO it", Step::kInnerEnd, true},
    {"an error leaves an inner block", Step::kInnerError, true},
    {"ROLLBACK TO the savepoint of the block", Step::kInnerError, true},
    {"SAVEPOINT for a block with its own transaction", Step::kOpenNew, true},
    {"ROLLBACK", Step::kRollBack, true},
    {"read what ", Step::kRead},
    {"write what ", Step::kWrite},
    {"effect outside of the database", Step::kEffect},
    {"look at the data without a lock", Step::kLook, true},
    {"a statement with an error", Step::kFail, true},
    {"SAVEPOINT", Step::kSavepoint, true},
    {"ROLLBACK TO SAVEPOINT", Step::kRollBackTo, true},
    {"RELEASE SAVEPOINT", Step::kReleaseSavepoint, true},
    {"clean-up: count the rows", Step::kCount, true},
    {"clean-up: delete the row of ", Step::kDelete},
    {"clean-up: the DELETE ends", Step::kDeleteEnds, true},
    {"insert the row of ", Step::kRowFirst},
    {"take a connection", Step::kCheckOut, true},
    {"unlock ", Step::kUnlock},
    {"put the connection back", Step::kPutBack, true},
    {"for ", Step::kNothing},
    {"wake up", Step::kNothing, true},
    {"signal", Step::kNothing},
    {"wait", Step::kNothing},
    {"idle", Step::kNothing, true},
};

}  // namespace

ModelStep step_of(const Subject& subject, const ErasedSystem::State& state, Action action) {
    if (subject.leases) {
        return lease_step_of(subject, state, action);
    }
    const std::string full = subject.system.describe(state, {action.actor, ActionKind::kStep, 0});
    std::string_view text = full;
    take_prefix(text, subject.world.callers[action.actor].name);
    take_prefix(text, " ");
    const bool acquires = take_prefix(text, "acquire: ");
    (void)(take_prefix(text, "release: ") || take_prefix(text, "sleep: "));
    if (subject.connections > 0 && text.substr(0, 5) == "lock ") {
        return {Step::kPooledLock, false, full};
    }
    for (const StepRow& row : kRows) {
        if (row.whole ? text == row.begins : text.substr(0, row.begins.size()) == row.begins) {
            return {row.step, !acquires, full};
        }
    }
    throw UnknownStep("a step that is no statement: \"" + full + "\"");
}

}  // namespace lockkeeper::databases
