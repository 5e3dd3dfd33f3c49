// The last line of `measure`.
#pragma once

#include "app/session.hpp"

namespace lockkeeper {

// The command that gives the same figures again. What the file and the environment say is left to
// them, apart from seed and law.
[[nodiscard]] std::string repeat_command(const Session& session, const RunReport& report);

}  // namespace lockkeeper
