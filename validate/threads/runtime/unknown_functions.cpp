// SPDX-License-Identifier: Apache-2.0

// In a program that explores a part of itself the rest may call what it likes. Functions of
// libraries that are not hosted lead to a breakpoint there, while the part is explored.
#include <elf.h>

#include "validate/threads/runtime/hosted.hpp"
#include "validate/threads/runtime/program.hpp"
#include "validate/threads/runtime/program_file.hpp"
#include "validate/threads/runtime/system.hpp"

namespace lockkeeper::threads {
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
    make_runnable(traps, symbols.size() + 1);
    for (const Elf64_Shdr& section : file.sections()) {
        if (section.sh_type != SHT_RELA) {
            continue;
        }
        for (const Elf64_Rela& one : file.entries<Elf64_Rela>(section)) {
            const std::size_t index = ELF64_R_SYM(one.r_info);
            if (index == 0 || index >= symbols.size() || !names_a_function(one, symbols[index]) ||
                is_hosted(file.name(*table, symbols[index].st_name), true)) {
                continue;
            }
            const std::uintptr_t slot = one.r_offset + host.shadow.code;
            set_called(slot, traps + index);
            const auto at = reinterpret_cast<std::uint64_t>(traps + index);
            const std::string name(file.name(*table, symbols[index].st_name));
            host.unseen[at] = {at, "the test calls " + name + ", which is not hosted", true, 0};
        }
    }
}

}  // namespace lockkeeper::threads
