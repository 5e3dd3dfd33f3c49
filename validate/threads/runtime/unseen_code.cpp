// SPDX-License-Identifier: Apache-2.0

// Code that the compiler put no hooks into. Both compilers call __tsan_func_entry in each function
// that calls another one or accesses memory that others may see. So a function without that call is
// harmless only if it does neither; else it was compiled without -fsanitize=thread, or asks for no
// hooks, and what it does would not be seen. Instructions that order accesses, or that read what is
// outside, come from assembly: with hooks the compiler writes none.
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>

#include "validate/threads/runtime/disassembly.hpp"

namespace lockkeeper::threads {
namespace {

// Made by the compiler or the C library besides what the program says: they jump to another
// function, and read what nobody writes or what only their own thread sees.
constexpr std::string_view kGlue[] = {"_ZTh", "_ZTv", "_ZTc", "_ZTW", "_ZTH"};
constexpr std::string_view kGlueNames[] = {"__clang_call_terminate", "atexit", "at_quick_exit",
                                           "_sub_I_00099_0"};

constexpr std::string_view kOrdering[] = {"mfence",     "lfence",     "sfence", "cmpxchg8b",
                                          "cmpxchg16b", "xbegin",     "xend",   "xtest",
                                          "clflush",    "clflushopt", "clwb"};
// Beginnings. They stand for functions of the compiler's own, to which it writes no hooks.
constexpr std::string_view kWithoutHooks[] = {
    "movnt",    "vmovnt",   "maskmov",   "vmaskmov",   "vpmaskmov", "vgather",
    "vpgather", "vscatter", "vpscatter", "vpcompress", "vcompress", "vpexpand",
    "vexpand",  "fxsave",   "fxrstor",   "xsave",      "xrstor"};
constexpr std::string_view kOutside[] = {"rdtsc",    "rdtscp", "cpuid",    "rdrand",   "rdseed",
                                         "rdpid",    "rdpmc",  "syscall",  "sysenter", "int",
                                         "in",       "out",    "rdfsbase", "wrfsbase", "rdgsbase",
                                         "wrgsbase", "xgetbv"};

// The same for all parts of a register: "rax" for %al; empty: none.
std::string_view register_of(std::string_view operand) {
    static constexpr std::string_view kAll[][5] = {
        {"rax", "eax", "ax", "al", "ah"},    {"rbx", "ebx", "bx", "bl", "bh"},
        {"rcx", "ecx", "cx", "cl", "ch"},    {"rdx", "edx", "dx", "dl", "dh"},
        {"rsi", "esi", "si", "sil", ""},     {"rdi", "edi", "di", "dil", ""},
        {"rbp", "ebp", "bp", "bpl", ""},     {"rsp", "esp", "sp", "spl", ""},
        {"r8", "r8d", "r8w", "r8b", ""},     {"r9", "r9d", "r9w", "r9b", ""},
        {"r10", "r10d", "r10w", "r10b", ""}, {"r11", "r11d", "r11w", "r11b", ""},
        {"r12", "r12d", "r12w", "r12b", ""}, {"r13", "r13d", "r13w", "r13b", ""},
        {"r14", "r14d", "r14w", "r14b", ""}, {"r15", "r15d", "r15w", "r15b", ""}};
    if (!operand.starts_with("%")) {
        return {};
    }
    operand.remove_prefix(1);
    for (const auto& names : kAll) {
        if (is_one_of(operand, names)) {
            return names[0];
        }
    }
    return {};
}

bool is_memory(std::string_view operand) {
    if (operand.starts_with("%st")) {  // x87: "%st(1)"
        return false;
    }
    return operand.find('(') != std::string_view::npos || operand.find(':') != std::string::npos ||
           (!operand.empty() && operand.front() != '%' && operand.front() != '$' &&
            operand.front() != '*');
}

bool is_jump(const Instruction& one) { return one.name.starts_with("j"); }
bool is_call(const Instruction& one) { return one.name.starts_with("call"); }

// "1139 <main+0x4>": the name without the distance; empty: not known.
std::string_view target_name(const Instruction& one) {
    const std::size_t begin = one.operands.find('<');
    if (begin == std::string_view::npos || one.operands.starts_with("*")) {
        return {};
    }
    const std::string_view name = one.operands.substr(begin + 1);
    return name.substr(0, name.find_first_of("+>"));
}

std::uint64_t target_address(const Instruction& one) {
    return std::strtoull(std::string(one.operands).c_str(), nullptr, 16);
}

// A function without hooks, instruction by instruction: whether it keeps to its registers, its own
// stack and constants. Which registers point to these is known only as far as the code is straight.
class Leaf {
  public:
    Leaf(const ProgramFile& file, const CodeOfName& code) : file_(file), code_(code) {
        for (const Instruction& one : code.instructions) {
            if (is_jump(one) && target_name(one) == code.name) {
                targets_.push_back(target_address(one));
            }
            has_frame_ = has_frame_ || (is_move(one) && one.operands == "%rsp,%rbp") ||
                         (is_move(one) && one.operands == "%rsp, %rbp");
        }
    }

