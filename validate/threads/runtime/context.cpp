// SPDX-License-Identifier: Apache-2.0
#include "validate/threads/runtime/context.hpp"

#include <asm/prctl.h>
#include <sys/auxv.h>

#include <cstring>

#include "validate/threads/runtime/system.hpp"

#ifndef HWCAP2_FSGSBASE
#define HWCAP2_FSGSBASE (1 << 1)
#endif

asm(R"(
    .text
    .p2align 4
    .globl lockkeeper_threads_switch
    .hidden lockkeeper_threads_switch
    .type lockkeeper_threads_switch, @function
lockkeeper_threads_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size lockkeeper_threads_switch, .-lockkeeper_threads_switch

    # Where hooks go on in r11 (clean_hook.hpp). Their frames, down to the switch, have 250 bytes.
    .p2align 4
    .globl lockkeeper_threads_clear
    .hidden lockkeeper_threads_clear
    .type lockkeeper_threads_clear, @function
lockkeeper_threads_clear:
    pxor %xmm0, %xmm0
    .set lockkeeper_at, 16
    .rept 24
    movups %xmm0, -lockkeeper_at(%rsp)
    .set lockkeeper_at, lockkeeper_at + 16
    .endr
    jmp *%r11
    .size lockkeeper_threads_clear, .-lockkeeper_threads_clear
    .globl lockkeeper_threads_restore
    .hidden lockkeeper_threads_restore
    .type lockkeeper_threads_restore, @function
lockkeeper_threads_restore:
    movq $15, %rax
    syscall
    .size lockkeeper_threads_restore, .-lockkeeper_threads_restore
)");

namespace lockkeeper::threads {

void* fresh_stack(std::byte* end, void (*function)()) {
    constexpr std::size_t kSaved = 6;
    // Behind the return address the stack is aligned as behind a call.
    auto* top = reinterpret_cast<std::uintptr_t*>(end) - 1;
    *top = 0;
    *--top = reinterpret_cast<std::uintptr_t>(function);
    for (std::size_t saved = 0; saved < kSaved; ++saved) {
        *--top = 0;
    }
    return top;
}

std::uintptr_t thread_pointer() {
    std::uintptr_t pointer = 0;
    asm("movq %%fs:0, %0" : "=r"(pointer));
    return pointer;
}

bool can_set_thread_pointer() { return (getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE) != 0; }

void set_thread_pointer(std::uintptr_t pointer, bool by_instruction) {
    if (by_instruction) {
        asm volatile("wrfsbase %0" : : "r"(pointer) : "memory");
    } else {
        raw_call(SYS_arch_prctl, ARCH_SET_FS, static_cast<long>(pointer));
    }
}

}  // namespace lockkeeper::threads
