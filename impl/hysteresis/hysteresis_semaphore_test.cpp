// SPDX-License-Identifier: Apache-2.0
#include "impl/hysteresis/hysteresis_semaphore.hpp"

#include <gtest/gtest.h>

#include "model/walk_test.hpp"

namespace lockkeeper::hysteresis {
namespace {

using testing_model::acquire;
using testing_model::release;

// RabbitMQ 3.10.8 was seen to do this, with a limit of 10.
TEST(HysteresisSemaphore, takes_eleven_of_ten_refuses_at_ten_and_nine_and_accepts_at_eight) {
    const HysteresisSemaphore semaphore{Options{}};
    HysteresisSemaphore::Shared shared{};
    HysteresisSemaphore::Record record{};
    const auto outcome = [&](const Operation& operation) {
        HysteresisSemaphore::Call call{};
        Event event;
        HysteresisSemaphore::begin(operation, call);
        return semaphore.step(shared, record, call, operation, event);
    };
    for (int held = 0; held < 11; ++held) {
        EXPECT_EQ(Outcome::kAcquired, outcome(acquire(10))) << held;
    }
    EXPECT_EQ(Outcome::kRefused, outcome(acquire(10)));
    for (const int held : {10, 9}) {
        EXPECT_EQ(Outcome::kReleased, outcome(release(10)));
        EXPECT_EQ(Outcome::kRefused, outcome(acquire(10))) << held;
    }
    EXPECT_EQ(Outcome::kReleased, outcome(release(10)));
    EXPECT_EQ(Outcome::kAcquired, outcome(acquire(10))) << "8 were held";
}

TEST(HysteresisSemaphore, is_exact_when_repaired) {
    Options options;
    options.exact_limit = true;
    WorldConfig world = testing_model::world_of({{acquire(1), release(1)}, {acquire(1)}});
    testing_model::Walk<HysteresisSemaphore> walk(HysteresisSemaphore(options), world);
    EXPECT_TRUE(walk.step(0).is(kAcquired));
    EXPECT_TRUE(walk.step(1).is(kRefused));
}

}  // namespace
}  // namespace lockkeeper::hysteresis
