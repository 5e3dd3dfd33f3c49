// SPDX-License-Identifier: Apache-2.0

// What the compiler calls at plain accesses and at functions (-fsanitize=thread).
#include "validate/threads/runtime/bytes.hpp"
#include "validate/threads/runtime/hosted.hpp"
#include "validate/threads/runtime/quick_access.hpp"

using namespace lockkeeper::threads;

namespace lockkeeper::threads {
namespace {

bool has_hooks = false;

// A loop may wait for what another thread writes, as plainly as it reads: a race, once that thread
// comes to it.
constexpr std::uint32_t kAccessesMany = 65536;
__attribute__((noinline)) void pause_thread() {
    Request request;
    request.what = Request::What::kPause;
    ask(request);
}

// A loop that accesses the same again is told once.
bool was_told(const ShadowAccess& access) {
    constexpr std::size_t kLoop = 16;
    const std::vector<Told>& told = hosted->told;
    for (std::size_t back = 1; back <= kLoop && back <= told.size(); ++back) {
        const Told& one = told[told.size() - back];
        if (one.thread != hosted->current || one.event != kInitial || one.is_mark) {
            return false;
        }
        if (one.address == access.address && !one.calls.empty() &&
            one.calls.front() == access.site) {
            return true;
        }
    }
    return false;
}

void tell_plain(const Fiber& fiber, const ShadowAccess& access) {
    note_calls(access.site);
    const AsHost host;
    Told told;
    told.thread = host.thread();
    told.is_write = access.is_write;
    told.address = access.address;
    told.size = static_cast<std::uint8_t>(access.size);
    told.calls = fiber.calls;
    hosted->told.push_back(told);
}

__attribute__((noinline)) void look_at(const Fiber& fiber, const ShadowAccess& access) {
    if (hosted->is_telling && hosted->watched != 0 && access.address < hosted->watched + 8 &&
        hosted->watched < access.address + access.size && !was_told(access)) {
        tell_plain(fiber, access);
    }
    watch(access);
}

inline void access(const void* address, std::size_t size, bool is_write, const void* site) {
    Fiber* fiber = running();
    if (fiber == nullptr || size == 0) {
        return;
    }
    const ShadowAccess noted{
        reinterpret_cast<std::uintptr_t>(address), size, is_write, false, false,
        reinterpret_cast<std::uint64_t>(site)};
    if (is_write && noted.address - reinterpret_cast<std::uintptr_t>(fiber->stack) >= kStackBytes) {
        fiber->has_changed = true;
    }
    if (++fiber->accesses % kAccessesMany == 0) {
        pause_thread();
    }
    if (!note_at_once(*hosted, noted)) {
        look_at(*fiber, noted);
    }
}

}  // namespace

bool was_compiled_with_hooks() { return has_hooks; }

void note_plain(const void* address, std::size_t size, bool is_write, const void* site) {
    access(address, size, is_write, site);
}

}  // namespace lockkeeper::threads

#define LOCKKEEPER_HERE __builtin_return_address(0)
#define LOCKKEEPER_ACCESSES(SIZE)                                                            \
    void __tsan_read##SIZE(void* at) { access(at, SIZE, false, LOCKKEEPER_HERE); }           \
    void __tsan_write##SIZE(void* at) { access(at, SIZE, true, LOCKKEEPER_HERE); }           \
    void __tsan_unaligned_read##SIZE(void* at) { access(at, SIZE, false, LOCKKEEPER_HERE); } \
    void __tsan_unaligned_write##SIZE(void* at) { access(at, SIZE, true, LOCKKEEPER_HERE); } \
    void __tsan_volatile_read##SIZE(void* at) { access(at, SIZE, false, LOCKKEEPER_HERE); }  \
    void __tsan_volatile_write##SIZE(void* at) { access(at, SIZE, true, LOCKKEEPER_HERE); }  \
    void __tsan_unaligned_volatile_read##SIZE(void* at) {                                    \
        access(at, SIZE, false, LOCKKEEPER_HERE);                                            \
    }                                                                                        \
    void __tsan_unaligned_volatile_write##SIZE(void* at) {                                   \
        access(at, SIZE, true, LOCKKEEPER_HERE);                                             \
    }                                                                                        \
    void __tsan_read_write##SIZE(void* at) { access(at, SIZE, true, LOCKKEEPER_HERE); }      \
    void __tsan_unaligned_read_write##SIZE(void* at) { access(at, SIZE, true, LOCKKEEPER_HERE); }

