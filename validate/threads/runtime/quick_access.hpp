// SPDX-License-Identifier: Apache-2.0

// The plain accesses that most are, noted by the hooks themselves: eight bytes that nobody has
// accessed in this run, or only this thread since its last event. For plain_hooks.cpp.
#pragma once

#include "validate/threads/runtime/hosted.hpp"

namespace lockkeeper::threads {

// Null: note_access() has to look.
[[nodiscard]] inline ShadowCell* quick_cell(Shadow& shadow, std::uintptr_t address, Thread thread) {
    const std::uint8_t number = shadow.near[address >> Shadow::kNearBits & (Shadow::kNear - 1)];
    if (number >= shadow.regions.size()) {
        return nullptr;
    }
    const Shadow::Region& region = shadow.regions[number];
    const bool is_own = region.owner == kNobody || region.owner == 0 || region.owner == thread;
    return is_own && address >= region.from && address < region.to
               ? &region.cells[(address - region.from) / kCellBytes]
               : nullptr;
}

[[nodiscard]] inline PastAccess past_access(const Hosted& host, const ShadowAccess& access,
                                            Thread thread, std::uint8_t mask) {
    PastAccess past;
    const std::uint64_t site = access.site - host.shadow.code;
    past.site =
        access.site > host.shadow.code && site < std::uint64_t{1} << 33 ? site & 0x1'ffff'ffffU : 0;
    past.mask = mask;
    past.thread = thread & 15U;
    past.is_write = access.is_write ? 1 : 0;
    past.is_atomic = access.is_atomic ? 1 : 0;
    past.is_free = access.is_free ? 1 : 0;
    past.epoch = host.search.next_epoch(thread);
    return past;
}

// True: nothing is left to do.
[[nodiscard]] inline bool note_at_once(Hosted& host, const ShadowAccess& access) {
    const std::size_t from = access.address % kCellBytes;
    const Thread thread = host.current;
    if (host.is_telling || from + access.size > kCellBytes) {
        return false;
    }
    ShadowCell* cell = quick_cell(host.shadow, access.address, thread);
    if (cell == nullptr) {
        return false;
    }
    const auto mask = static_cast<std::uint8_t>(((1U << access.size) - 1U) << from);
    if (cell->run != host.run) {
        cell->begin(host.run);
        cell->used = 1;
        cell->accesses[0] = past_access(host, access, thread, mask);
        return true;
    }
    // Nobody's access can be ordered behind that one and not behind this one.
    const PastAccess& past = cell->accesses[0];
    return cell->used > 0 && past.thread == thread && past.mask == mask && past.is_atomic == 0 &&
           past.is_free == 0 && (past.is_write != 0 || !access.is_write) &&
           past.epoch == host.search.next_epoch(thread);
}

}  // namespace lockkeeper::threads
