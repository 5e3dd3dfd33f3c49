// SPDX-License-Identifier: Apache-2.0

// The units of one grant. A call that asks for several places or keys (model/acquired_units.hpp) is
// granted so many holdings, one for each place of each key, which begin and end together.
//
// Used by: the ledger, whose functions take what one caller holds, and reports.
#pragma once

#include <optional>
#include <vector>

#include "validate/outside/script_place.hpp"

namespace lockkeeper {

// Some call asks for several places or keys. No model of histories knows such a call.
[[nodiscard]] bool asks_for_several(const WorldConfig& world);

// Both are units of one grant.
[[nodiscard]] bool are_of_one_grant(const BelievedHolding& left, const BelievedHolding& right);

// No unit of the grant is believed any more.
void give_up_units(std::vector<BelievedHolding>& held, const BelievedHolding& unit);

// No unit of the grant is believed any more, because its release is under way.
void end_units(std::vector<BelievedHolding>& held, const BelievedHolding& unit);

// All units of the grant end when `renewed` does.
void renew_units(std::vector<BelievedHolding>& held, const BelievedHolding& unit,
                 const BelievedHolding& renewed);

// Removes the units of the grant of `unit`, which need not be there itself, and returns them.
std::vector<BelievedHolding> take_units(std::vector<BelievedHolding>& held,
                                        const BelievedHolding& unit);

}  // namespace lockkeeper
