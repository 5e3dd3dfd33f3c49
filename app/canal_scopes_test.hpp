// The scopes that docs/findings/canal_lock_scopes.md goes through systematically, for the tests
// that find what is wrong with the published algorithm and that show the repaired one to pass.
//
// A scope is: what each caller passes (max_per 1 to 3, buckets 0 to 3), a warm or a cold table, and
// a circumstance. All of them for up to four callers are tens of thousands, some with hundreds of
// millions of states; `reach_of` says how far each circumstance is covered, and by which test.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/scenario.hpp"

namespace lockkeeper {

inline constexpr std::size_t kScopeCallersMax = 4;
inline constexpr std::uint16_t kScopeNumberMax = 3;  // of max_per and of buckets

struct CanalView {
    std::uint16_t max_per = 1;
    std::uint16_t buckets = 1;
    // clang-tidy sees a null pointer in the comparison with 0 that `<=` is made of.
    // NOLINTNEXTLINE(modernize-use-nullptr)
    friend auto operator<=>(const CanalView&, const CanalView&) = default;
};

// In what the callers' views differ.
enum class ViewKind : std::uint8_t { kSame, kBuckets, kMaxPer, kBoth, kNoBucket };
[[nodiscard]] std::string_view name_of(ViewKind kind);

struct Circumstance {
    std::string_view column;  // of the table; circumstances of one column stand together
    std::uint8_t crashes = 0;
    std::uint8_t locks = 1;  // each caller acquires so many, then releases them
    std::uint8_t max_decr_tries = 15;
    bool retries = false;  // each acquires until it holds
};
[[nodiscard]] std::span<const Circumstance> canal_circumstances();

// Which command explores a scope: `make test`, `make test-long` or `make test-hours`.
enum class Effort : std::uint8_t { kQuick, kLong, kHours };

struct CanalScope {
    std::vector<CanalView> callers;  // in ascending order
    bool warm = false;               // as many buckets of 0 as the largest view has
    std::size_t circumstance = 0;
    Effort effort = Effort::kQuick;

    [[nodiscard]] ViewKind kind() const;
    // "1x2+1x2": callers as max_per x buckets.
    [[nodiscard]] std::string views_text() const;
    // "1x2+1x2, warm, 1 crash"
    [[nodiscard]] std::string text() const;
};

// The greatest number in the views of the scopes that are explored; 0: none. A finding that is not
// quick is marked in the table. So that the first finding is the smallest, more callers are only
// taken where all scopes of fewer have been.
struct Reach {
    std::uint16_t quick = 0;
    std::uint16_t in_long = 0;   // and the quick ones
    std::uint16_t in_hours = 0;  // and all others
};

// The published lock has fifty times as many states in a scope as the repaired one, which is
// therefore taken further.
enum class CanalLock : std::uint8_t { kFaithful, kRepaired };
[[nodiscard]] const char* variant_of(CanalLock lock);

[[nodiscard]] Reach reach_of(const CanalScope& scope, CanalLock lock);

// All scopes within reach, smallest first: fewest callers, then the smallest greatest number in
// their views, then the smallest sum of the numbers, then in the order of the numbers.
[[nodiscard]] std::vector<CanalScope> canal_scopes(CanalLock lock);

// The scope as a scenario that checks every property.
[[nodiscard]] Scenario to_scenario(const CanalScope& scope, CanalLock lock);

}  // namespace lockkeeper
