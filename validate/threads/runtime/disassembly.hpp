// SPDX-License-Identifier: Apache-2.0

// The program's own code as a disassembler prints it, function by function, in the words of
// AT&T's assembly. GNU's objdump and LLVM's write the same but for spaces and suffixes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "validate/threads/runtime/program_file.hpp"

namespace lockkeeper::threads {

struct Instruction {
    std::uint64_t at = 0;  // in the file: without the base that the program is loaded at
    bool is_locked = false;
    std::string_view name;      // without prefixes
    std::string_view operands;  // "0x8(%rax),%rdx", "1139 <main>"
    std::uint64_t named = 0;    // the address that an operand relative to %rip names; 0: none
};

// The code behind one name, up to the next one.
struct CodeOfName {
    std::uint64_t at = 0;
    std::string_view name;
    std::vector<Instruction> instructions;
};

// All sections but those of the linker and of this runtime. The text keeps what the views show.
// Empty: there is no disassembler.
[[nodiscard]] std::vector<CodeOfName> disassemble(const ProgramFile& file, std::string& text);

template <class Names>
bool is_one_of(std::string_view name, const Names& names) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}
template <class Names>
bool begins_with_one_of(std::string_view name, const Names& names) {
    return std::any_of(std::begin(names), std::end(names),
                       [&](std::string_view begin) { return name.starts_with(begin); });
}

// A function's name as C++ has it.
[[nodiscard]] std::string readable(std::string_view name);

// Operands apart: "0x8(%rax,%rbx,1)", "%rdx".
[[nodiscard]] std::vector<std::string_view> operands_of(const Instruction& instruction);

}  // namespace lockkeeper::threads
