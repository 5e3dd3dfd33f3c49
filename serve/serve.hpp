// SPDX-License-Identifier: Apache-2.0

// The explorer and the playground, from the command line to Ctrl-C. Called by the verbs `serve` and
// `playground`.
#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/find_files.hpp"
#include "scenarios/registry/overlay.hpp"
#include "serve/exploration.hpp"
#include "work/program_job.hpp"

namespace lockkeeper {

using OpensOutside = std::function<ProgramJob(const std::string& file)>;

struct ServeRequest {
    std::vector<InputFile> files;  // scenarios and traces
    // Outside code to which all of them are put; null: they are models'. Throws BadInput.
    OpensOutside outside;
    Overlay overlay;
    std::optional<std::string> out_directory;  // where the page may save; none: nowhere
    ExplorationLimits exploration;
    int port = 0;            // 0: any that is free
    int out_descriptor = 1;  // of `out`: stdout
};

// Prints the address once everything is open, and answers until an interrupt, or until nobody can
// read the address any more. `complain`: is told which file cannot be opened, with which it ends.
// Returns the exit code. UsageError: this build has no page, or the port cannot be had.
[[nodiscard]] int serve(const Registry& registry, ServeRequest request, std::ostream& out,
                        const std::function<void(const std::string&)>& complain);

struct PlaygroundRequest {
    std::string folder;  // read_playground() (http_playground.hpp)
    int port = 0;        // 0: any that is free
    int out_descriptor = 1;
};

// The same way. BadInput: the folder has no playground.
[[nodiscard]] int serve_playground(const PlaygroundRequest& request, std::ostream& out,
                                   const std::function<void(const std::string&)>& complain);

}  // namespace lockkeeper