    // What it does that it must not; empty: nothing.
    [[nodiscard]] std::string problem() {
        for (const Instruction& one : code_.instructions) {
            if (std::find(targets_.begin(), targets_.end(), one.at) != targets_.end()) {
                known_.clear();
            }
            if (is_call(one) || (is_jump(one) && !is_inside(one))) {
                return "calls other functions";
            }
            if (!is_harmless(one)) {
                return "accesses memory";
            }
            follow(one);
        }
        return "";
    }

  private:
    enum class Points : std::uint8_t { kUnknown, kStack, kConstant };

    static bool is_move(const Instruction& one) { return one.name == "mov" || one.name == "movq"; }

    // A table of a switch is jumped through behind a register; that goes on inside.
    [[nodiscard]] bool is_inside(const Instruction& one) const {
        if (one.operands.starts_with("*")) {
            return one.operands.starts_with("*%") ? known_.contains("table")
                                                  : is_constant_memory(one.operands.substr(1), one);
        }
        return target_name(one) == code_.name;
    }

    [[nodiscard]] bool is_constant(std::uint64_t address) const {
        for (const Elf64_Shdr& section : file_.sections()) {
            if ((section.sh_flags & SHF_ALLOC) != 0 && address >= section.sh_addr &&
                address < section.sh_addr + section.sh_size) {
                const std::string_view name = file_.section_name(section);
                return (section.sh_flags & SHF_WRITE) == 0 || name.starts_with(".got") ||
                       name.starts_with(".data.rel.ro");
            }
        }
        return false;
    }

    [[nodiscard]] Points points(std::string_view name) const {
        if (name == "rsp" || (name == "rbp" && has_frame_)) {
            return Points::kStack;
        }
        const auto known = known_.find(name);
        return known == known_.end() ? Points::kUnknown : known->second;
    }

    // "0x8(%rax,%rbx,1)": the registers; a table may stand at the place of the index.
    [[nodiscard]] Points pointed_at(std::string_view operand, const Instruction& one) const {
        const std::size_t open = operand.find('(');
        if (open == std::string_view::npos) {
            return is_constant(std::strtoull(std::string(operand).c_str(), nullptr, 16))
                       ? Points::kConstant
                       : Points::kUnknown;
        }
        Instruction inside;
        inside.operands = operand.substr(open + 1, operand.rfind(')') - open - 1);
        const std::vector<std::string_view> parts = operands_of(inside);
        if (parts[0] == "%rip") {
            return is_constant(one.named) ? Points::kConstant : Points::kUnknown;
        }
        if (parts[0].empty()) {  // 0x402010(,%rax,8): a table at a fixed address
            return is_constant(std::strtoull(std::string(operand).c_str(), nullptr, 16))
                       ? Points::kConstant
                       : Points::kUnknown;
        }
        const Points base = points(register_of(parts[0]));
        const bool can_be_base = parts.size() == 3 && parts[2] == "1";
        return base == Points::kUnknown && can_be_base ? points(register_of(parts[1])) : base;
    }

    [[nodiscard]] bool is_constant_memory(std::string_view operand, const Instruction& one) const {
        return pointed_at(operand, one) == Points::kConstant;
    }

