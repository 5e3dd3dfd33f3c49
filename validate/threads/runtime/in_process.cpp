// SPDX-License-Identifier: Apache-2.0

// explore_threads() of lockkeeper/threads.hpp: a child of the process explores, and ends.
#include <dlfcn.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "validate/threads/runtime/hosted.hpp"
#include "validate/threads/runtime/start.hpp"
#include "validate/threads/runtime/system.hpp"

namespace lockkeeper::threads {
namespace {

constexpr int kError = 70;

struct Test {
    void (*function)(void*);
    void* object;
    const char* settings;
    const void* frame;  // of the caller: above it is what the test may refer to
};

// In the child. The variables of the caller, and of those that have called it, are the test's too.
[[noreturn]] void explore_test(const Test& test, int out, std::uint64_t* executions) {
    Hosted& host = make_host(test.settings);
    host.test = test.function;
    host.test_object = test.object;
    host.settings.out = out;
    silence();
    const auto* end = static_cast<std::byte* const*>(dlsym(RTLD_DEFAULT, "__libc_stack_end"));
    auto* begin = static_cast<std::byte*>(const_cast<void*>(test.frame));
    if (end != nullptr && *end > begin) {
        host.images.push_back({begin, static_cast<std::size_t>(*end - begin), nullptr});
        host.shadow.add(begin, static_cast<std::size_t>(*end - begin));
    }
    const int verdict = look_and_explore(host);
    *executions = host.search.counts().complete;
    end_process(verdict);
}

using Take = void (*)(void*, const char*, unsigned long);

void take_all(int from, Take take, void* taker) {
    char buffer[4096];
    for (long size = 1; size > 0;) {
        do {  // again, where a handler of the caller's came between
            size = raw_call(SYS_read, from, reinterpret_cast<long>(buffer), sizeof(buffer));
        } while (size == -EINTR);
        if (size > 0) {
            take(taker, buffer, static_cast<unsigned long>(size));
        }
    }
}

int take_text(Take take, void* taker, const std::string& text) {
    take(taker, text.data(), text.size());
    return kError;
}

}  // namespace
}  // namespace lockkeeper::threads

extern "C" int lockkeeper_explore_threads(void (*test)(void*), void* object, const char* settings,
                                          void (*take)(void*, const char*, unsigned long),
                                          void* taker, unsigned long* executions) {
    using namespace lockkeeper::threads;
    if (hosted != nullptr) {
        return take_text(take, taker, "explore_threads within explore_threads\n");
    }
    fflush(nullptr);
    int ends[2] = {-1, -1};
    const long shared = raw_call(SYS_mmap, 0, 4096, 3, 0x21, -1, 0);  // seen by both
    using Fork = int (*)();
    const auto fork = reinterpret_cast<Fork>(dlsym(RTLD_DEFAULT, "fork"));
    if (shared < 0 || fork == nullptr ||
        raw_call(SYS_pipe2, reinterpret_cast<long>(ends), 0) != 0) {
        return take_text(take, taker, "there is no memory for another process\n");
    }
    auto* count = reinterpret_cast<std::uint64_t*>(shared);
    const unsigned long mask = hold_interrupts();
    const int child = fork();
    if (child == 0) {
        raw_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
        raw_call(SYS_close, ends[0]);
        explore_test({test, object, settings, __builtin_frame_address(0)}, ends[1], count);
    }
    raw_call(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&mask), 0, sizeof(mask));
    raw_call(SYS_close, ends[1]);
    if (child > 0) {
        take_all(ends[0], take, taker);
    }
    raw_call(SYS_close, ends[0]);
    int status = -1;
    long ended = child > 0 ? -EINTR : -1;
    while (ended == -EINTR) {
        ended = raw_call(SYS_wait4, child, reinterpret_cast<long>(&status), 0, 0);
    }
    *executions = *count;
    raw_call(SYS_munmap, shared, 4096);
    if (ended != child || (status & 0x7f) != 0) {
        return take_text(take, taker,
                         "the process that explores has ended by signal " +
                             std::to_string(status & 0x7f) + "\n");
    }
    return status >> 8 & 0xff;
}
