// SPDX-License-Identifier: Apache-2.0

// Text files that a command writes, claimed before it works (scheduler/base/output_file.hpp).
// Errors: OutputError.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "scheduler/base/output_file.hpp"

namespace lockkeeper {

// A text file; or stdout, which is written to and not replaced, by the name /dev/stdout.
class TextOutput {
  public:
    TextOutput(std::ostream& standard, std::string path, OutputRule rule);
    [[nodiscard]] const std::string& path() const { return path_; }
    void write(std::string_view text);

  private:
    std::ostream& standard_;
    std::string path_;
    std::optional<OutputClaim> claim_;
};

// Made where there is none. OutputError where it cannot be written to.
void make_directory(const std::string& path);

}  // namespace lockkeeper
