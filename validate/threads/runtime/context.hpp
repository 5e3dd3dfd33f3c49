// SPDX-License-Identifier: Apache-2.0

// Going from one stack to another, and whose thread-local storage is seen. x86-64 only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockkeeper::threads {

// Keeps the registers that a function keeps on this stack and its end in *left; goes on where the
// other stack was left.
extern "C" void lockkeeper_threads_switch(void** left, void* entered);

// Where the kernel goes on behind a handler of signals (rt_sigreturn).
extern "C" void lockkeeper_threads_restore();

// A stack that calls the function when it is entered first. The function does not return.
[[nodiscard]] void* fresh_stack(std::byte* end, void (*function)());

// The base of thread-local storage of the processor's thread that runs.
[[nodiscard]] std::uintptr_t thread_pointer();
void set_thread_pointer(std::uintptr_t pointer, bool by_instruction);
// The kernel lets programs use the instruction.
[[nodiscard]] bool can_set_thread_pointer();

}  // namespace lockkeeper::threads
