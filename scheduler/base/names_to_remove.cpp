// SPDX-License-Identifier: Apache-2.0
#include "scheduler/base/names_to_remove.hpp"

#include <limits.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>

#include "scheduler/base/output_file.hpp"

namespace lockkeeper {
namespace {

enum class Use : int { kFree, kBeingFilled, kFull };

struct Slot {
    std::atomic<Use> use{Use::kFree};
    std::array<char, PATH_MAX> name{};
};
std::array<Slot, 16> kept_names;

}  // namespace

void remember_to_remove(const std::string& name) {
    if (name.size() >= PATH_MAX) {
        return;
    }
    for (Slot& slot : kept_names) {
        Use expected = Use::kFree;
        if (slot.use.compare_exchange_strong(expected, Use::kBeingFilled)) {
            std::memcpy(slot.name.data(), name.c_str(), name.size() + 1);
            slot.use = Use::kFull;
            return;
        }
    }
}

void forget_to_remove(const std::string& name) noexcept {
    for (Slot& slot : kept_names) {
        if (slot.use == Use::kFull && name == slot.name.data()) {
            slot.use = Use::kFree;
        }
    }
}

void remove_unfinished_files() noexcept {
    for (const Slot& slot : kept_names) {
        if (slot.use == Use::kFull) {
            ::unlink(slot.name.data());
        }
    }
}

}  // namespace lockkeeper
