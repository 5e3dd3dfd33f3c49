// SPDX-License-Identifier: Apache-2.0

// Systems with virtual time that tell instants as their scenario counts them
// (scenarios/registry/time_units.hpp) compose it.
#pragma once

#include <string>

#include "model/virtual_time.hpp"

namespace lockkeeper {

class ToldTime {
  public:
    explicit ToldTime(std::int32_t unit) : unit_(unit) {}
    [[nodiscard]] std::int32_t time_unit() const { return unit_; }

  protected:
    [[nodiscard]] std::int32_t told(std::int32_t instant) const {
        return told_instant(instant, unit_);
    }
    [[nodiscard]] std::string text_of(std::int32_t instant) const {
        return text_of_instant(instant, unit_);
    }

  private:
    std::int32_t unit_;
};

}  // namespace lockkeeper
