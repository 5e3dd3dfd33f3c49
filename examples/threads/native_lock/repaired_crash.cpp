// SPDX-License-Identifier: Apache-2.0
// A holder uses its unit while its crash is reported. Another one holds all the time: of two units
// its own is in use at the end.
#include "examples/threads/native_lock/whole_lock.hpp"

using namespace lockkeeper::native;

int main() {
    RepairedCanalLock lock;
    auto& key = lock.key("db");
    auto bystander = lock.join();
    const auto held = lock.acquire(bystander, key, View{2, 1});
    assert(held);
    {
        auto holder = lock.join();
        std::thread user([&] { static_cast<void>(lock.acquire(holder, key, View{2, 1})); });
        std::thread reporter([&] { lock.on_crash(holder.id()); });
        user.join();
        reporter.join();
    }
    assert(key.row.in_use() == 1);
}
