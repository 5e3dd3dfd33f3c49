// Planted bugs of monglock's locks, each in the repaired variant: the test of the tests. The
// registry names the property that must reject each (impl/monglock/descriptor/register.cpp).
#pragma once

#include <cstdint>

namespace lockkeeper::broken {

enum class MonglockBug : std::uint8_t {
    kNone,
    kTakesActive,         // takes the lock whether it is active or not
    kGuardsByActive,      // an effect asks only that somebody has the lock
    kReleasesAnything,    // release does not compare the token
    kSaysOkAnyway,        // release says ok though the lock was not its own any more
    kCleansNothing,       // the clean-up after an error leaves what it finds
    kConstantToken,       // every acquisition has the same timestamp
    kIgnoresCooperative,  // multi lock: an entry is pushed on no condition
    kDeadlineFromAnswer   // own_deadline counts from the clock after the answer
};

}  // namespace lockkeeper::broken
