// The scopes that docs/canal_lock.md goes through systematically, small ones first, in families:
// each family adds one circumstance to callers that acquire and release once. Used by the tests
// that find what is wrong with the published algorithm and that show the repaired one to pass.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/scenario.hpp"

namespace lockkeeper {

struct CanalView {
    std::uint16_t max_per = 1;
    std::uint16_t buckets = 1;
};

struct CanalScope {
    std::string_view family;
    std::vector<CanalView> callers;
    bool warm = false;  // as many buckets of 0 as the largest view has
    std::uint8_t crashes = 0;
    std::uint8_t locks = 1;  // each caller acquires so many, then releases them
    std::uint8_t max_decr_tries = 15;

    // "2 callers 1x2, warm": callers as max_per x buckets.
    [[nodiscard]] std::string text() const;
    // Four callers with a crash or two locks: up to a hundred million states in the faithful lock.
    [[nodiscard]] bool is_large() const {
        return callers.size() == 4 && (locks > 1 || crashes > 0);
    }
};

// Families, in the order of the table's columns, with what each adds.
struct ScopeFamily {
    std::string_view name;
    std::string_view about;
};
[[nodiscard]] const std::vector<ScopeFamily>& canal_scope_families();

// Callers 1 to `callers_max` (at most 4), max_per 1 to 3, buckets 0 to 3, cold and warm, same and
// mixed views, 0 and 1 crash, 1 and 2 locks a caller.
[[nodiscard]] std::vector<CanalScope> canal_scopes(std::size_t callers_max);

// The scope as a scenario that checks every property.
[[nodiscard]] Scenario to_scenario(const CanalScope& scope, const std::string& variant);

}  // namespace lockkeeper
