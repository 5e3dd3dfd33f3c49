// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/real_waits.hpp"

#include <sys/syscall.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

namespace lockkeeper::wire {
namespace {

enum class Limit : std::uint8_t {
    kPointer,       // null: none
    kMilliseconds,  // below 0: none
    kAlways,
};

struct TimedCall {
    long number;
    const char* name;
    std::size_t argument;  // the limit, from 0
    Limit limit;
};

constexpr TimedCall kTimedCalls[] = {
    {SYS_futex, "futex", 3, Limit::kPointer},
    {SYS_ppoll, "ppoll", 2, Limit::kPointer},
    {SYS_pselect6, "pselect", 4, Limit::kPointer},
    {SYS_epoll_pwait, "epoll_pwait", 3, Limit::kMilliseconds},
    {SYS_rt_sigtimedwait, "sigtimedwait", 2, Limit::kPointer},
    {SYS_semtimedop, "semtimedop", 3, Limit::kPointer},
    {SYS_nanosleep, "nanosleep", 0, Limit::kAlways},
    {SYS_clock_nanosleep, "clock_nanosleep", 0, Limit::kAlways},
#ifdef SYS_poll
    {SYS_poll, "poll", 2, Limit::kMilliseconds},
    {SYS_select, "select", 4, Limit::kPointer},
    {SYS_epoll_wait, "epoll_wait", 3, Limit::kMilliseconds},
#endif
};

bool has_limit(const TimedCall& call, std::uint64_t argument) {
    switch (call.limit) {
        case Limit::kPointer: return argument != 0;
        case Limit::kMilliseconds: return static_cast<std::int32_t>(argument) >= 0;
        case Limit::kAlways: return true;
    }
    return false;
}

}  // namespace

std::string timed_call(std::string_view line) {
    std::istringstream words{std::string(line)};
    long number = -1;
    if (!(words >> number)) {
        return "";  // "running"
    }
    std::array<std::uint64_t, 6> arguments{};
    for (std::uint64_t& argument : arguments) {
        std::string word;
        if (!(words >> word) || !word.starts_with("0x") ||
            std::from_chars(word.data() + 2, word.data() + word.size(), argument, 16).ec !=
                std::errc()) {
            return "";
        }
    }
    for (const TimedCall& call : kTimedCalls) {
        if (call.number == number && has_limit(call, arguments.at(call.argument))) {
            return call.name;
        }
    }
    return "";
}

std::string timed_call_of(const std::vector<pid_t>& processes) {
    for (const pid_t process : processes) {
        std::error_code error;
        const std::filesystem::directory_iterator tasks(
            "/proc/" + std::to_string(process) + "/task", error);
        for (auto task = begin(tasks); !error && task != end(tasks); task.increment(error)) {
            std::ifstream file(task->path() / "syscall");
            std::string line;
            std::getline(file, line);
            if (std::string call = timed_call(line); !call.empty()) {
                return call;
            }
        }
    }
    return "";
}

}  // namespace lockkeeper::wire
