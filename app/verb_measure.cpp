#include "app/exit_code.hpp"
#include "app/verbs.hpp"

namespace lockkeeper {

int verb_measure(const Session& /*session*/) { throw UsageError("measure: not there yet"); }

}  // namespace lockkeeper
