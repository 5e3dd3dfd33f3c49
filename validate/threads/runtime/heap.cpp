// SPDX-License-Identifier: Apache-2.0

// malloc and its family. Threads of the program have an arena each, in which nothing is used again
// within a run; what is allocated before main has one that each run begins with anew. The host
// itself has the C library's heap.
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "validate/threads/runtime/bytes.hpp"
#include "validate/threads/runtime/hosted.hpp"
#include "validate/threads/runtime/system.hpp"
#include "validate/threads/runtime/waits.hpp"

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void __libc_free(void* block);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace lockkeeper::threads {
namespace {

constexpr std::size_t kArenas = kThreadsMax + 1;
constexpr std::size_t kHeader = 16;

constexpr std::size_t kKeptSizes = 129;  // multiples of 16

struct Arenas {
    std::byte* memory;
    std::size_t used[kArenas];
    std::size_t kept;  // of what is allocated before main
    // What is given back before anything is explored, by size: a program may explore many times.
    void* given_back[kKeptSizes];
};
Arenas* arenas = nullptr;

struct Header {
    std::size_t size;
    std::uint64_t mark;  // only blocks have it
};

void prepare() {
    if (arenas == nullptr) {
        arenas = reinterpret_cast<Arenas*>(reserve(sizeof(Arenas)));
        constexpr std::uintptr_t kNear = 0x2000'0000'0000;
        arenas->memory = reserve(kArenas * kArenaBytes, kNear);
    }
}

bool is_in_arena(const void* block) {
    const auto* at = static_cast<const std::byte*>(block);
    return arenas != nullptr && at >= arenas->memory && at < arenas->memory + kArenas * kArenaBytes;
}

Header& header_of(void* block) {
    return *reinterpret_cast<Header*>(static_cast<std::byte*>(block) - kHeader);
}
std::uint64_t mark_of(const void* block) {
    return reinterpret_cast<std::uint64_t>(block) ^ 0x6c6f636b6b656570U;
}

// The program gives back what no allocation gave it. Outside of the arenas, its own variables and
// stacks are known to be that.
bool is_no_block(void* block) {
    if (running() == nullptr) {
        return false;
    }
    return is_in_arena(block) ? header_of(block).mark != mark_of(block)
                              : hosted->shadow.find_region(reinterpret_cast<std::uintptr_t>(block));
}

// A thread of the program, or what runs before main; else it is the host.
bool is_program() { return hosted == nullptr || running() != nullptr; }

std::size_t kept_size(std::size_t size) { return (size + 15) / 16; }

// Null: nothing of this size was given back.
void* taken_again(std::size_t size, std::size_t alignment) {
    if (hosted != nullptr || alignment > 16 || kept_size(size) >= kKeptSizes) {
        return nullptr;
    }
    void*& first = arenas->given_back[kept_size(size)];
    void* block = first;
    if (block != nullptr) {
        first = *static_cast<void**>(block);
        header_of(block).size = size;
        fill_bytes(block, 0, size);
    }
    return block;
}

void give_back(void* block) {
    const std::size_t index = kept_size(header_of(block).size);
    if (index > 0 && index < kKeptSizes) {
        *static_cast<void**>(block) = arenas->given_back[index];
        arenas->given_back[index] = block;
    }
}

void note_block(const void* block, std::size_t size, std::uint64_t site) {
    const auto at = reinterpret_cast<std::uint64_t>(block);
    const bool is_told = hosted->is_telling && at == hosted->watched;
    if (is_told) {
        note_calls(site);
    }
    const Fiber& fiber = *running();
    const AsHost host;
    hosted->blocks[at] = {size, host.thread(), site};
    if (is_told) {
        Told told;
        told.thread = host.thread();
        told.address = at;
        told.text = "allocates";
        told.calls = fiber.calls;
        hosted->told.push_back(told);
    }
}

void note_effect() {
    if (Fiber* fiber = running()) {
        ++fiber->effects;
    }
}

void* allocate(std::size_t size, std::size_t alignment, std::uint64_t site) {
    prepare();
    note_effect();
    if (void* block = taken_again(size, alignment)) {
        return block;
    }
    if (running() != nullptr && hosted->current != 0 &&
        hosted->settings.allocation_failures_max > 0 &&
        chooses_failure(reinterpret_cast<const void*>(site))) {
        errno = ENOMEM;
        return nullptr;
    }
    const std::size_t arena = running() != nullptr ? hosted->current : kArenaBeforeMain;
    const std::size_t base = arena * kArenaBytes;
    std::size_t at = arenas->used[arena] + kHeader;
    at = (at + alignment - 1) & ~(alignment - 1);
    if (size > kArenaBytes - 4096 || at + size > kArenaBytes - 4096) {
        errno = ENOMEM;
        return nullptr;
    }
    arenas->used[arena] = (at + size + 15) & ~std::size_t{15};
    void* block = arenas->memory + base + at;
    header_of(block) = {size, mark_of(block)};
    fill_bytes(block, 0, size);
    if (running() != nullptr && hosted->settings.finds_leaks) {
        note_block(block, size, site);
    }
    return block;
}

void release(void* block, std::uint64_t site) {
    if (block == nullptr) {
        return;
    }
    note_effect();
    if (is_no_block(block)) {
        found("invalid free", "what is given back is no block of the heap", site);
    }
    if (!is_in_arena(block)) {
        if (is_program()) {
            return;  // of before: each run finds it again
        }
        __libc_free(block);
        return;
    }
    if (running() == nullptr) {
        if (hosted == nullptr) {
            give_back(block);
        }
        return;
    }
    if (hosted->settings.finds_leaks) {
        const AsHost host;
        hosted->blocks.erase(reinterpret_cast<std::uint64_t>(block));
    }
    const ShadowAccess access{reinterpret_cast<std::uintptr_t>(block),
                              header_of(block).size == 0 ? 1 : header_of(block).size,
                              true,
                              false,
                              true,
                              site};
    watch(access);
}

}  // namespace

void keep_heap(Hosted& host) {
    prepare();
    arenas->kept = arenas->used[kArenaBeforeMain];
    Image image;
    image.at = arenas->memory + kArenaBeforeMain * kArenaBytes;
    image.size = arenas->kept;
    host.images.push_back(image);
    host.shadow.add(arenas->memory, kArenas * kArenaBytes);
}

void reset_arenas(Hosted&) {
    for (std::size_t& used : arenas->used) {
        used = 0;
    }
    arenas->used[kArenaBeforeMain] = arenas->kept;
}

}  // namespace lockkeeper::threads

