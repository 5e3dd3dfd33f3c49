// SPDX-License-Identifier: Apache-2.0
#include "validate/threads/runtime/disassembly.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>

namespace lockkeeper::threads {
namespace {

constexpr std::string_view kPrefixes[] = {
    "lock",     "rep",      "repz",   "repe",  "repnz", "repne", "notrack", "bnd",   "data16",
    "addr32",   "cs",       "ds",     "es",    "fs",    "gs",    "ss",      "rex.W", "rex",
    "xacquire", "xrelease", "rex.WB", "rex.X", "rex.R", "rex.B", "rex.WR"};

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
        text.remove_prefix(1);
    }
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) {
        text.remove_suffix(1);
    }
    return text;
}

// Takes the digits from the front.
std::uint64_t taken_hexadecimal(std::string_view& text) {
    if (text.starts_with("0x")) {
        text.remove_prefix(2);
    }
    std::uint64_t number = 0;
    while (!text.empty()) {
        const char digit = text.front();
        const int value = digit >= '0' && digit <= '9'   ? digit - '0'
                          : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
                                                         : -1;
        if (value < 0) {
            break;
        }
        number = number * 16 + static_cast<std::uint64_t>(value);
        text.remove_prefix(1);
    }
    return number;
}

std::string_view taken_word(std::string_view& text) {
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    const std::string_view word = text.substr(0, end);
    text = trimmed(text.substr(end));
    return word;
}

Instruction parsed(std::uint64_t at, std::string_view text) {
    Instruction made;
    made.at = at;
    const std::size_t hash = text.find('#');
    if (hash != std::string_view::npos) {
        std::string_view comment = trimmed(text.substr(hash + 1));
        made.named = taken_hexadecimal(comment);
        text = trimmed(text.substr(0, hash));
    }
    made.name = taken_word(text);
    while (std::find(std::begin(kPrefixes), std::end(kPrefixes), made.name) !=
           std::end(kPrefixes)) {
        made.is_locked = made.is_locked || made.name == "lock";
        made.name = taken_word(text);
    }
    made.operands = text;
    return made;
}

// "0000000000001139 <main>:", "    1139:\tpush   %rbp".
void add_line(std::string_view line, std::vector<CodeOfName>& all) {
    if (line.ends_with(">:")) {
        CodeOfName made;
        made.at = taken_hexadecimal(line);
        const std::size_t begin = line.find('<');
        made.name = line.substr(begin + 1, line.size() - begin - 3);
        all.push_back(made);
        return;
    }
    line = trimmed(line);
    const std::size_t before = line.size();
    const std::uint64_t at = taken_hexadecimal(line);
    if (line.size() < before && line.starts_with(":") && !all.empty()) {
        all.back().instructions.push_back(parsed(at, trimmed(line.substr(1))));
    }
}

bool is_looked_at(const ProgramFile& file, const Elf64_Shdr& section) {
    const std::string_view name = file.section_name(section);
    return (section.sh_flags & SHF_EXECINSTR) != 0 && section.sh_size > 0 &&
           !name.starts_with(".plt") && name != ".init" && name != ".fini" &&
           name != "lockkeeper_text";
}

}  // namespace

std::vector<CodeOfName> disassemble(const ProgramFile& file, std::string& text) {
    std::vector<std::string> arguments{"objdump", "-d", "-w", "--no-show-raw-insn"};
    for (const Elf64_Shdr& section : file.sections()) {
        if (is_looked_at(file, section)) {
            arguments.emplace_back("-j");
            arguments.emplace_back(file.section_name(section));
        }
    }
    arguments.push_back(path_of_program());
    text = run_tool({"objdump", "llvm-objdump", "llvm-objdump-14"}, arguments);
    std::vector<CodeOfName> all;
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        add_line(rest.substr(0, end), all);
        rest.remove_prefix(std::min(rest.size(), end + 1));
    }
    return all;
}

std::string readable(std::string_view name) {
    int status = 0;
    char* made = abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status);
    std::string text = made == nullptr ? std::string(name) : std::string(made);
    std::free(made);
    return text;
}

std::vector<std::string_view> operands_of(const Instruction& instruction) {
    std::vector<std::string_view> all;
    const std::string_view text = instruction.operands;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t at = 0; at <= text.size(); ++at) {
        if (at == text.size() || (text[at] == ',' && depth == 0)) {
            all.push_back(trimmed(text.substr(begin, at - begin)));
            begin = at + 1;
        } else {
            depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
        }
    }
    return all;
}

}  // namespace lockkeeper::threads
