// Which of the ways in it is; each has a file of its own.
#include "app/exit_code.hpp"
#include "app/validate.hpp"
#include "app/verbs.hpp"

namespace lockkeeper {

int verb_validate(const Session& session) {
    const ValidateFlags& flags = session.options.validate;
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
