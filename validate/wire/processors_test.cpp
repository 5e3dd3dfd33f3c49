// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/processors.hpp"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace lockkeeper::wire {
namespace {

TEST(Processors, AreShortWhereMoreThreadsRunThanThereAre) {
    std::atomic<bool> ends = false;
    std::vector<std::thread> threads(std::thread::hardware_concurrency() + 1);
    for (std::thread& thread : threads) {
        thread = std::thread([&] {
            while (!ends) {
            }
        });
    }
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    bool seen = false;
    while (!seen && std::chrono::steady_clock::now() < deadline) {
        seen = are_processors_short();
    }
    ends = true;
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_TRUE(seen);
}

}  // namespace
}  // namespace lockkeeper::wire
