// Which statement a step of lease_db is: its callers', the renewals', the reaper's, and what goes
// wrong.
#include <string_view>

#include "databases/model_step.hpp"
#include "model/observation.hpp"

namespace lockkeeper::databases {
namespace {

// The first that fits.
constexpr StepRow kCallerRows[] = {
    {"pick ", Step::kCallPick},
    {"insert ", Step::kLeaseInsert},
    {"the insert of ", Step::kGoesOn},
    {"set ", Step::kCallMark},
    {"the update of ", Step::kGoesOn},
    {"renewals of ", Step::kRenewalsBegin},
    {"COMMIT of the pick", Step::kPickCommit},
    {"COMMIT of the completion", Step::kCompleteCommit},
    {"COMMIT", Step::kLeaseCommit},
    {"the answer arrives", Step::kLeaseReply},
    {"delete what may have been left of ", Step::kLeaseCleanUp},
    {"the delete of ", Step::kGoesOn},
    {"no answer for ", Step::kOrphaned},
    {"delete the row of ", Step::kRowDeleted},
    {"delete ", Step::kLeaseDelete},
    {"write: ", Step::kWriteSent},
    {"the write to ", Step::kWriteArrives},
    {"complete ", Step::kComplete},
    {"reap what has expired", Step::kReap},
    {"stop renewing ", Step::kNothing},
    {"until ", Step::kNothing},
    {"wake up", Step::kNothing},
    {"signal", Step::kNothing},
    {"wait", Step::kNothing},
    {"exits", Step::kExits},
    {"idle", Step::kNothing},
};

// %: the key; @: the actor.
constexpr StepRow kOtherRows[] = {
    {"@ sends the renewal of %", Step::kRenewalSent},
    {"the renewal of % by @ is handled", Step::kRenewalHandled},
    {"the renewal of % by @ goes on", Step::kRenewalGoesOn},
    {"the time-out of the renewal of % by @ cuts it", Step::kRenewalCut},
    {"the answer to the renewal of % reaches @", Step::kRenewalAnswered},
    {"@ gives up %: no answer in time", Step::kGivenUp},
    {"@ gives up %: its own deadline has come", Step::kGivenUp},
    {"@ gives up %: its stream has ended", Step::kGivenUp},
    {"reap what has expired", Step::kReap},
    {"@ removes what it left of %", Step::kLeaseCleanUp},
    {"clean up: % executes without a lease, it has failed", Step::kNotice},
    {"what @ asked for % arrives late", Step::kLate},
    {"the renewal of @ is lost on its way", Step::kNothing},
    {"the answer to the renewal of @ is lost", Step::kReplyLost},
    {"somebody deletes the record", Step::kRowDeleted},
    {"another transaction looks at the record, FOR SHARE", Step::kRowLocked},
    {"the transaction that looked at % ends", Step::kRowUnlocked},
    {"controller 1 crashes, and starts again", Step::kControllerCrashed},
    {"controller 2 crashes, and starts again", Step::kControllerCrashed},
    {"the server's clock jumps forward", Step::kClockForward},
    {"the server's clock jumps back", Step::kClockBack},
    {"the connection of @ breaks, the service knows at once", Step::kRenewalReset},
    {"the connection of @ breaks, the service does not know", Step::kGivenUp},
};

struct FaultRow {
    std::string_view ends;
    StepFault fault;
};
constexpr FaultRow kFaults[] = {
    {" [request lost]", StepFault::kRequestLost},
    {" [applied, but the answer is lost]", StepFault::kReplyLost},
    {" [slow COMMIT]", StepFault::kSlowCommit},
    {" [draws a small token]", StepFault::kSmallToken},
    {" [the request is late, and counts as lost]", StepFault::kRequestLate},
};

StepFault fault_of(std::string_view text) {
    for (const FaultRow& row : kFaults) {
        if (text.size() > row.ends.size() &&
            text.substr(text.size() - row.ends.size()) == row.ends) {
            return row.fault;
        }
    }
    throw UnknownStep("a fault that no statement can meet: \"" + std::string(text) + "\"");
}

std::string filled_in(std::string_view pattern, const std::string& actor, const std::string& key) {
    std::string out;
    for (const char letter : pattern) {
        out += letter == '@' ? actor : letter == '%' ? key : std::string(1, letter);
    }
    return out;
}

}  // namespace

ModelStep lease_step_of(const Subject& subject, const ErasedSystem::State& state, Action action) {
    const std::string full = subject.system.describe(state, action);
    if (action.kind == ActionKind::kTime || action.kind == ActionKind::kCrash) {
        return {Step::kNothing, false, full};
    }
    if (action.kind == ActionKind::kBackground || action.kind == ActionKind::kDisturb) {
        // As impl/leases/lease_side.hpp has it; of a controller it is its number, and no key.
        const std::size_t number = action.argument % kKeysMax;
        const std::size_t key = number < subject.keys.size() ? number : 0;
        const std::string& name = subject.keys[key].name;
        for (const StepRow& row : kOtherRows) {
            if (full == filled_in(row.begins, subject.world.callers[action.actor].name, name)) {
                return {row.step, false, full, StepFault::kNone, key};
            }
        }
        throw UnknownStep("nothing that a server can be told: \"" + full + "\"");
    }
    std::string_view text = full;
    take_prefix(text, subject.world.callers[action.actor].name);
    take_prefix(text, " ");
    for (const char* verb : {"acquire: ", "release: ", "sleep: "}) {
        take_prefix(text, verb);
    }
    const StepFault fault = action.kind == ActionKind::kFault ? fault_of(full) : StepFault::kNone;
    for (const StepRow& row : kCallerRows) {
        if (text.substr(0, row.begins.size()) == row.begins) {
            return {row.step, false, full, fault, 0};
        }
    }
    throw UnknownStep("a step that is no statement: \"" + full + "\"");
}

}  // namespace lockkeeper::databases
