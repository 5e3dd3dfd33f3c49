// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/beside_command.hpp"
#include "app/verbs.hpp"
#include "scenarios/bad_input.hpp"
#include "serve/serve.hpp"

namespace lockkeeper {

namespace fs = std::filesystem;

std::string playground_folder(const fs::path& command, const std::vector<std::string>& asked) {
    if (asked.size() > 1) {
        throw UsageError("playground: one folder, and no more");
    }
    if (!asked.empty()) {
        return asked.front();
    }
    const auto [installed, sources] = roots_beside(command);
    const fs::path folders[] = {installed / "playground", sources / "build/playground"};
    for (const fs::path& folder : folders) {
        std::error_code error;
        if (fs::is_regular_file(folder / "index.html", error)) {
            return folder.string();
        }
    }
    throw UsageError(fmt::format(
        "playground: it is neither in {} nor in {}; `make playground` in the sources makes it",
        folders[0].string(), folders[1].string()));
}

int verb_playground(const Session& session) {
    return serve_playground(
        {playground_folder(this_command(), session.options.files), session.options.port},
        session.out, [&](const std::string& line) { session.complain(line); });
}

}  // namespace lockkeeper
