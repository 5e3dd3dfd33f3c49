// SPDX-License-Identifier: Apache-2.0
#include "validate/threads/runtime/shadow.hpp"

#include <algorithm>

#include "validate/threads/runtime/hosted.hpp"
#include "validate/threads/runtime/quick_access.hpp"
#include "validate/threads/runtime/system.hpp"

namespace lockkeeper::threads {
namespace {

constexpr const char* kAfterEnd = "use after end of a thread";
constexpr const char* kTextAfterEnd =
    "a variable of a thread's stack, or a thread-local one, is used when the thread may have ended";

std::uint8_t mask_of(std::size_t from, std::size_t to) {
    return static_cast<std::uint8_t>(((1U << (to - from)) - 1U) << from);
}

bool is_conflict(const PastAccess& past, Thread thread, std::uint8_t mask,
                 const ShadowAccess& access) {
    return (past.mask & mask) != 0 && past.thread != thread &&
           (past.is_write != 0 || access.is_write) && !(past.is_atomic != 0 && access.is_atomic);
}

void tell_race(Hosted& host, Thread thread, const PastAccess& past, const ShadowAccess& access) {
    Finding& found = host.found;
    const bool after_free = past.is_free != 0;
    found.kind = after_free ? "use after free" : "data race";
    const auto name = [](bool is_write, bool is_atomic) {
        return std::string(is_atomic ? "an atomic " : "a plain ") + (is_write ? "write" : "read");
    };
    const bool is_end = access.is_object && !access.is_atomic;  // or its beginning
    found.text = (is_end             ? "the beginning or the end of a mutex or the like"
                  : access.is_object ? "a call of a mutex or the like"
                                     : name(access.is_write, access.is_atomic)) +
                 (after_free ? " of memory that was given back"
                             : " and " + name(past.is_write != 0, past.is_atomic != 0) +
                                   ", and neither happens before the other");
    if (access.is_free) {
        found.text = after_free ? "memory is given back twice"
                                : "memory is given back while another thread may use it";
        found.kind = after_free ? "double free" : "data race";
    }
    found.thread = thread;
    found.site = access.site;
    found.other_thread = static_cast<Thread>(past.thread);
    found.other_site = past.site == 0 ? 0 : past.site + host.shadow.code;
    found.address = access.address;
}

// What the new access makes needless: it is ordered behind, touches no other bytes, and whoever
// conflicts with it would conflict with the new one.
bool is_covered(const PastAccess& past, Thread thread, std::uint8_t mask,
                const ShadowAccess& access, bool is_before) {
    return (past.mask & ~mask) == 0 && (past.thread == thread || is_before) &&
           (access.is_write || past.is_write == 0) && (!access.is_atomic || past.is_atomic != 0) &&
           past.is_free == 0 && (access.is_write || past.thread == thread);
}

// The cell has one access, of the same thread, which the new one covers: most have.
bool note_alone(ShadowCell& cell, Thread thread, const PastAccess& now,
                const ShadowAccess& access) {
    PastAccess& past = cell.accesses[0];
    if (cell.used != 1 || past.thread != thread || past.mask != now.mask ||
        !is_covered(past, thread, now.mask, access, true)) {
        return false;
    }
    past = now;
    return true;
}

// `now`: what the cell is to remember of the access.
bool note_in_cell(Hosted& host, ShadowCell& cell, Thread thread, const PastAccess& now,
                  const ShadowAccess& access) {
    if (note_alone(cell, thread, now, access)) {
        return true;
    }
    const std::uint8_t mask = now.mask;
    const Clock& known = host.search.happens_before(thread);
    PastAccess* place = nullptr;
    for (std::uint8_t index = 0; index < cell.used; ++index) {
        PastAccess& past = cell.accesses[index];
        if (past.mask == 0) {
            place = place == nullptr ? &past : place;
            continue;
        }
        const bool is_before = known.count[past.thread] >= past.epoch;
        if ((past.is_free != 0 && (past.mask & mask) != 0) ||
            (!is_before && is_conflict(past, thread, mask, access))) {
            tell_race(host, thread, past, access);
            return false;
        }
        if (is_covered(past, thread, mask, access, is_before)) {
            past.mask = 0;
            place = place == nullptr ? &past : place;
        }
    }
    if (place == nullptr && cell.used < ShadowCell::kAccessesMax) {
        place = &cell.accesses[cell.used++];
    }
    if (place == nullptr) {
        host.shadow.has_lost_accesses = true;
        place = &cell.accesses[0];
    }
    *place = now;
    return true;
}

// A plain write behind all atomic accesses begins a new variable: another call's frame, or one that
// is constructed where another was.
void begin_new_life(ShadowCell& cell, std::uint8_t mask) {
    for (unsigned byte = 0; cell.atomics != 0 && byte < kCellBytes; ++byte) {
        if ((cell.atomics >> byte & 1) != 0 &&
            (mask & mask_of(byte, std::min<std::size_t>(8, byte + cell.sizes[byte]))) != 0) {
            cell.atomics = static_cast<std::uint8_t>(cell.atomics & ~(1U << byte));
            ++cell.lives[byte];
        }
    }
}

// What is one thread's is used by another. False: the first one has ended.
bool note_guest(Hosted& host, Thread owner, Thread thread, const ShadowAccess& access) {
    Fiber::Guest& guest = host.fibers[owner].guests[thread];
    guest = {host.search.next_epoch(thread), access.site};
    if (!host.search.has_ended(owner)) {
        return true;
    }
    host.found.kind = kAfterEnd;
    host.found.text = kTextAfterEnd;
    host.found.thread = thread;
    host.found.site = access.site;
    host.found.other_thread = owner;
    host.found.other_site = 0;
    host.found.address = access.address;
    return false;
}

}  // namespace

bool note_end(Hosted& host, Thread thread, std::uint64_t site) {
    const Clock& known = host.search.happens_before(thread);
    for (Thread other = 0; other < kThreadsMax; ++other) {
        const Fiber::Guest& guest = host.fibers[thread].guests[other];
        if (known.count[other] < guest.epoch) {
            host.found.kind = kAfterEnd;
            host.found.text = kTextAfterEnd;
            host.found.thread = thread;
            host.found.site = site;
            host.found.other_thread = other;
            host.found.other_site = guest.site;
            host.found.address = 0;
            return false;
        }
    }
    return true;
}

void Shadow::add(const void* from, std::size_t size, Thread owner) {
    Region region;
    region.owner = owner;
    region.from = reinterpret_cast<std::uintptr_t>(from) & ~(kCellBytes - 1);
    region.to = reinterpret_cast<std::uintptr_t>(from) + size;
    const std::size_t cells = (region.to - region.from + kCellBytes - 1) / kCellBytes;
    region.cells = reinterpret_cast<ShadowCell*>(reserve(cells * sizeof(ShadowCell)));
    const auto behind =
        std::find_if(regions.begin(), regions.end(),
                     [&region](const Region& other) { return other.from > region.from; });
    regions.insert(behind, region);
}

bool Shadow::find_region(std::uintptr_t address) {
    const auto has = [address](const Region& region) {
        return address >= region.from && address < region.to;
    };
    std::uint8_t& near_one = near[address >> kNearBits & (kNear - 1)];
    if (near_one < regions.size() && has(regions[near_one])) {
        last = near_one;
        return true;
    }
    const auto behind =
        std::partition_point(regions.begin(), regions.end(),
                             [address](const Region& region) { return region.from <= address; });
    if (behind == regions.begin() || !has(*(behind - 1))) {
        return false;
    }
    last = static_cast<std::size_t>(behind - regions.begin()) - 1;
    near_one = static_cast<std::uint8_t>(last);
    return true;
}

ShadowCell* Shadow::find(std::uintptr_t address, std::uint32_t run) {
    if (!find_region(address)) {
        return nullptr;
    }
    const Region& region = regions[last];
    ShadowCell& cell = region.cells[(address - region.from) / kCellBytes];
    if (cell.run != run) {
        cell.begin(run);
    }
    return &cell;
}

bool note_access(Hosted& host, Thread thread, const ShadowAccess& access) {
    const std::uintptr_t end = access.address + access.size;
    PastAccess now = past_access(host, access, thread, 0);
    for (std::uintptr_t at = access.address; at < end;) {
        const std::uintptr_t base = at & ~(kCellBytes - 1);
        const std::uintptr_t to = std::min(end, base + kCellBytes);
        ShadowCell* cell = host.shadow.find(at, host.run);
        if (cell != nullptr) {
            now.mask = mask_of(at - base, to - base);
            const Thread owner = host.shadow.owner();
            // What main has is there until the process ends.
            if (owner != kNobody && owner != 0 && owner != thread &&
                !note_guest(host, owner, thread, access)) {
                return false;
            }
            if (!note_in_cell(host, *cell, thread, now, access)) {
                return false;
            }
            if (access.is_write && !access.is_atomic) {
                begin_new_life(*cell, now.mask);
            }
        }
        at = to;
    }
    return true;
}

std::uint8_t life_of(Hosted& host, std::uintptr_t address, std::uint8_t size, bool& is_mixed) {
    ShadowCell* cell = host.shadow.find(address, host.run);
    is_mixed = false;
    if (cell == nullptr) {
        return 0;
    }
    const unsigned offset = address % kCellBytes;
    for (unsigned byte = 0; byte < kCellBytes; ++byte) {
        if ((cell->atomics >> byte & 1) != 0 && (byte != offset || cell->sizes[byte] != size) &&
            byte < offset + size && offset < byte + cell->sizes[byte]) {
            is_mixed = true;
        }
    }
    cell->atomics = static_cast<std::uint8_t>(cell->atomics | 1U << offset);
    cell->sizes[offset] = size;
    return cell->lives[offset];
}

}  // namespace lockkeeper::threads
