// SPDX-License-Identifier: Apache-2.0

// Calls of the kernel that pass the C library by. So the symbols that a program takes from the
// library are those of the program alone, and can be looked at.
#pragma once

#include <sys/syscall.h>

#include <cstddef>
#include <cstdint>
#include <ctime>

namespace lockkeeper::threads {

inline long raw_call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                     long f = 0) {
    long result = number;
    register long fourth asm("r10") = d;
    register long fifth asm("r8") = e;
    register long sixth asm("r9") = f;
    asm volatile("syscall"
                 : "+a"(result)
                 : "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                 : "rcx", "r11", "memory");
    return result;
}

// Memory that is zero and takes room only where it is written. At this address if nothing stands
// there, so that a run that is replayed has the same addresses.
[[nodiscard]] inline std::byte* reserve(std::size_t bytes, std::uintptr_t near = 0) {
    constexpr long kReadWrite = 3;
    constexpr long kPrivateAnonymousNoReserve = 0x2 | 0x20 | 0x4000;
    const long at = raw_call(SYS_mmap, static_cast<long>(near), static_cast<long>(bytes),
                             kReadWrite, kPrivateAnonymousNoReserve, -1, 0);
    if (at < 0 && at > -4096) {
        raw_call(SYS_exit_group, 70);  // nothing can be said without memory
    }
    return reinterpret_cast<std::byte*>(at);
}

// Reads a clock that only goes on: not the one that the program sees.
[[nodiscard]] inline double seconds_now() {
    timespec time{};
    raw_call(SYS_clock_gettime, 1, reinterpret_cast<long>(&time));
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

inline void write_all(int descriptor, const char* text, std::size_t size) {
    while (size > 0) {
        const long done =
            raw_call(SYS_write, descriptor, reinterpret_cast<long>(text), static_cast<long>(size));
        if (done <= 0) {
            return;
        }
        text += done;
        size -= static_cast<std::size_t>(done);
    }
}

[[noreturn]] inline void end_process(int code) {
    while (true) {
        raw_call(SYS_exit_group, code);
    }
}

}  // namespace lockkeeper::threads
