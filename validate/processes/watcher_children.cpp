// SPDX-License-Identifier: Apache-2.0
#include "validate/processes/watcher_children.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace lockkeeper::watcher_detail {
namespace {

// A list of children, up to its capacity: to reach all, ask again when these are gone.
struct ChildList {
    std::array<pid_t, 1024> ids;
    std::size_t count = 0;

    void add(pid_t id) noexcept {
        if (id > 0 && count < ids.size()) {
            ids[count++] = id;
        }
    }
};

// Reads the kernel's list (CONFIG_PROC_CHILDREN). A child that comes or ends meanwhile may be
// missing.
void list_children(ChildList& children) noexcept {
    children.count = 0;
    const int file = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return;
    }
    std::array<char, 4096> text;
    pid_t id = 0;
    for (ssize_t count = 0; (count = read(file, text.data(), text.size())) > 0;) {
        for (const char letter : std::string_view(text.data(), static_cast<std::size_t>(count))) {
            const bool is_digit = letter >= '0' && letter <= '9';
            if (!is_digit) {
                children.add(id);
            }
            id = is_digit ? id * 10 + (letter - '0') : 0;
        }
    }
    children.add(id);
    close(file);
}

time_t now_seconds() noexcept {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

// Gives the status of waitpid() without reaping the child; false while the child runs.
bool has_ended(pid_t id, int& status) noexcept {
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(id), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid == 0) {
        return false;
    }
    constexpr int kCoreDumped = 0x80;
    status = info.si_code == CLD_EXITED   ? info.si_status << 8U
             : info.si_code == CLD_DUMPED ? info.si_status | kCoreDumped
                                          : info.si_status;
    return true;
}

// False: this process may kill none of the children, such as set-user-ID programs.
bool kill_children() noexcept {
    static ChildList children;
    list_children(children);
    bool is_any = children.count == 0;
    for (std::size_t i = 0; i < children.count; ++i) {
        is_any = kill(children.ids[i], SIGKILL) == 0 || is_any;
    }
    return is_any;
}

}  // namespace

void WatcherChildren::add(pid_t id, int last_signal, int told) noexcept {
    programs_[count_++] = {id, last_signal, told};
}

bool WatcherChildren::is_program(pid_t id) const noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
        if (programs_[i].id == id) {
            return true;
        }
    }
    return false;
}

int WatcherChildren::send(pid_t id, int signal) noexcept {
    return is_program(id) && kill(id, signal) == 0 ? 0 : ESRCH;
}

bool WatcherChildren::end(pid_t id, int& status) noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
        if (programs_[i].id != id) {
            continue;
        }
        // The child leads the group and is not reaped yet, so the number is still the group's.
        kill(-id, SIGKILL);
        kill(id, SIGKILL);
        while (waitpid(id, &status, 0) < 0 && errno == EINTR) {
        }
        if (programs_[i].told >= 0) {
            close(programs_[i].told);
        }
        programs_[i] = programs_[--count_];
        return true;
    }
    return false;
}

void WatcherChildren::look() noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
        Program& program = programs_[i];
        int status = 0;
        if (program.told >= 0 && has_ended(program.id, status)) {
            static_cast<void>(write(program.told, &status, sizeof(status)) == 0);
            close(program.told);
            program.told = -1;
        }
    }
    static ChildList children;
    list_children(children);
    for (std::size_t i = 0; i < children.count; ++i) {
        if (!is_program(children.ids[i])) {
            waitpid(children.ids[i], nullptr, WNOHANG);
        }
    }
}

bool WatcherChildren::is_one_with_time_left() const noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
        int status = 0;
        if (programs_[i].last_signal != SIGKILL && !has_ended(programs_[i].id, status)) {
            return true;
        }
    }
    return false;
}

void WatcherChildren::end_all(void (*sleep)()) noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
        kill(programs_[i].id, programs_[i].last_signal);
        if (programs_[i].last_signal == SIGKILL) {
            kill(-programs_[i].id, SIGKILL);  // also where the kernel has no list of children
        }
    }
    for (const time_t end = now_seconds() + kLastSignalSeconds;
         is_one_with_time_left() && now_seconds() < end;) {
        sleep();
    }
    // Each killed child leaves its own children to this process.
    const time_t end = now_seconds() + kKillingSeconds;
    while (kill_children() && now_seconds() < end) {
        pid_t taken = 0;
        while ((taken = waitpid(-1, nullptr, WNOHANG)) > 0) {
        }
        if (taken < 0 && errno == ECHILD) {
            return;
        }
        sleep();
    }
}

}  // namespace lockkeeper::watcher_detail
