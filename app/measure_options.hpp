// The flags of `measure` that no other verb has.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lockkeeper {

struct MeasureFlags {};

// A value that is wrong ends in a UsageError, which names the flag.
void add_measure_flags(CLI::App& command, MeasureFlags& flags);

}  // namespace lockkeeper
