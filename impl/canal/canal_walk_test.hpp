// SPDX-License-Identifier: Apache-2.0

// Small worlds around one canal lock, for the tests of this folder.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "impl/canal/canal_lock.hpp"
#include "model/walk_test.hpp"

namespace lockkeeper::testing_canal {

using namespace testing_model;
using canal::CanalOptions;
using canal::ReferenceKind;
using TinyWalk = Walk<canal::CanalLock<canal::TinySize>>;
using KeysWalk = Walk<canal::CanalLock<canal::KeysSize>>;
using Scripts = std::vector<std::vector<Operation>>;

// One key, max_per as given, the buckets there already. No bucket: cold.
[[nodiscard]] inline CanalOptions with_table(std::vector<std::int32_t> buckets,
                                             std::uint16_t max_per = 2) {
    CanalOptions options;
    options.manager_max_per = max_per;
    options.max_pers = {max_per};
    std::optional<std::int32_t> highest;
    if (!buckets.empty()) {
        highest = static_cast<std::int32_t>(buckets.size());
    }
    options.tables = {{std::move(buckets), highest}};
    return options;
}
[[nodiscard]] inline CanalOptions without_highest(CanalOptions options) {
    options.tables[0].highest.reset();
    return options;
}
[[nodiscard]] inline CanalOptions trying(CanalOptions options, std::optional<std::uint8_t> tries) {
    options.max_decr_tries = tries;
    return options;
}
[[nodiscard]] inline CanalOptions counters_only(CanalOptions options) {
    options.has_manager = false;
    return options;
}

[[nodiscard]] inline TinyWalk tiny(const CanalOptions& options, const Scripts& scripts,
                                   std::uint8_t crashes_max = 0) {
    WorldConfig config = world_of(scripts);
    config.crashes_max = crashes_max;
    return {canal::CanalLock<canal::TinySize>(options), config};
}

// The table alone, as show() begins: "[4,1] highest 2".
[[nodiscard]] inline std::string table(const TinyWalk& walk) {
    const std::string text = walk.show();
    const std::size_t begin = text.find("db ") == 0 ? 3 : 0;
    return text.substr(begin, text.find("  ") - begin);
}

[[nodiscard]] inline std::uint32_t references(const TinyWalk& walk, std::size_t caller = 0,
                                              std::size_t key = 0) {
    return walk.seen().callers[caller].references[key];
}

}  // namespace lockkeeper::testing_canal