    [[nodiscard]] bool is_harmless(const Instruction& one) const {
        if (one.name.starts_with("nop") || one.name.starts_with("lea") ||
            one.name.starts_with("endbr") || is_jump(one) || one.name.starts_with("ret")) {
            return true;
        }
        const std::vector<std::string_view> operands = operands_of(one);
        for (const std::string_view operand : operands) {
            if (!is_memory(operand)) {
                continue;
            }
            const std::size_t segment = operand.find(':');
            if (segment != std::string_view::npos) {  // the canary of the stack
                if (operand != "%fs:0x28" && operand != "%fs:40") {
                    return false;
                }
            } else if (pointed_at(operand, one) == Points::kUnknown) {
                return false;
            }
        }
        return true;
    }

    void follow(const Instruction& one) {
        if (is_jump(one) || one.name.starts_with("ret")) {
            if (one.name.starts_with("jmp") || one.name.starts_with("ret")) {
                known_.clear();
            }
            if (one.operands.starts_with("*")) {
                is_past_a_table_ =
                    true;  // what is jumped to may begin in the middle of what follows
            }
            return;
        }
        const std::vector<std::string_view> operands = operands_of(one);
        const std::string_view to = register_of(operands.back());
        Points result = Points::kUnknown;
        if (one.name.starts_with("lea") && operands.size() == 2) {
            result = pointed_at(operands[0], one);
        } else if (is_move(one) && operands.size() == 2 && !is_memory(operands[0])) {
            result = points(register_of(operands[0]));
        }
        if (one.name.starts_with("movslq") && is_memory(operands[0]) &&
            pointed_at(operands[0], one) == Points::kConstant) {
            known_["table"] = Points::kConstant;
        }
        if (is_memory(operands[0]) && one.name.starts_with("mov") &&
            pointed_at(operands[0], one) == Points::kConstant) {
            known_["table"] = Points::kConstant;
        }
        const bool changes_others = one.name.starts_with("mul") || one.name.starts_with("imul") ||
                                    one.name.starts_with("div") || one.name.starts_with("idiv") ||
                                    one.name.starts_with("c") || one.name.starts_with("x") ||
                                    one.name.find('s') != std::string_view::npos;
        if (changes_others && !one.name.starts_with("cmp")) {
            for (const std::string_view name : {"rax", "rdx", "rcx", "rsi", "rdi"}) {
                known_.erase(name);
            }
            for (const std::string_view operand : operands) {
                known_.erase(register_of(operand));
            }
        }
        if (!to.empty() && !one.name.starts_with("cmp") && !one.name.starts_with("test")) {
            if (result == Points::kUnknown || is_past_a_table_) {
                known_.erase(to);
            } else {
                known_[to] = result;
            }
        }
    }

