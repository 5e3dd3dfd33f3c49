// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/held_process.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

namespace lockkeeper::wire {

void free_slots_of(SharedMemory& memory, pid_t process) {
    for (lockkeeper_wire_slot& slot : memory->slots) {
        if (slot.used != 0 && slot.pid == process) {
            slot.waits = 0;
            __atomic_store_n(&slot.used, 0, __ATOMIC_SEQ_CST);
        }
    }
    for (lockkeeper_wire_process& known : memory->processes) {
        if (known.used != 0 && known.pid == process) {
            __atomic_store_n(&known.used, 0, __ATOMIC_SEQ_CST);
        }
    }
}

bool is_of_go(const std::string& path) {
    constexpr std::string_view kMark = "\xff Go buildinf:";
    constexpr std::size_t kLookedAt = 64U << 20U;
    std::ifstream file(path, std::ios::binary);
    Elf64_Ehdr head{};
    file.read(reinterpret_cast<char*>(&head), sizeof(head));
    if (!file || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64) {
        return false;
    }
    for (unsigned i = 0; i < head.e_phnum; ++i) {
        Elf64_Phdr part{};
        file.clear();
        file.seekg(static_cast<std::streamoff>(head.e_phoff + i * sizeof(part)));
        file.read(reinterpret_cast<char*>(&part), sizeof(part));
        if (!file || part.p_type != PT_LOAD || (part.p_flags & PF_W) == 0) {
            continue;
        }
        std::string bytes(std::min<std::size_t>(part.p_filesz, kLookedAt), '\0');
        file.seekg(static_cast<std::streamoff>(part.p_offset));
        file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        if (bytes.find(kMark) != std::string::npos) {
            return true;
        }
    }
    return false;
}

bool is_held(const SharedMemory& memory, pid_t process) {
    std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
    std::size_t mapped = 0;
    for (std::string line; std::getline(maps, line); ++mapped) {
        if (line.find(memory.directory() + "/") == std::string::npos ||
            !line.ends_with(SharedMemory::library_name())) {
            continue;
        }
        return !is_of_go("/proc/" + std::to_string(process) + "/exe") &&
               std::any_of(std::begin(memory->processes), std::end(memory->processes),
                           [&](const lockkeeper_wire_process& known) {
                               return __atomic_load_n(&known.used, __ATOMIC_SEQ_CST) == 2 &&
                                      known.pid == process;
                           });
    }
    return mapped == 0;  // it executes nothing any more
}

}  // namespace lockkeeper::wire
