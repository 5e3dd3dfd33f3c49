// SPDX-License-Identifier: Apache-2.0

// Calls and returns as seen from outside, with Jepsen's meaning of the four types.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/operation.hpp"

namespace lockkeeper {

enum class HistoryType : std::uint8_t {
    kInvoke,
    kOk,    // it happened
    kFail,  // it did not happen (an acquire was refused)
    kInfo,  // the caller died inside the call: nobody knows
};

struct HistoryEntry {
    std::uint32_t step = 0;  // of the schedule, from 0
    std::uint8_t caller = 0;
    HistoryType type = HistoryType::kInvoke;
    Verb verb = Verb::kAcquire;
    std::uint8_t key = 0;
    std::optional<std::int32_t> value = {};  // kOk of an acquire: the count that was returned
    std::string error = {};                  // kFail, where the implementation says why

    friend bool operator==(const HistoryEntry&, const HistoryEntry&) = default;
};

using History = std::vector<HistoryEntry>;

[[nodiscard]] constexpr std::string_view name_of(HistoryType type) {
    switch (type) {
        case HistoryType::kInvoke: return "invoke";
        case HistoryType::kOk: return "ok";
        case HistoryType::kFail: return "fail";
        case HistoryType::kInfo: return "info";
    }
    return "?";
}

}  // namespace lockkeeper