    const ProgramFile& file_;
    const CodeOfName& code_;
    std::vector<std::uint64_t> targets_;
    std::map<std::string_view, Points> known_;
    bool has_frame_ = false;
    bool is_past_a_table_ = false;
};

bool has_hooks(const CodeOfName& code) {
    return std::any_of(code.instructions.begin(), code.instructions.end(),
                       [](const Instruction& one) {
                           return is_call(one) && target_name(one) == "__tsan_func_entry";
                       });
}

// What no hook stands for, wherever it stands; empty: nothing.
std::string forbidden(const Instruction& one) {
    const bool swaps =
        one.name.starts_with("xchg") && one.operands.find('(') != std::string_view::npos;
    if (one.is_locked || swaps || is_one_of(one.name, kOrdering)) {
        return "the program has atomic instructions of its own (" +
               std::string(one.is_locked ? "lock " : "") + std::string(one.name) +
               ": assembly, or a part that is not compiled with -fsanitize=thread)";
    }
    const bool is_masked = one.operands.find("{%k") != std::string_view::npos &&
                           one.operands.find('(') != std::string_view::npos;
    if (is_masked || begins_with_one_of(one.name, kWithoutHooks)) {
        return "the program has an instruction whose accesses are not seen (" +
               std::string(one.name) + ")";
    }
    if (is_one_of(one.name, kOutside)) {
        return "the program has an instruction that reads what is outside, or calls the kernel (" +
               std::string(one.name) + ")";
    }
    if ((is_call(one) || is_jump(one)) && target_name(one).starts_with("dlsym")) {
        return "the program calls dlsym, which is not hosted";
    }
    return "";
}

// The function that this is the seldom-used part of: g++ sets it apart.
std::string_view parent_of(std::string_view name) {
    const std::size_t at = name.rfind(".cold");
    return at == std::string_view::npos ? std::string_view() : name.substr(0, at);
}

bool is_glue(std::string_view name) {
    return is_one_of(name, kGlueNames) || begins_with_one_of(name, kGlue);
}

// Functions of one name: of several parts of the program each may have one.
using HasHooks = std::map<std::string_view, bool>;

std::string problem_of(const ProgramFile& file, const CodeOfName& code, const HasHooks& hooked) {
    for (const Instruction& one : code.instructions) {
        const std::string wrong = forbidden(one);
        if (!wrong.empty()) {
            return wrong + " in " + readable(code.name);
        }
    }
    const auto parent = hooked.find(parent_of(code.name));
    if (has_hooks(code) || is_glue(code.name) || (parent != hooked.end() && parent->second)) {
        return "";
    }
    const std::string wrong = Leaf(file, code).problem();
    return wrong.empty() ? ""
                         : "a part of the program is not compiled with -fsanitize=thread: " +
                               readable(code.name) + " " + wrong + " without hooks";
}

// Padding between functions.
bool is_padding(const Instruction& one) {
    return one.name.starts_with("nop") || one.name == "int3" || one.name.empty() ||
           (one.name == "xchg" && one.operands == "%ax,%ax");
}

// Code behind the end of the function that has the name: its own name was taken away.
std::string code_without_a_name(const ProgramFile& file, const Elf64_Shdr& symbols,
                                const std::vector<CodeOfName>& all) {
    std::map<std::uint64_t, std::uint64_t> ends;
    for (const Elf64_Sym& symbol : file.entries<Elf64_Sym>(symbols)) {
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_size > 0) {
            std::uint64_t& end = ends[symbol.st_value];
            end = std::max(end, symbol.st_value + symbol.st_size);
        }
    }
    for (const CodeOfName& code : all) {
        const auto end = ends.find(code.at);
        for (const Instruction& one : code.instructions) {
            if (end != ends.end() && one.at >= end->second && !is_padding(one)) {
                return "the program has code without a name behind " + readable(code.name) +
                       ": link it without stripping names";
            }
        }
    }
    return "";
}

void add_atomic_sites(const CodeOfName& code, std::vector<std::uint64_t>& sites) {
    bool is_behind = false;
    for (const Instruction& one : code.instructions) {
        if (is_behind) {
            sites.push_back(one.at);
        }
        is_behind = is_call(one) && (target_name(one).starts_with("__tsan_atomic") ||
                                     target_name(one) == "syscall");
    }
}

}  // namespace

std::vector<UnseenCode> unseen_code(const ProgramFile& file, std::string& problem,
                                    std::vector<std::uint64_t>& atomic_sites) {
    const Elf64_Shdr* symbols = file.section(SHT_SYMTAB);
    if (symbols == nullptr) {
        problem = "the program is stripped: its parts cannot be looked at";
        return {};
    }
    std::string text;
    const std::vector<CodeOfName> all = disassemble(file, text);
    if (all.empty()) {
        problem =
            "there is no objdump to look whether the whole program is compiled with "
            "-fsanitize=thread: install binutils";
        return {};
    }
    problem = code_without_a_name(file, *symbols, all);
    HasHooks hooked;
    for (const CodeOfName& code : all) {
        const auto [known, is_new] = hooked.try_emplace(code.name, true);
        known->second = known->second && has_hooks(code);
    }
    std::vector<UnseenCode> found;
    for (const CodeOfName& code : all) {
        add_atomic_sites(code, atomic_sites);
        std::string wrong = problem_of(file, code, hooked);
        if (!wrong.empty()) {
            found.push_back({code.at, std::move(wrong)});
        }
    }
    return found;
}

}  // namespace lockkeeper::threads
