// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "measure/sampled_run.hpp"

namespace lockkeeper {
namespace {

constexpr std::uint8_t kA = 0;
constexpr std::uint8_t kB = 1;
constexpr std::uint8_t kC = 2;

class WaitsOfThree {
  public:
    void note(std::uint8_t caller, std::uint32_t what, std::uint8_t key = 0,
              Verb invoked = Verb::kAcquire) {
        Event event;
        event.what = what;
        event.caller = caller;
        event.key = key;
        event.invoked = invoked;
        waits_.note(event);
    }
    // "contended grants: to the longest wait, to the newest"
    [[nodiscard]] std::string served() const {
        const ServedByAge& served = waits_.served();
        return std::to_string(served.contended) + ": " + std::to_string(served.to_longest) + ", " +
               std::to_string(served.to_newest);
    }
    [[nodiscard]] double by_equal_chances() const { return waits_.served().by_equal_chances; }

  private:
    Waits waits_;
};

TEST(Waits, AGrantWithoutCompanyIsNotContended) {
    WaitsOfThree waits;
    waits.note(kA, kInvoked | kAcquired);
    waits.note(kB, kInvoked, 1);
    waits.note(kA, kInvoked, 0, Verb::kRelease);
    waits.note(kC, kInvoked | kAcquired);  // B asks for another key
    EXPECT_EQ("0: 0, 0", waits.served());
}

TEST(Waits, AGrantGoesToTheLongestWaitToTheNewestOrBetween) {
    WaitsOfThree waits;
    for (const std::uint8_t caller : {kB, kA, kC}) {
        waits.note(caller, kInvoked);
    }
    waits.note(kA, kAcquired);
    EXPECT_EQ("1: 0, 0", waits.served());
    waits.note(kC, kAcquired);
    EXPECT_EQ("2: 0, 1", waits.served());
    waits.note(kA, kInvoked);
    waits.note(kB, kAcquired);
    EXPECT_EQ("3: 1, 1", waits.served());
    EXPECT_DOUBLE_EQ(1.0 / 3 + 1.0 / 2 + 1.0 / 2, waits.by_equal_chances());
}

TEST(Waits, WhoIsRefusedAndAsksAgainStillWaits) {
    WaitsOfThree waits;
    waits.note(kA, kInvoked | kRefused);
    waits.note(kB, kInvoked);
    waits.note(kB, kAcquired);  // A asks nobody at this moment
    EXPECT_EQ("0: 0, 0", waits.served());
    waits.note(kC, kInvoked);
    waits.note(kA, kInvoked);
    waits.note(kA, kAcquired);
    EXPECT_EQ("1: 1, 0", waits.served());
}

TEST(Waits, AnotherCallAndADeathEndAWait) {
    WaitsOfThree waits;
    waits.note(kA, kInvoked | kRefused);
    waits.note(kB, kInvoked);
    waits.note(kA, kInvoked, 1);  // another key
    waits.note(kA, kInvoked);
    waits.note(kA, kAcquired);
    EXPECT_EQ("1: 0, 1", waits.served());
    waits.note(kC, kInvoked);
    waits.note(kB, kCrashed);
    waits.note(kC, kAcquired);
    EXPECT_EQ("1: 0, 1", waits.served());
}

}  // namespace
}  // namespace lockkeeper
