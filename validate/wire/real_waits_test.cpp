// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/real_waits.hpp"

#include <sys/syscall.h>

#include <string>

#include <gtest/gtest.h>

namespace lockkeeper::wire {
namespace {

std::string line_of(long number, const std::string& fourth) {
    return std::to_string(number) + " 0x7f00 0x89 0x0 " + fourth + " 0x0 0x0 0x7ffd 0x7f11";
}

TEST(RealWaits, AreThoseThatTheKernelEndsByTime) {
    EXPECT_EQ("futex", timed_call(line_of(SYS_futex, "0x7ffc")));
    EXPECT_EQ("", timed_call(line_of(SYS_futex, "0x0")));
    EXPECT_EQ("epoll_pwait", timed_call(line_of(SYS_epoll_pwait, "0x64")));
    EXPECT_EQ("", timed_call(line_of(SYS_epoll_pwait, "0xffffffff")));
    EXPECT_EQ("nanosleep", timed_call(line_of(SYS_nanosleep, "0x0")));
    EXPECT_EQ("", timed_call(line_of(SYS_read, "0x7ffc")));
    EXPECT_EQ("", timed_call("running"));
    EXPECT_EQ("", timed_call("202 0x7f00"));
    EXPECT_EQ("", timed_call(""));
}

}  // namespace
}  // namespace lockkeeper::wire
