// SPDX-License-Identifier: Apache-2.0

// A test program of one's own, with Lockkeeper as a library: explores the lock as the scenario file
// says, and compares with the verdict that the file expects.
#include <cstdio>
#include <string>
#include <variant>

#include "connection_limiter.hpp"
#include "scenarios/registry/job.hpp"
#include "scenarios/registry/register_lock.hpp"

namespace {

using namespace lockkeeper;

// The exit code: 0 as expected, 1 otherwise, 2 the file is refused.
int compare(const Registry& registry, const std::string& file) {
    auto loaded = load_scenario(file);
    if (const auto* error = std::get_if<InputError>(&loaded)) {
        std::printf("%s\n", error->text().c_str());
        return 2;
    }
    const auto made = make_job(registry, std::get<Scenario>(loaded));
    if (const auto* error = std::get_if<InputError>(&made)) {
        std::printf("%s\n", error->text().c_str());
        return 2;
    }
    const Job& job = std::get<Job>(made);
    const ExploreResult result = job.runner->explore(explore_options_of(job));
    std::printf("%s: %s, %llu states\n", file.c_str(), std::string(name_of(result.verdict)).c_str(),
                static_cast<unsigned long long>(result.states));
    return result.verdict.index() == job.scenario.expect.verdict.index() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    using namespace my_service;
    if (argc != 2) {
        std::puts("usage: check_lock SCENARIO");
        return 2;
    }
    Registry registry;
    register_lock(registry, {"connection_limiter", "wrong", "writes what it has read, plus 1"},
                  ConnectionLimiter(Write::kBlindly));
    register_lock(registry, {"connection_limiter", "right", "writes if the row is unchanged"},
                  ConnectionLimiter(Write::kIfUnchanged));
    return compare(registry, argv[1]);
}
