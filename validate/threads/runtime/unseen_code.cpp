// SPDX-License-Identifier: Apache-2.0

// Code that the compiler put no hooks into: parts that were compiled without them, and atomic
// instructions that were written as assembly.
#include <algorithm>

#include "validate/threads/runtime/program_file.hpp"

namespace lockkeeper::threads {
namespace {

// What the compiler and the C library put into every program, and this runtime.
constexpr std::string_view kStartFiles[] = {"",
                                            "Scrt1.o",
                                            "crt1.o",
                                            "crti.o",
                                            "crtn.o",
                                            "crtstuff.c",
                                            "abi-note.c",
                                            "init.c",
                                            "elf-init.c",
                                            "static-reloc.c",
                                            "lockkeeper_threads.o"};

// g++ gives each part that it compiles with hooks a function that says so; clang gives one to all
// of its parts together, so that of those nothing can be said.
std::string part_without_hooks(const ProgramFile& file) {
    const Elf64_Shdr* table = file.section(SHT_SYMTAB);
    if (table == nullptr) {
        return "the program is stripped: its parts cannot be looked at";
    }
    std::string_view part;
    bool has_hooks = true;
    std::string found;
    bool is_by_clang = false;
    const auto end_part = [&] {
        if (!has_hooks && found.empty() &&
            std::find(std::begin(kStartFiles), std::end(kStartFiles), part) ==
                std::end(kStartFiles)) {
            found = "a part of the program is not compiled with -fsanitize=thread: " +
                    std::string(part);
        }
    };
    for (const Elf64_Sym& symbol : file.entries<Elf64_Sym>(*table)) {
        const std::string_view name = file.name(*table, symbol.st_name);
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FILE) {
            end_part();
            part = name;
            has_hooks = false;
        } else if (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) {
            has_hooks = has_hooks || name.starts_with("_sub_I_00099");
            is_by_clang = is_by_clang || name == "tsan.module_ctor";
        }
    }
    end_part();
    return is_by_clang ? "" : found;
}

// The prefix `lock`, what may stand between, and an instruction that may have it and names memory.
// Such bytes may also be a part of something else: a disassembler has the last word.
bool may_be_locked(const unsigned char* at, const unsigned char* end) {
    if (*at++ != 0xf0) {
        return false;
    }
    at += at < end && (*at & 0xf0) == 0x40 ? 1 : 0;
    if (end - at < 3) {
        return false;
    }
    const bool is_wide = *at == 0x0f;
    at += is_wide ? 1 : 0;
    const unsigned code = *at++;
    const bool may_be =
        is_wide
            ? (code >= 0xb0 && code <= 0xb1) || (code >= 0xc0 && code <= 0xc1) || code == 0xc7 ||
                  code == 0xba || code == 0xab || code == 0xb3 || code == 0xbb
            : (code < 0x38 && (code & 6) == 0) || (code >= 0x80 && code <= 0x87) || code >= 0xf6;
    return may_be && *at < 0xc0;
}

std::string disassembled_lock() {
    std::vector<std::string> arguments{"objdump", "-d", "-C", "--no-show-raw-insn",
                                       path_of_program()};
    const std::string text = run_tool({"objdump", "llvm-objdump", "llvm-objdump-14"}, arguments);
    if (text.empty()) {
        return "the program may have atomic instructions of its own (assembly), and there is no "
               "objdump to look";
    }
    const std::size_t at = text.find("\tlock ");
    if (at == std::string::npos) {
        return "";
    }
    const std::size_t end = text.rfind(">:", at);
    const std::size_t begin = end == std::string::npos ? end : text.rfind('<', end);
    return "the program has atomic instructions of its own (assembly, or a part that is not "
           "compiled "
           "with -fsanitize=thread)" +
           (begin == std::string::npos ? "" : " in " + text.substr(begin + 1, end - begin - 1));
}

}  // namespace

std::string run_tool(std::initializer_list<const char*> names,
                     std::vector<std::string>& arguments) {
    int ends[2] = {-1, -1};
    if (raw_call(293, reinterpret_cast<long>(ends), 0) != 0) {  // pipe2
        return {};
    }
    std::vector<char*> given;
    for (std::string& argument : arguments) {
        given.push_back(argument.data());
    }
    given.push_back(nullptr);
    const char* none[] = {nullptr};
    const long child = raw_call(57);  // fork
    if (child == 0) {
        raw_call(33, ends[1], 1);  // dup2
        for (const char* name : names) {
            for (const char* directory : {"/usr/bin/", "/usr/local/bin/"}) {
                const std::string path = std::string(directory) + name;
                raw_call(59, reinterpret_cast<long>(path.c_str()),
                         reinterpret_cast<long>(given.data()),
                         reinterpret_cast<long>(none));  // execve
            }
        }
        end_process(127);
    }
    raw_call(3, ends[1]);  // close
    std::string text;
    char buffer[4096];
    for (long size = 1; size > 0;) {
        size = raw_call(0, ends[0], reinterpret_cast<long>(buffer), sizeof(buffer));  // read
        text.append(buffer, size > 0 ? static_cast<std::size_t>(size) : 0);
    }
    raw_call(3, ends[0]);
    raw_call(61, child, 0, 0, 0);  // wait4
    return text;
}

std::string path_of_program() {
    char path[4096] = {};
    raw_call(89, reinterpret_cast<long>("/proc/self/exe"), reinterpret_cast<long>(path),
             sizeof(path) - 1);  // readlink
    return path;
}

std::string unseen_code(const ProgramFile& file) {
    std::string problem = part_without_hooks(file);
    for (const Elf64_Shdr& section : file.sections()) {
        if (problem.empty() && (section.sh_flags & SHF_EXECINSTR) != 0) {
            const std::vector<unsigned char> code = file.entries<unsigned char>(section);
            for (std::size_t at = 0; at + 4 < code.size(); ++at) {
                if (may_be_locked(code.data() + at, code.data() + code.size())) {
                    return disassembled_lock();
                }
            }
        }
    }
    return problem;
}

}  // namespace lockkeeper::threads
