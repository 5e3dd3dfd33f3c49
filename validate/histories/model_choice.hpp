// SPDX-License-Identifier: Apache-2.0

// Which model judges a history, and its parameters: `semaphore:3`, `lease:ttl=10,error=1`.
// Parsed from the command line (app/) or filled in by code; `check_history` takes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "validate/histories/record_time.hpp"

namespace lockkeeper {

enum class ModelKind : std::uint8_t {
    kMutex,
    kOwnerAwareMutex,
    kReentrantMutex,
    kFencedMutex,
    kReentrantFencedMutex,
    kSemaphore,
    kResizableSemaphore,
    kReadWriteLock,
    kReentrantReadWriteLock,
    kMultiLock,
    kLease,
    kFencedLease,
    kFencedResource,
    kPool,
};

// `wanted` is not granted while `held` is held.
struct TagExclusion {
    std::string wanted;
    std::string held;
};

struct ModelChoice {
    ModelKind kind = ModelKind::kMutex;
    std::uint32_t permits = 1;             // semaphore; pool: its places
    std::uint32_t depth_max = 0;           // re-entrant: so often by one holder; 0: no limit
    std::int64_t ttl = 0;                  // lease: unless the operation says otherwise
    std::int64_t clock_error = 0;          // lease; pool: how early a time-out may be decided
    bool judges_timeouts = false;          // pool: a time-out had a reason when its time was over
    std::uint8_t time_digits = 0;          // of both, behind the point: 0.05 is 5 and two digits
    std::vector<TagExclusion> exclusions;  // multi lock
    bool judges_refusals = false;          // a refused acquire must have had a reason
    bool is_fair = false;                  // another that waits in front is one, too
    bool judges_effects = false;           // a write must be one of who holds
    std::optional<std::int64_t> invalid_token = {};  // says that there is no token
    TimeScale times = {};  // of the history, for messages; `in_ticks_of` sets it
    // Set by the ladder, not by the command line:
    std::int64_t slack = 0;            // so many more than allowed
    bool has_bare_tokens = true;       // fenced-resource: a bare value is a token
    bool has_repeated_tokens = false;  // fenced-resource: a re-entrant acquire has its hold's token
};

struct ModelDescription {
    ModelKind kind;
    std::string_view name;        // "owner-aware-mutex"
    std::string_view parameters;  // ":PERMITS", ":ttl=TIME,error=TIME"; empty: none of its own
    std::string_view operations;  // "acquire, release"
    std::string_view about;       // one sentence
};
[[nodiscard]] const std::vector<ModelDescription>& all_models();
// Readers share, a writer holds alone.
[[nodiscard]] constexpr bool has_readers(ModelKind kind) {
    return kind == ModelKind::kReadWriteLock || kind == ModelKind::kReentrantReadWriteLock;
}
// Its holder may acquire again.
[[nodiscard]] constexpr bool is_reentrant(ModelKind kind) {
    return kind == ModelKind::kReentrantMutex || kind == ModelKind::kReentrantReadWriteLock ||
           kind == ModelKind::kReentrantFencedMutex;
}
[[nodiscard]] const ModelDescription& description_of(ModelKind kind);

// The message names what is wrong; an unknown name is left to the caller, who knows the nearest.
struct ModelError {
    std::string message;
    std::string unknown_name = {};  // not empty: no model, or no parameter of it, is called so
    std::vector<std::string> known_names = {};
};
[[nodiscard]] std::variant<ModelChoice, ModelError> parse_model(std::string_view text);
// The same with ttl and clock error in ticks of a history's times; nothing where they have no room.
[[nodiscard]] std::optional<ModelChoice> in_ticks_of(const TimeScale& times,
                                                     const ModelChoice& choice);

}  // namespace lockkeeper
