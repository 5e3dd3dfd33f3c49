#include "app/exit_code.hpp"
#include "app/validate.hpp"

namespace lockkeeper {

int validate_history(const Session& /*session*/) {
    throw UsageError("validate: --history is not there yet");
}

}  // namespace lockkeeper
