// What stdout has with --format json when a command ends before it has a result: one document, as
// always. Schema: reports/schema/error.schema.json. The same message is on stderr.
#pragma once

#include <string>
#include <vector>

#include "app/options.hpp"
#include "app/session.hpp"

namespace lockkeeper {

[[nodiscard]] std::string error_document(int exit_code, const std::string& message);

// The last --format, else the variable's, whatever else is wrong with the command line.
[[nodiscard]] bool asks_for_json(const std::vector<std::string>& arguments,
                                 const Environment& environment);

// The line on stderr and, where it is asked for, the document. Returns the exit code.
[[nodiscard]] int end_without_result(const Session& session, int exit_code,
                                     const std::string& message);

}  // namespace lockkeeper
