// SPDX-License-Identifier: Apache-2.0

// Models as `lockkeeper explain --model` takes them.
#include <algorithm>

#include <fmt/format.h>

#include "scenarios/bad_input.hpp"
#include "scenarios/units.hpp"
#include "validate/logs/problem.hpp"

namespace lockkeeper::logs {
namespace {

// "15s" is 15, "500ms" is 0.5, as the command line takes them, and "5us": the unit of models of
// logs is a second. Other words stay.
std::string in_seconds(const std::string& word) {
    const std::size_t unit = word.find_first_not_of("0123456789.");
    if (unit == std::string::npos || unit == 0) {
        return word;
    }
    const std::string name = word.substr(unit);
    if (name == "us" || name == "ns") {
        return word.substr(0, unit) + (name == "us" ? "e-6" : "e-9");
    }
    const auto seconds = parse_duration(word);
    return seconds ? fmt::format("{}", *seconds) : word;
}

std::string without_units(const std::string& text) {
    std::string out;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find_first_of(":,=", begin), text.size());
        out += in_seconds(text.substr(begin, end - begin)) + text.substr(end, 1);
        begin = end + 1;
    }
    return out;
}

}  // namespace

ModelChoice model_of_logs(const std::string& text) {
    const auto parsed = parse_model(without_units(text));
    if (const auto* error = std::get_if<ModelError>(&parsed)) {
        const bool is_system = text.find('/') != std::string::npos;
        throw UsageError("--model: " +
                         (is_system ? text + ": explaining by a system's own steps is not there "
                                             "yet; take a model of histories: mutex, semaphore:3, "
                                             "lease:ttl=15s"
                                    : error->message));
    }
    ModelChoice choice = std::get<ModelChoice>(parsed);
    switch (choice.kind) {
        case ModelKind::kMutex:
        case ModelKind::kOwnerAwareMutex:
        case ModelKind::kReentrantMutex:
        case ModelKind::kSemaphore:
        case ModelKind::kLease: break;
        default:
            throw UsageError("--model: " + std::string(description_of(choice.kind).name) +
                             ": this model judges histories, and cannot explain logs yet; "
                             "mutex, owner-aware-mutex, reentrant-mutex, semaphore:N and "
                             "lease:ttl=15s can");
    }
    TimeScale scale;
    scale.digits = kTimeDigitsMax;
    scale.ticks_per_unit = kNanosecondsPerSecond;
    const auto scaled = in_ticks_of(scale, choice);
    if (!scaled) {
        throw UsageError("--model: " + text + ": a time has no room");
    }
    choice = *scaled;
    if (choice.kind == ModelKind::kLease && choice.ttl <= 0) {
        throw UsageError("--model: " + text + ": how long a lease lasts is missing: lease:ttl=15s");
    }
    choice.judges_refusals = true;
    choice.judges_effects = true;
    return choice;
}

}  // namespace lockkeeper::logs
