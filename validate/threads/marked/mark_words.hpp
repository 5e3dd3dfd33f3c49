// SPDX-License-Identifier: Apache-2.0

// The words of marks, by which a program's results name them and reports know them again.
#pragma once

namespace lockkeeper::threads::words {

inline constexpr char kAsksFor[] = "asks for";
inline constexpr char kHolds[] = "holds";
inline constexpr char kHoldsForATime[] = "holds for a time";
inline constexpr char kIsRefused[] = "is refused";
inline constexpr char kGivesBack[] = "gives back";
inline constexpr char kHasGivenBack[] = "has given back";
inline constexpr char kHoldsNoLonger[] = "holds no longer, by its time,";
inline constexpr char kIsToldThatItHasLost[] = "is told that it has lost";

}  // namespace lockkeeper::threads::words
