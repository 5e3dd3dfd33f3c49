// SPDX-License-Identifier: Apache-2.0

// Any bytes as a scenario file: a Scenario or an InputError, and what is accepted must survive
// writing and reading. Seeds: the scenario files (run with scenarios/ as a corpus directory).
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <variant>

#include "scenarios/scenario.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto parsed = lockkeeper::parse_scenario(text, "input");
    const auto* scenario = std::get_if<lockkeeper::Scenario>(&parsed);
    if (scenario == nullptr) {
        return 0;
    }
    const std::string written = lockkeeper::to_json_text(*scenario);
    // Written out, a script can be longer than a file may be.
    if (written.size() > lockkeeper::kScenarioBytesMax) {
        return 0;
    }
    const auto again = lockkeeper::parse_scenario(written, "written");
    if (!std::holds_alternative<lockkeeper::Scenario>(again) ||
        lockkeeper::to_json_text(std::get<lockkeeper::Scenario>(again)) != written) {
        std::abort();
    }
    return 0;
}
