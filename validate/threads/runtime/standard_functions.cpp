// SPDX-License-Identifier: Apache-2.0

// std::thread::join and detach end with a write of the thread's id, and sync_with_stdio changes
// streams. They stand in the C++ library, where nothing is seen and no run puts anything back: here
// in their place.
#include <dlfcn.h>

#include <cerrno>
#include <functional>
#include <ios>
#include <thread>

#include "validate/threads/runtime/waits.hpp"

namespace lockkeeper::threads {
namespace {

static_assert(sizeof(std::thread) == sizeof(pthread_t));

void give_up_id(std::thread* thread, int (*give_up)(pthread_t, const void*), const void* site) {
    auto* id = reinterpret_cast<pthread_t*>(thread);
    note_read_by(id, site);
    const int error = *id == pthread_t{} ? EINVAL : give_up(*id, site);
    if (error != 0) {
        std::__throw_system_error(error);
    }
    note_written_by(id, site);
    *id = {};
}

int join(pthread_t thread, const void* site) { return join_thread(thread, nullptr, site); }
int detach(pthread_t thread, const void*) { return pthread_detach(thread); }

}  // namespace
}  // namespace lockkeeper::threads

// Weak: as in exceptions.cpp.
extern "C" {
__attribute__((weak)) void lockkeeper_join(std::thread* thread) asm("_ZNSt6thread4joinEv");
__attribute__((weak)) void lockkeeper_detach(std::thread* thread) asm("_ZNSt6thread6detachEv");
__attribute__((weak)) bool lockkeeper_sync(bool is_on) asm("_ZNSt8ios_base15sync_with_stdioEb");

void lockkeeper_join(std::thread* thread) {
    using namespace lockkeeper::threads;
    give_up_id(thread, join, __builtin_return_address(0));
}
void lockkeeper_detach(std::thread* thread) {
    using namespace lockkeeper::threads;
    give_up_id(thread, detach, __builtin_return_address(0));
}

// The output of a run is discarded.
bool lockkeeper_sync(bool is_on) {
    using namespace lockkeeper::threads;
    if (running() == nullptr) {
        using Real = bool (*)(bool);
        return reinterpret_cast<Real>(dlsym(RTLD_NEXT, "_ZNSt8ios_base15sync_with_stdioEb"))(is_on);
    }
    return true;
}
}
