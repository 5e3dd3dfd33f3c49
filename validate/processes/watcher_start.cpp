// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "validate/processes/watcher_children.hpp"

namespace lockkeeper::watcher_detail {
namespace {

// The lists of pointers at the beginning of the block, filled in.
struct Lists {
    char** arguments = nullptr;
    char** variables = nullptr;
};

Lists fill_lists(const Question& question, char* block) noexcept {
    Lists lists;
    lists.arguments = reinterpret_cast<char**>(block);
    lists.variables = lists.arguments + question.arguments_count + 1;
    char* text = reinterpret_cast<char*>(lists.variables + question.variables_count + 1);
    for (std::uint32_t i = 0; i < question.arguments_count; ++i) {
        lists.arguments[i] = text;
        text += std::strlen(text) + 1;
    }
    for (std::uint32_t i = 0; i < question.variables_count; ++i) {
        lists.variables[i] = text;
        text += std::strlen(text) + 1;
    }
    return lists;
}

// Runs in the child, which shares the watcher's memory until it runs the program. The C library's
// records must not change there, so the system calls themselves change the user.
bool change_user(uid_t user, gid_t group) noexcept {
    return syscall(SYS_setgroups, 0, nullptr) == 0 &&
           syscall(SYS_setresgid, group, group, group) == 0 &&
           syscall(SYS_setresuid, user, user, user) == 0;
}

// Uses the system call itself: signal() refuses the two numbers that the C library reserves for its
// threads, and the process that started us may ignore them.
void reset_signals() noexcept {
    constexpr std::size_t kKernelSetBytes = 8;
    const std::array<unsigned char, 64> by_default{};  // the kernel's sigaction, whose SIG_DFL is 0
    for (int number = 1; number < NSIG; ++number) {
        syscall(SYS_rt_sigaction, number, by_default.data(), nullptr, kKernelSetBytes);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
}

bool prepare(const Question& question, const PassedDescriptors& passed, pid_t watcher) noexcept {
    for (const Passed stream : {kStdin, kStdout, kStderr}) {
        if (dup2(passed[stream], static_cast<int>(stream)) < 0) {
            return false;
        }
    }
    if (setpgid(0, 0) != 0 || fchdir(passed[kDirectory]) != 0) {
        return false;
    }
    if (question.changes_user != 0 && !change_user(question.user, question.group)) {
        return false;
    }
    // Comes after the change of user, which would undo it.
    prctl(PR_SET_PDEATHSIG, question.signal);
    if (getppid() != watcher) {  // it was killed before this signal was asked for
        errno = ESRCH;
        return false;
    }
    reset_signals();
    return true;
}

}  // namespace

pid_t start_program(const Question& question, const PassedDescriptors& passed,
                    int& error) noexcept {
    void* block =
        mmap(nullptr, question.block_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, passed[kBlock], 0);
    if (block == MAP_FAILED) {
        error = errno;
        return -1;
    }
    const Lists lists = fill_lists(question, static_cast<char*>(block));
    volatile int failure = 0;
    const pid_t watcher = getpid();
    // Not fork(): the watcher may have the memory of a large search, whose page tables would be
    // copied for each start.
    const pid_t child = vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork)
    if (child == 0) {
        if (prepare(question, passed, watcher)) {
            execve(lists.arguments[0], lists.arguments, lists.variables);
        }
        failure = errno;
        _exit(127);
    }
    error = child < 0 ? errno : static_cast<int>(failure);
    munmap(block, question.block_bytes);
    if (child > 0 && error != 0) {
        waitpid(child, nullptr, 0);
        return -1;
    }
    return child;
}

pid_t start_simply(const char* program, char* const* arguments) noexcept {
    const pid_t child = vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork)
    if (child == 0) {
        char* no_variables[] = {nullptr};
        reset_signals();
        execve(program, arguments, no_variables);
        _exit(127);
    }
    return child;
}

}  // namespace lockkeeper::watcher_detail
