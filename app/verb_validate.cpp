// Which of the ways in it is; each has a file of its own.
#include "app/exit_code.hpp"
#include "app/validate.hpp"
#include "app/verbs.hpp"

namespace lockkeeper {

int verb_validate(const Session& session) {
    const ValidateFlags& flags = session.options.validate;
    // A program may be compared; otherwise each way is one of its own.
    const int ways =
        (flags.history ? 1 : 0) + (flags.server ? 1 : 0) + (flags.program || flags.against ? 1 : 0);
    if (ways > 1) {
        throw UsageError(
            "validate: --history, --server, --program and --against are different ways; only "
            "--program and --against go together");
    }
    if (flags.against && flags.program) {
        if (flags.level || flags.search || flags.preemptions_max || flags.replay_choices) {
            throw UsageError(
                "validate: --against drives a program by random schedules, step by step: --level, "
                "--search, --preemptions and --replay-choices do not go with it");
        }
        return validate_against(session);
    }
    if (flags.history) {
        return validate_history(session);
    }
    if (flags.program) {
        return validate_program(session);
    }
    if (flags.server) {
        return validate_database(session);
    }
    if (flags.against) {
        return validate_against(session);
    }
    throw UsageError("validate: one of --history, --program, --server, --against is needed");
}

}  // namespace lockkeeper
