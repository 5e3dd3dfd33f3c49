// SPDX-License-Identifier: Apache-2.0

// The requests that the page makes, by name: what each takes and answers stands in
// reports/web/src/serve_data.ts. Knows nothing of HTTP. Safe with threads.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "serve/exploration.hpp"
#include "serve/opened_files.hpp"

namespace lockkeeper {

struct Answer {
    int status = 200;  // as HTTP has them
    std::string json;
};
// {"error": {"message": ...}}
[[nodiscard]] Answer refusal(int status, const std::string& message);

class Api {
  public:
    struct Surroundings {
        std::optional<std::string> out_directory;  // where files may be saved; none: nowhere
        ExplorationLimits exploration;
    };

    // `files` must outlive this.
    Api(OpenedFiles& files, Surroundings around);

    // `body`: an object, untrusted.
    [[nodiscard]] Answer answer(std::string_view name, const std::string& body);
    [[nodiscard]] Exploration& exploration() { return exploration_; }

  private:
    friend class Request;

    OpenedFiles& files_;
    Surroundings around_;
    Exploration exploration_;
};

}  // namespace lockkeeper
