// SPDX-License-Identifier: Apache-2.0

// The explorer and the playground, from the command line to Ctrl-C. Called by the verbs `serve` and
// `playground`.
#pragma once

#include <functional>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/find_files.hpp"
#include "scenarios/registry/overlay.hpp"
#include "serve/exploration.hpp"
#include "serve/http_answers.hpp"
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
    std::string folder;  // see answer_playground
    int port = 0;        // 0: any that is free
    int out_descriptor = 1;
};

// The same way. BadInput: the folder has no playground.
[[nodiscard]] int serve_playground(const PlaygroundRequest& request, std::ostream& out,
                                   const std::function<void(const std::string&)>& complain);

// The playground (wasm/README.md) over HTTP, on the loopback interface only: static files of one
// folder, read whole before the server listens, so that no address reaches another file. Called by
// the verb `playground`. There is nothing in it that a stranger may not see: its address has no
// token, and stays the same when the port does.

inline constexpr std::size_t kPlaygroundFilesMax = 1'000;
inline constexpr std::size_t kPlaygroundBytesMax = 256U << 20U;

// By their paths in the folder, with '/': "assets/page.js". BadInput: there is no index.html, a
// file cannot be read, or there is more than the limits.
using PlaygroundFiles = std::map<std::string, std::string, std::less<>>;
[[nodiscard]] PlaygroundFiles read_playground(const std::string& folder);

// GET and no more. "/" is index.html.
class PlaygroundAnswers : public HttpAnswers {
  public:
    explicit PlaygroundAnswers(PlaygroundFiles files) : files_(std::move(files)) {}

    [[nodiscard]] std::string begin_of_paths() const override { return "/"; }
    [[nodiscard]] HttpResponse answer(const HttpRequest& request) override;

  private:
    [[nodiscard]] std::optional<Answer> why_not(const HttpHead& head) const override;

    PlaygroundFiles files_;
};

}  // namespace lockkeeper
