// SPDX-License-Identifier: Apache-2.0

// Tags of a multi lock as numbers. Tags that no exclusion names exclude nothing and are all one.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "validate/histories/model_choice.hpp"

namespace lockkeeper {

inline constexpr std::uint8_t kTagsMax = 63;  // of the exclusions
inline constexpr std::uint8_t kOtherTag = kTagsMax;
inline constexpr std::uint8_t kAnyTag = kTagsMax + 1;  // of a write that says none

class TagNames {
  public:
    explicit TagNames(const ModelChoice& choice) {
        for (const TagExclusion& exclusion : choice.exclusions) {
            add(exclusion.wanted);
            add(exclusion.held);
        }
    }
    [[nodiscard]] std::size_t size() const { return names_.size(); }
    [[nodiscard]] std::optional<std::uint8_t> find(const std::string& name) const {
        const auto found = std::find(names_.begin(), names_.end(), name);
        return found == names_.end()
                   ? std::nullopt
                   : std::optional(static_cast<std::uint8_t>(found - names_.begin()));
    }

  private:
    void add(const std::string& name) {
        if (!find(name)) {
            names_.push_back(name);
        }
    }
    std::vector<std::string> names_;
};

}  // namespace lockkeeper