using namespace lockkeeper::threads;

#define LOCKKEEPER_SITE reinterpret_cast<std::uint64_t>(__builtin_return_address(0))

extern "C" {

void* malloc(std::size_t size) noexcept {
    return is_program() ? allocate(size, 16, LOCKKEEPER_SITE) : __libc_malloc(size);
}

void free(void* block) noexcept { release(block, LOCKKEEPER_SITE); }

void* calloc(std::size_t count, std::size_t size) noexcept {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return nullptr;
    }
    void* block = malloc(bytes);
    if (block != nullptr && !is_in_arena(block)) {
        fill_bytes(block, 0, bytes);
    }
    return block;
}

void* realloc(void* old, std::size_t size) noexcept {
    if (!is_program() && !is_in_arena(old)) {
        return __libc_realloc(old, size);
    }
    void* block = malloc(size);
    if (block == nullptr || old == nullptr) {
        return block;
    }
    if (is_in_arena(old)) {
        copy_bytes(block, old, size < header_of(old).size ? size : header_of(old).size);
    }
    release(old, LOCKKEEPER_SITE);
    return block;
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
    return is_program() ? allocate(size, alignment < 16 ? 16 : alignment, LOCKKEEPER_SITE)
                        : __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
    return memalign(alignment, size);
}

int posix_memalign(void** block, std::size_t alignment, std::size_t size) noexcept {
    void* made = memalign(alignment, size);
    if (made == nullptr) {
        return ENOMEM;
    }
    note_written_by(block, __builtin_return_address(0));
    *block = made;
    return 0;
}

std::size_t malloc_usable_size(void* block) noexcept {
    return block == nullptr || !is_in_arena(block) ? 0 : header_of(block).size;
}

}  // extern "C"
