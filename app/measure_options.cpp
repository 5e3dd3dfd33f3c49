#include "app/measure_options.hpp"

#include <CLI/CLI.hpp>

namespace lockkeeper {

void add_measure_flags(CLI::App& /*command*/, MeasureFlags& /*flags*/) {}

}  // namespace lockkeeper
