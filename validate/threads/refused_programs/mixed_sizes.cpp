// SPDX-License-Identifier: Apache-2.0
// A word and its lower half, both atomic.
#include <atomic>
#include <cstdint>
#include <thread>

alignas(8) std::uint64_t word = 0;

int main() {
    std::thread other([] { std::atomic_ref<std::uint64_t>(word).fetch_add(1); });
    std::atomic_ref<std::uint32_t>(*reinterpret_cast<std::uint32_t*>(&word)).fetch_add(1);
    other.join();
}
