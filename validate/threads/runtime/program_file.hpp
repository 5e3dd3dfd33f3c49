// SPDX-License-Identifier: Apache-2.0

// The file of the program that runs: sections, symbols, bytes.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "validate/threads/runtime/system.hpp"

namespace lockkeeper::threads {

// The file of the program, whole and read-only.
class ProgramFile {
  public:
    ProgramFile() {
        const long file = raw_call(SYS_open, reinterpret_cast<long>("/proc/self/exe"), 0);
        const long size = raw_call(SYS_lseek, file, 0, 2);
        const long at = size > 0 ? raw_call(SYS_mmap, 0, size, 1, 2, file, 0) : -1;
        raw_call(SYS_close, file);
        if (at > 0) {
            bytes_ = reinterpret_cast<const char*>(at);
            size_ = static_cast<std::size_t>(size);
        }
        read_sections();
    }
    [[nodiscard]] const Elf64_Shdr* section(std::uint32_t type) const {
        for (const Elf64_Shdr& one : sections()) {
            if (one.sh_type == type) {
                return &one;
            }
        }
        return nullptr;
    }
    template <class Entry>
    [[nodiscard]] std::vector<Entry> entries(const Elf64_Shdr& section) const {
        std::vector<Entry> all;
        if (section.sh_offset + section.sh_size <= size_) {
            all.resize(section.sh_size / sizeof(Entry));
            std::memcpy(all.data(), bytes_ + section.sh_offset, all.size() * sizeof(Entry));
        }
        return all;
    }
    // A name in the table of names of this section.
    [[nodiscard]] std::string_view name(const Elf64_Shdr& of, std::uint64_t offset) const {
        if (of.sh_link >= sections_.size()) {
            return {};
        }
        const std::uint64_t at = sections_[of.sh_link].sh_offset + offset;
        return at < size_ ? std::string_view(bytes_ + at) : std::string_view();
    }
    [[nodiscard]] const std::vector<Elf64_Shdr>& sections() const { return sections_; }
    [[nodiscard]] std::string_view section_name(const Elf64_Shdr& section) const {
        if (names_ >= sections_.size()) {
            return {};
        }
        const std::uint64_t at = sections_[names_].sh_offset + section.sh_name;
        return at < size_ ? std::string_view(bytes_ + at) : std::string_view();
    }

  private:
    void read_sections() {
        Elf64_Ehdr head{};
        if (size_ < sizeof(head)) {
            return;
        }
        std::memcpy(&head, bytes_, sizeof(head));
        if (head.e_shoff + head.e_shnum * sizeof(Elf64_Shdr) <= size_) {
            sections_.resize(head.e_shnum);
            std::memcpy(sections_.data(), bytes_ + head.e_shoff,
                        sections_.size() * sizeof(Elf64_Shdr));
            names_ = head.e_shstrndx;
        }
    }
    const char* bytes_ = nullptr;
    std::size_t size_ = 0;
    std::vector<Elf64_Shdr> sections_;
    std::size_t names_ = 0;  // which section has the names of sections
};

// Where the program has the address of a function of a library: for calls by its name, for calls by
// a pointer, and in data. Where something is added to it, it is no address of a function.
[[nodiscard]] inline bool names_a_function(const Elf64_Rela& one, const Elf64_Sym& symbol) {
    const auto type = ELF64_R_TYPE(one.r_info);
    return symbol.st_shndx == SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT &&
           ELF64_ST_TYPE(symbol.st_info) != STT_TLS &&
           (type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT ||
            (type == R_X86_64_64 && one.r_addend == 0));
}

// Runs the first of these tools that there is, from the usual directories, and gives what it
// prints; empty: there is none.
[[nodiscard]] std::string run_tool(std::initializer_list<const char*> names,
                                   std::vector<std::string>& arguments);
[[nodiscard]] std::string path_of_program();

struct Hosted;
// While it is explored, functions that are not hosted lead to a breakpoint.
void trap_unknown_functions(Hosted& host, const ProgramFile& file);

// A function of the program that threads must not come to.
struct UnseenCode {
    std::uint64_t at = 0;  // in the file
    std::string why;
};
// All code of the program whose accesses the hooks do not see. `problem`: it cannot be looked at.
// `atomic_sites`: where calls of atomic hooks come back to, and of syscall().
[[nodiscard]] std::vector<UnseenCode> unseen_code(const ProgramFile& file, std::string& problem,
                                                  std::vector<std::uint64_t>& atomic_sites);

}  // namespace lockkeeper::threads
