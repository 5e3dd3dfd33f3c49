// Everything that `measure` does with one file: law, sweep, comparison, verdict, files. Called by
// the verb, which prints what comes back.
#pragma once

#include "app/measure_job.hpp"

namespace lockkeeper {

// `number`: of the file in the command, from 0; files written for later ones have it in their
// name. Prints the first lines of the report, because measuring may take long. Errors: BadInput,
// UsageError.
[[nodiscard]] MeasureReport measure_file(const Session& session, const std::string& file,
                                         std::size_t number);

// The command that gives the same figures again. What the file and the environment say is left to
// them, apart from seed and law.
[[nodiscard]] std::string repeat_command(const Session& session, const MeasureReport& report);

}  // namespace lockkeeper
