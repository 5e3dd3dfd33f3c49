#include "app/exit_code.hpp"
#include "app/validate.hpp"

namespace lockkeeper {

int validate_against(const Session& /*session*/) {
    throw UsageError("validate: --against is not there yet");
}

}  // namespace lockkeeper
