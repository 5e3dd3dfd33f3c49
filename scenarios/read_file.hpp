// The text of a file that somebody named: for the readers of scenarios and traces.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <variant>

#include "scenarios/scenario.hpp"

namespace lockkeeper {

// At most one byte more than `bytes_max`, which is how the reader knows that there is too much. A
// file that is missing or cannot be read is an InputError.
[[nodiscard]] std::variant<std::string, InputError> read_file(const std::string& file,
                                                              std::size_t bytes_max);
// The same of what is open already; `file` is only named.
[[nodiscard]] std::variant<std::string, InputError> read_stream(std::istream& stream,
                                                                const std::string& file,
                                                                std::size_t bytes_max);

}  // namespace lockkeeper
