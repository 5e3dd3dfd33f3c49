// SPDX-License-Identifier: Apache-2.0

// The playground (wasm/README.md) over HTTP, on the loopback interface only: static files of one
// folder, read whole before the server listens, so that no address reaches another file. Called by
// the verb `playground`. There is nothing in it that a stranger may not see: its address has no
// token, and stays the same when the port does.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "serve/http_answers.hpp"

namespace lockkeeper {

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
