// SPDX-License-Identifier: Apache-2.0
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

std::atomic<int> word{0};

int main() { syscall(SYS_futex, &word, FUTEX_WAKE_BITSET_PRIVATE, 1, nullptr, nullptr, 2); }
