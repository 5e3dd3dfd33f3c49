// SPDX-License-Identifier: Apache-2.0

// In a program that explores a part of itself the rest may call what it likes. Functions of
// libraries that are not hosted lead to a breakpoint there, while the part is explored.
#include <elf.h>

#include "validate/threads/runtime/hosted.hpp"
#include "validate/threads/runtime/program.hpp"
#include "validate/threads/runtime/program_file.hpp"
#include "validate/threads/runtime/system.hpp"

namespace lockkeeper::threads {
namespace {

constexpr long kReadWrite = 3;
constexpr std::uintptr_t kPageBytes = 4096;

void protect(std::uintptr_t from, std::size_t size, long how) {
    const std::uintptr_t page = from & ~(kPageBytes - 1);
    if (raw_call(SYS_mprotect, static_cast<long>(page), static_cast<long>(from + size - page),
                 how) != 0) {
        end_with_message("the system does not let a program change what it calls");
    }
}

bool names_a_function(const Elf64_Rela& one) {
    const auto type = ELF64_R_TYPE(one.r_info);
    return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT || type == R_X86_64_64;
}

}  // namespace

void trap_unknown_functions(Hosted& host, const ProgramFile& file) {
    const Elf64_Shdr* table = file.section(SHT_DYNSYM);
    if (table == nullptr) {
        return;
    }
    const std::vector<Elf64_Sym> symbols = file.entries<Elf64_Sym>(*table);
    std::byte* traps = reserve(symbols.size() + 1);
    for (std::size_t index = 0; index < symbols.size(); ++index) {
        traps[index] = std::byte{0xcc};
    }
    constexpr long kReadRun = 5;
    protect(reinterpret_cast<std::uintptr_t>(traps), symbols.size() + 1, kReadRun);
    for (const Elf64_Shdr& section : file.sections()) {
        if (section.sh_type != SHT_RELA) {
            continue;
        }
        for (const Elf64_Rela& one : file.entries<Elf64_Rela>(section)) {
            const std::size_t index = ELF64_R_SYM(one.r_info);
            if (!names_a_function(one) || index == 0 || index >= symbols.size() ||
                symbols[index].st_shndx != SHN_UNDEF ||
                ELF64_ST_TYPE(symbols[index].st_info) == STT_OBJECT ||
                is_hosted(file.name(*table, symbols[index].st_name), true)) {
                continue;
            }
            const std::uintptr_t slot = one.r_offset + host.shadow.code;
            protect(slot, sizeof(void*), kReadWrite);
            *reinterpret_cast<std::byte**>(slot) = traps + index;
            const auto at = reinterpret_cast<std::uint64_t>(traps + index);
            const std::string name(file.name(*table, symbols[index].st_name));
            host.unseen[at] = {at, "the test calls " + name + ", which is not hosted", true, 0};
        }
    }
}

}  // namespace lockkeeper::threads