extern "C" {

void __tsan_init() { has_hooks = true; }

LOCKKEEPER_ACCESSES(1)
LOCKKEEPER_ACCESSES(2)
LOCKKEEPER_ACCESSES(4)
LOCKKEEPER_ACCESSES(8)
LOCKKEEPER_ACCESSES(16)

void __tsan_read_range(void* at, unsigned long size) { access(at, size, false, LOCKKEEPER_HERE); }
void __tsan_write_range(void* at, unsigned long size) { access(at, size, true, LOCKKEEPER_HERE); }

// A constructor that writes the same table again is no race with whoever calls by it.
void __tsan_vptr_update(void** at, void* value) {
    if (*at != value) {
        access(at, sizeof(void*), true, LOCKKEEPER_HERE);
    }
}
void __tsan_vptr_read(void** at) { access(at, sizeof(void*), false, LOCKKEEPER_HERE); }

// Where a thread is, is asked of the unwinder, when it is told.
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

void __tsan_ignore_thread_begin() {}
void __tsan_ignore_thread_end() {}

// A lock tells the sanitizer what it is, and which accesses to ignore (Abseil's does). Here its own
// atomic accesses are seen, and no access is ignored.
void __tsan_mutex_create(void*, unsigned) {}
void __tsan_mutex_destroy(void*, unsigned) {}
void __tsan_mutex_pre_lock(void*, unsigned) {}
void __tsan_mutex_post_lock(void*, unsigned, int) {}
int __tsan_mutex_pre_unlock(void*, unsigned) { return 0; }
void __tsan_mutex_post_unlock(void*, unsigned) {}
void __tsan_mutex_pre_signal(void*, unsigned) {}
void __tsan_mutex_post_signal(void*, unsigned) {}
void __tsan_mutex_pre_divert(void*, unsigned) {}
void __tsan_mutex_post_divert(void*, unsigned) {}
void AnnotateIgnoreReadsBegin(const char*, int) {}
void AnnotateIgnoreReadsEnd(const char*, int) {}
void AnnotateIgnoreWritesBegin(const char*, int) {}
void AnnotateIgnoreWritesEnd(const char*, int) {}

// Only atomic accesses order anything here.
void __tsan_acquire(void*) {
    refuse("the program tells the sanitizer what happens before what (__tsan_acquire)",
           reinterpret_cast<std::uint64_t>(LOCKKEEPER_HERE));
}
void __tsan_release(void*) {
    refuse("the program tells the sanitizer what happens before what (__tsan_release)",
           reinterpret_cast<std::uint64_t>(LOCKKEEPER_HERE));
}

void* memcpy(void* to, const void* from, std::size_t size) noexcept {
    access(from, size, false, LOCKKEEPER_HERE);
    access(to, size, true, LOCKKEEPER_HERE);
    copy_bytes(to, from, size);
    return to;
}

void* memmove(void* to, const void* from, std::size_t size) noexcept {
    access(from, size, false, LOCKKEEPER_HERE);
    access(to, size, true, LOCKKEEPER_HERE);
    if (to <= from || static_cast<std::byte*>(to) >= static_cast<const std::byte*>(from) + size) {
        copy_bytes(to, from, size);
    } else {
        copy_bytes_backwards(to, from, size);
    }
    return to;
}

void* memset(void* to, int value, std::size_t size) noexcept {
    access(to, size, true, LOCKKEEPER_HERE);
    fill_bytes(to, value, size);
    return to;
}

void* __tsan_memcpy(void* to, const void* from, unsigned long size) {
    access(from, size, false, LOCKKEEPER_HERE);
    access(to, size, true, LOCKKEEPER_HERE);
    copy_bytes(to, from, size);
    return to;
}
void* __tsan_memmove(void* to, const void* from, unsigned long size) {
    return memmove(to, from, size);
}
void* __tsan_memset(void* to, int value, unsigned long size) { return memset(to, value, size); }

}  // extern "C"
