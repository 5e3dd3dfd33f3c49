// SPDX-License-Identifier: Apache-2.0

// Where mutexes, condition variables, semaphores and the like begin and end.
#include "validate/threads/runtime/waits.hpp"

namespace lockkeeper::threads {
namespace {

// The value of the object's word as the thread knows it. Who has changed it and is not ordered
// before races with the thread.
std::uint64_t known_word(const void* object) {
    const AsHost as_host;
    const Hosted& host = *hosted;
    const auto address = reinterpret_cast<std::uint64_t>(object);
    bool is_mixed = false;
    const std::uint8_t life = life_of(*hosted, address, 1, is_mixed);
    const auto known = host.locations.find(key_of_word(address, life, false));
    if (known == host.locations.end()) {
        return 0;
    }
    const Graph& graph = host.search.graph();
    const Clock& before = host.search.happens_before(as_host.thread());
    const std::span<const EventId> stores = graph.stores(known->second);
    for (auto store = stores.rbegin(); store != stores.rend(); ++store) {
        if (before.has(*store)) {
            return graph.at(*store).value;
        }
    }
    return 0;
}

}  // namespace

void renew_object(const void* object, std::size_t size, const void* site) {
    Fiber* fiber = running();
    if (fiber != nullptr) {
        fiber->has_changed = true;
        ShadowAccess access{reinterpret_cast<std::uintptr_t>(object), size, true};
        access.site = reinterpret_cast<std::uint64_t>(site);
        access.is_object = true;
        watch(access);
    }
}

void end_lock(const void* lock, std::size_t size, const void* site) {
    if (running() == nullptr) {
        return;
    }
    const bool is_held = known_word(lock) != 0;
    renew_object(lock, size, site);
    if (is_held) {
        found("destruction of a lock that is held", "a lock is destroyed while a thread holds it",
              reinterpret_cast<std::uint64_t>(site));
    }
}

}  // namespace lockkeeper::threads
