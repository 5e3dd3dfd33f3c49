// A scenario of the canal lock as something that the original's table can be driven with beside the
// model; or why not. Used by `validate --server erlang`.
#pragma once

#include <variant>

#include "app/database_subject.hpp"
#include "validate/erlang/canal_subject.hpp"

namespace lockkeeper {

[[nodiscard]] std::variant<erlang::CanalSubject, NotExpressible> canal_subject(const Job& job);

}  // namespace lockkeeper
