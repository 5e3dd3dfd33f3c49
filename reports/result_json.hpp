// The JSON document that `--format json` makes of stdout; its schema is published as
// reports/schema/result.schema.json and holds for run, replay, explore and fuzz.
//
// One shape for one file and for many: the keys at the top are totals, `violations` has all of
// them (each names its file), `files` one entry a file. Text that is not UTF-8 is replaced.
#pragma once

#include <string>
#include <vector>

#include "reports/run_report.hpp"

namespace lockkeeper {

inline constexpr int kResultVersion = 1;

// `exit_code` is that of the whole command. Ends with a line end.
[[nodiscard]] std::string result_document(const std::string& command,
                                          const std::vector<RunReport>& reports, int exit_code);

}  // namespace lockkeeper
