// SPDX-License-Identifier: Apache-2.0

// Any bytes as a trace file (or a scenario, which `replay` takes, too): something to replay, or an
// InputError of one line. What is accepted must name the same scenario when it is written again.
// Seeds: trace files made by `lockkeeper explore scenarios --out DIR`.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <variant>

#include "work/trace_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lockkeeper;
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto parsed = parse_replayable(text, "input.trace.json");
    if (const auto* error = std::get_if<InputError>(&parsed)) {
        if (error->text().find('\n') != std::string::npos) {
            std::abort();
        }
        return 0;
    }
    const auto* trace = std::get_if<RecordedTrace>(&parsed);
    if (trace == nullptr) {
        return 0;
    }
    const std::string written = to_json_text(trace->scenario);
    if (written.size() > kScenarioBytesMax) {
        return 0;
    }
    const auto again = parse_scenario(written, "written");
    if (!std::holds_alternative<Scenario>(again) ||
        identity_of(std::get<Scenario>(again)) != identity_of(trace->scenario)) {
        std::abort();
    }
    return 0;
}
