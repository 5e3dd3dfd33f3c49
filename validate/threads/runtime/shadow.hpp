// SPDX-License-Identifier: Apache-2.0

// Which plain and atomic accesses each byte of the program's memory has had in this run: two of
// different threads, one of which writes and one of which is plain, are a data race unless one
// happens before the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "validate/threads/graph/event.hpp"

namespace lockkeeper::threads {

struct PastAccess {
    std::uint64_t site : 33 = 0;  // from the beginning of the program's code; 0: in a library
    std::uint64_t mask : 8 = 0;   // which bytes of the eight; 0: no access
    std::uint64_t thread : 4 = 0;
    std::uint64_t is_write : 1 = 0;
    std::uint64_t is_atomic : 1 = 0;
    std::uint64_t is_free : 1 = 0;  // memory was given back
    std::uint64_t epoch : 16 = 0;
};
static_assert(sizeof(PastAccess) == 8);

// Eight bytes of the program.
constexpr std::uintptr_t kCellBytes = 8;
struct ShadowCell {
    static constexpr std::size_t kAccessesMax = 24;
    std::uint32_t run = 0;       // what is of another run is nothing
    std::uint8_t atomics = 0;    // bytes at which an atomic variable begins
    std::uint8_t lives[8] = {};  // how often a plain write has begun a new variable there
    std::uint8_t sizes[8] = {};  // of the atomic variables
    std::uint8_t used = 0;       // of the accesses
    PastAccess accesses[kAccessesMax];

    // Forgets another run's: `used` says which accesses there are.
    void begin(std::uint32_t now) {
        run = now;
        atomics = 0;
        used = 0;
        for (std::uint8_t& life : lives) {
            life = 0;
        }
    }
};

struct Shadow {
    struct Region {
        std::uintptr_t from = 0;
        std::uintptr_t to = 0;
        ShadowCell* cells = nullptr;
        Thread owner = kNobody;  // whose stack or thread-local variables it is
    };
    std::vector<Region> regions;  // in order
    std::size_t last = 0;
    // In which one an address like this was found last. What threads have stands 16 MiB apart.
    static constexpr std::size_t kNearBits = 24;
    static constexpr std::size_t kNear = 64;
    std::uint8_t near[kNear] = {};
    std::uintptr_t code = 0;  // sites are counted from here
    bool has_lost_accesses = false;

    void add(const void* from, std::size_t size, Thread owner = kNobody);
    // Sets `last`. False: it is of no region.
    [[nodiscard]] bool find_region(std::uintptr_t address);
    // Null: of no region.
    [[nodiscard]] ShadowCell* find(std::uintptr_t address, std::uint32_t run);
    // That of the region in which something was found last.
    [[nodiscard]] Thread owner() const { return regions[last].owner; }
};

struct Hosted;

struct ShadowAccess {
    std::uintptr_t address = 0;
    std::size_t size = 0;
    bool is_write = false;
    bool is_atomic = false;
    bool is_free = false;
    std::uint64_t site = 0;
    bool is_object = false;  // what is done with a mutex or the like
};
// An access of a thread. False: it is an error, which is in Hosted::found.
[[nodiscard]] bool note_access(Hosted& host, Thread thread, const ShadowAccess& access);
// The thread ends, and with it its stack and its thread-local variables. False: another thread may
// use them then, which is in Hosted::found.
[[nodiscard]] bool note_end(Hosted& host, Thread thread, std::uint64_t site);
// How many variables have begun at this address before the one that is there now; `is_mixed`:
// another atomic variable of another size has bytes of it.
[[nodiscard]] std::uint8_t life_of(Hosted& host, std::uintptr_t address, std::uint8_t size,
                                   bool& is_mixed);

}  // namespace lockkeeper::threads
