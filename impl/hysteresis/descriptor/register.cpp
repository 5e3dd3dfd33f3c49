// SPDX-License-Identifier: Apache-2.0
#include "impl/hysteresis/hysteresis_semaphore.hpp"
#include "scenarios/registry/register_lock.hpp"
#include "scenarios/registry/repairs.hpp"

namespace lockkeeper {
namespace {

using namespace hysteresis;

constexpr NamedRepair kRepairs[] = {{"exact_limit", 1}};

Vocabulary vocabulary() {
    Vocabulary words;
    words.parameters = {
        {"margin", 0, 200, 2, "it accepts again when so many less than the limit are held"}};
    words.format_keys = {FormatKey::kPlaces};
    return words;
}

HysteresisSemaphore made(const Scenario& scenario) {
    Options options;
    options.keys = scenario.world.keys;
    options.margin = scenario.parameters.own.at("margin");
    options.exact_limit = repairs_of<std::uint8_t>(scenario, kRepairs) != 0;
    return HysteresisSemaphore(options);
}

constexpr LockLimits kLimits{.buckets = 1, .max_per = 200};

}  // namespace

void register_hysteresis(Registry& registry) {
    const SystemDescription semaphore{
        "hysteresis", "faithful",
        "a semaphore that takes one too many, and then refuses until there is some room", "",
        vocabulary()};
    register_lock(registry, semaphore, made, kLimits);
    register_lock(registry, repaired(semaphore, kRepairs, "the same with a limit that is exact"),
                  made, kLimits);
}

}  // namespace lockkeeper
