// SPDX-License-Identifier: Apache-2.0

// Completion for shells, from the tables of verbs and flags: verbs, flags, the words that a flag
// takes, names of systems, properties and models, files. Scripts without any call of the command,
// so that a key costs nothing. No errors.
#pragma once

#include <string>
#include <vector>

#include "app/flags.hpp"
#include "app/verbs.hpp"

namespace lockkeeper {

// The names that scripts contain: systems, properties and models that ship with the command.
class CompletionNames {
  public:
    explicit CompletionNames(const Registry& registry);

    // The names for a flag's value; empty: files, directories, or nothing that is known.
    [[nodiscard]] std::vector<std::string> of(const FlagValue& value) const;
    // The names for `list`.
    [[nodiscard]] const std::vector<std::string>& listed() const { return listed_; }

  private:
    std::vector<std::string> systems_;
    std::vector<std::string> properties_;
    std::vector<std::string> models_;
    std::vector<std::string> listed_;
};

[[nodiscard]] std::string bash_completion(const CompletionNames& names);
[[nodiscard]] std::string zsh_completion(const CompletionNames& names);
[[nodiscard]] std::string fish_completion(const CompletionNames& names);

}  // namespace lockkeeper
