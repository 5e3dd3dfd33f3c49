#include "app/exit_code.hpp"
#include "app/validate.hpp"

namespace lockkeeper {

int validate_program(const Session& /*session*/) {
    throw UsageError("validate: --program is not there yet");
}

}  // namespace lockkeeper
