// SPDX-License-Identifier: Apache-2.0

// Which tails of states (state_codec.hpp) have at least as much left of each fault as others, and
// are the same otherwise. Two states that differ in their tails alone, one of which covers the
// other's: what the covered one can do, the other can do as well, in as many steps, with as much
// left or more, and it shows the same. So the search need not go on from the covered one.
// Used by the store where Reduction::kFaultsLeft is asked for.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/faults_left.hpp"

namespace lockkeeper {

class TailOrder {
  public:
    // The next tail, in the order of their numbers. `common`: its bytes without what is left.
    void add(const std::string& common, const FaultsLeft& left) {
        const auto next = static_cast<std::uint32_t>(commons_.size());
        common_.push_back(commons_.try_emplace(common, next).first->second);
        left_.push_back(left);
    }
    [[nodiscard]] std::size_t size() const { return left_.size(); }
    [[nodiscard]] std::size_t bytes() const {
        return left_.capacity() * (sizeof(FaultsLeft) + sizeof(std::uint32_t));
    }

    // By their numbers; a tail covers itself.
    [[nodiscard]] bool covers(std::uint32_t tail, std::uint32_t other) const {
        return tail == other ||
               (common_[tail] == common_[other] && left_[tail].is_at_least(left_[other]));
    }

  private:
    std::unordered_map<std::string, std::uint32_t> commons_;
    std::vector<std::uint32_t> common_;
    std::vector<FaultsLeft> left_;
};

}  // namespace lockkeeper
