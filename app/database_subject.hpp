// A scenario as something that a database server can be driven with beside its model; or why not.
// Used by `validate --server` and its tests.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "app/job.hpp"
#include "validate/servers/subject.hpp"

namespace lockkeeper {

// One sentence.
struct NotExpressible {
    std::string because;
};

[[nodiscard]] std::variant<databases::Subject, NotExpressible> database_subject(
    const Job& job, databases::Engine engine);

// The scenario's own order or schedule; or of an exploration the shortest run to each violation.
[[nodiscard]] std::vector<Schedule> own_schedules(const Job& job);

}  // namespace lockkeeper
