// SPDX-License-Identifier: Apache-2.0

// The whole native canal lock as programs have it: tables of keys and holders by oneTBB, units that
// give themselves back. Used by the programs beside it.
#pragma once

#include <cassert>
#include <cstdlib>
#include <thread>
#include <vector>

#include "impl/native/native_lock.hpp"

// In the place of oneTBB's library, whose memory would not be seen: its tables call nothing else.
namespace tbb::detail::r1 {
void throw_exception(exception_id) { std::abort(); }
}  // namespace tbb::detail::r1

namespace lockkeeper::native {

enum class Joins { kBefore, kInThread };

// Each thread takes a unit of the key if there is one, writes what the lock protects where there is
// one unit only, and gives it back.
template <class Lock>
void use_whole_lock(Lock& lock, unsigned threads, View view, Joins joins) {
    int resource = 0;
    auto& key = lock.key("db");
    std::vector<typename Lock::Holder> holders;
    for (unsigned index = 0; joins == Joins::kBefore && index < threads; ++index) {
        holders.push_back(lock.join());
    }
    const auto use = [&](typename Lock::Holder& holder, unsigned index) {
        const auto unit = lock.acquire(holder, key, view);
        if (unit && view.capacity() == 1) {
            resource = static_cast<int>(index);
        }
    };
    std::vector<std::thread> all;
    for (unsigned index = 0; index < threads; ++index) {
        all.emplace_back([&, index] {
            if (joins == Joins::kBefore) {
                use(holders[index], index);
            } else {
                auto holder = lock.join();
                use(holder, index);
            }
        });
    }
    for (std::thread& one : all) {
        one.join();
    }
    assert(key.row.in_use() == 0);
}

}  // namespace lockkeeper::native
