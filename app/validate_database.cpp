#include "app/exit_code.hpp"
#include "app/validate.hpp"

namespace lockkeeper {

int validate_database(const Session& /*session*/) {
    throw UsageError("validate: --database is not there yet");
}

}  // namespace lockkeeper
