// Which statement a step of the model is. The words of a step are what the model's reports say
// (describe_step in impl/transactional and impl/leases): one label, one line, one statement. A step
// that is not in the table is an error of the harness, so a changed wording is seen at once. Of
// leases what happens beside the calls is such a step, too (lease_step.cpp).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "databases/subject.hpp"

namespace lockkeeper::databases {

enum class Step : std::uint8_t {
    kNothing,  // of the caller alone: effects outside, sleep, signals
    kBegin,
    kLock,
    kGoesOn,  // the lock statement that waited
    kGuard,
    kGiveUp,
    kEnd,         // COMMIT, or ROLLBACK because of an error before
    kCommitEnds,  // the second half of COMMIT, at the server
    kAcknowledge,
    kAsk,
    kInnerEnd,
    kInnerError,
    kJoin,
    kRollBack,
    kRead,
    kWrite,
    kEffect,
    kLook,
    kFail,
    kSavepoint,
    kOpenNew,  // a savepoint, for a block with a transaction of its own
    kRollBackTo,
    kReleaseSavepoint,
    kCount,
    kDelete,
    kDeleteEnds,
    kRowFirst,
    kCheckOut,
    kPooledLock,
    kUnlock,
    kPutBack,
    // Of leases, by callers:
    kCallPick,
    kLeaseInsert,
    kCallMark,
    kRenewalsBegin,
    kPickCommit,
    kLeaseCommit,
    kLeaseReply,
    kLeaseDelete,
    kLeaseCleanUp,  // also by itself
    kRowDeleted,    // by anybody, whosever it is
    kWriteSent,     // and there at once where nothing takes time
    kWriteArrives,
    kComplete,
    kCompleteCommit,
    kExits,
    kOrphaned,  // no answer: its controller has crashed
    // Of leases, beside the calls:
    kRenewalSent,
    kRenewalHandled,
    kRenewalAnswered,
    kGivenUp,  // by the client: no answer, its own deadline, or a broken connection
    kReplyLost,
    kRenewalReset,  // and the request with it
    kReap,
    kNotice,  // a call that executes without a lease
    kLate,    // an insert that its caller has given up
    kClockForward,
    kClockBack,
    kRowLocked,  // by a transaction of somebody else
    kRowUnlocked,
    kRenewalGoesOn,  // that has waited for its row
    kRenewalCut,     // by its statement time-out
    kControllerCrashed,
};

// What goes wrong with a caller's step, of leases.
enum class StepFault : std::uint8_t {
    kNone,
    kRequestLost,
    kReplyLost,
    kSlowCommit,
    kSmallToken,
    kRequestLate,
};

class UnknownStep : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

struct ModelStep {
    Step step = Step::kNothing;
    bool in_call_begin = false;  // kBegin, kJoin: of `begin`, not of an acquire
    std::string text;            // as a report says it
    StepFault fault = StepFault::kNone;
    std::size_t key = 0;  // of leases, beside the calls
};

// Of the actor's step in this state, enabled or not; of leases, of any action. Throws UnknownStep.
[[nodiscard]] ModelStep step_of(const Subject& subject, const ErasedSystem::State& state,
                                Action action);

[[nodiscard]] ModelStep lease_step_of(const Subject& subject, const ErasedSystem::State& state,
                                      Action action);

// It goes on at the server, without its caller: the walk takes it at once.
[[nodiscard]] constexpr bool is_at_server(Step step) {
    return step == Step::kGoesOn || step == Step::kDelete || step == Step::kDeleteEnds;
}

// What the model's server does by itself, beside the callers' statements: arguments of kBackground
// (impl/transactional/transaction_background.cpp). From kLostLooks on of a session that a living
// caller has lost.
enum Background : std::uint16_t {
    kLooksForDeadlock,
    kTimesOut,
    kNoticesDead,
    kLostLooks,
    kLostTimesOut,
    kLostGoesOn,
    kNoticesLost,
    kDeadGoesOn,  // InnoDB: the insert of a dead caller
};
[[nodiscard]] constexpr bool is_of_lost(std::uint16_t what) {
    return what >= kLostLooks && what <= kNoticesLost;
}
[[nodiscard]] constexpr bool looks(std::uint16_t what) {
    return what == kLooksForDeadlock || what == kLostLooks;
}
// Arguments of kDisturb and kFault, as in impl/transactional/transaction_words.hpp.
inline constexpr std::uint16_t kLosesConnection = 2;
inline constexpr std::uint16_t kRequestLost = 3;
inline constexpr std::uint16_t kAnswerLost = 4;
// A statement of a caller, or its answer, is lost with the connection.
[[nodiscard]] constexpr bool loses_connection(Action action) {
    return (action.kind == ActionKind::kFault && action.argument >= kRequestLost) ||
           (action.kind == ActionKind::kDisturb && action.argument == kLosesConnection);
}

// What may wait for a lock, and for how long is said to the server before.
[[nodiscard]] constexpr bool has_timers(Step step) {
    return step == Step::kLock || step == Step::kDelete || step == Step::kDeleteEnds;
}

// For the tables of texts: where the text of a step begins (whole: and ends) so, it is this one.
struct StepRow {
    std::string_view begins;
    Step step;
    bool whole = false;
};
// Drops `beginning` from the text; false: it does not begin so.
inline bool take_prefix(std::string_view& text, std::string_view beginning) {
    const bool fits = text.substr(0, beginning.size()) == beginning;
    text.remove_prefix(fits ? beginning.size() : 0);
    return fits;
}

}  // namespace lockkeeper::databases
