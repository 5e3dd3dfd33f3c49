// SPDX-License-Identifier: Apache-2.0
#include "scheduler/base/interrupt.hpp"

#include <atomic>

namespace lockkeeper {
namespace {
std::atomic<bool> requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set in a signal handler");
}  // namespace

void request_interrupt() { requested.store(true, std::memory_order_relaxed); }
void clear_interrupt() { requested.store(false, std::memory_order_relaxed); }
bool interrupt_requested() { return requested.load(std::memory_order_relaxed); }

}  // namespace lockkeeper
