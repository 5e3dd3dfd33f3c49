// SPDX-License-Identifier: Apache-2.0
#include "validate/threads/runtime/library_calls.hpp"

#include <elf.h>

#include <locale>
#include <vector>

#include "validate/threads/runtime/bytes.hpp"
#include "validate/threads/runtime/hosted.hpp"
#include "validate/threads/runtime/program_file.hpp"
#include "validate/threads/runtime/system.hpp"

namespace lockkeeper::threads {
namespace {

constexpr std::uint16_t kMoveToR11 = 0xbb49;

// Stands where the function's address stood: says its number, and goes to where all calls go.
struct __attribute__((packed)) Entrance {
    std::uint8_t push = 0x68;
    std::uint32_t index = 0;
    std::uint16_t move = kMoveToR11;
    void (*common)() = nullptr;
    std::uint8_t jump[3] = {0x41, 0xff, 0xe3};  // *%r11
};

void protect_pages(std::uintptr_t from, std::size_t size, long how) {
    const std::uintptr_t page = from & ~std::uintptr_t{4095};
    if (raw_call(SYS_mprotect, static_cast<long>(page), static_cast<long>(from + size - page),
                 how) != 0) {
        end_with_message("the system does not let a program change what it calls");
    }
}

// In the program's own code stands, in the place of a function of a library, what finds the
// function at its first call.
bool is_in_code(const ProgramFile& file, std::uint64_t at) {
    for (const Elf64_Shdr& section : file.sections()) {
        if ((section.sh_flags & SHF_EXECINSTR) != 0 && at >= section.sh_addr &&
            at < section.sh_addr + section.sh_size) {
            return true;
        }
    }
    return false;
}

}  // namespace

void set_called(std::uintptr_t slot, const void* function) {
    constexpr long kProtectedReadWrite = 3;
    protect_pages(slot, sizeof(function), kProtectedReadWrite);
    *reinterpret_cast<const void**>(slot) = function;
}
void make_runnable(const void* code, std::size_t size) {
    constexpr long kReadRun = 5;
    protect_pages(reinterpret_cast<std::uintptr_t>(code), size, kReadRun);
}

bool is_of_pattern(std::string_view name, std::string_view pattern) {
    if (pattern.empty()) {
        return name.empty();
    }
    if (pattern.front() == '*') {
        for (std::size_t skipped = 0; skipped <= name.size(); ++skipped) {
            if (is_of_pattern(name.substr(skipped), pattern.substr(1))) {
                return true;
            }
        }
        return false;
    }
    return !name.empty() && (pattern.front() == '?' || pattern.front() == name.front()) &&
           is_of_pattern(name.substr(1), pattern.substr(1));
}

void LibraryCall::begin_arguments(std::va_list arguments, std::uint32_t named) const {
    struct {  // a va_list, as the ABI has it
        std::uint32_t integers = 0;
        std::uint32_t floats = sizeof(ArgumentRegisters::integers);
        const void* on_stack = nullptr;
        const void* in_registers = nullptr;
    } begin;
    static_assert(sizeof(begin) == sizeof(std::va_list));
    begin.integers = named * sizeof(std::uint64_t);
    begin.on_stack = on_stack_;
    begin.in_registers = &registers_;
    copy_bytes(arguments, &begin, sizeof(begin));
}

void LibraryCall::read(const void* at, std::size_t size) const {
    note_plain(at, size, false, site_);
}
void LibraryCall::write(const void* at, std::size_t size) const {
    note_plain(at, size, true, site_);
}
void LibraryCall::read_text(const char* text, std::size_t most) const {
    std::size_t length = 0;
    while (length < most && static_cast<const volatile char*>(text)[length] != 0) {
        ++length;
    }
    read(text, length < most ? length + 1 : most);
}
void LibraryCall::refuse(const char* why) const {
    threads::refuse(why, reinterpret_cast<std::uint64_t>(site_));
}

}  // namespace lockkeeper::threads

extern "C" {

// The top of the stack when the function is to begin: its number was pushed last.
struct LockkeeperCallFrame {
    std::uint64_t index;
    const void* site;
    std::uint64_t behind[1];
};

// Returns the function.
__attribute__((used)) const void* lockkeeper_note_call(
    const lockkeeper::threads::ArgumentRegisters* registers, const LockkeeperCallFrame* frame) {
    using namespace lockkeeper::threads;
    const NotedFunction& noted = hosted->noted[frame->index];
    if (running() != nullptr) {
        noted.note(LibraryCall(*registers, frame->behind, noted.function, frame->site));
    }
    return noted.function;
}

// Keeps all registers that arguments may stand in.
void lockkeeper_library_call();
asm(R"(
    .text
    .type lockkeeper_library_call, @function
lockkeeper_library_call:
    .cfi_startproc
    .cfi_def_cfa_offset 16
    subq $192, %rsp
    .cfi_adjust_cfa_offset 192
    movq %rdi, 0(%rsp)
    movq %rsi, 8(%rsp)
    movq %rdx, 16(%rsp)
    movq %rcx, 24(%rsp)
    movq %r8, 32(%rsp)
    movq %r9, 40(%rsp)
    movaps %xmm0, 48(%rsp)
    movaps %xmm1, 64(%rsp)
    movaps %xmm2, 80(%rsp)
    movaps %xmm3, 96(%rsp)
    movaps %xmm4, 112(%rsp)
    movaps %xmm5, 128(%rsp)
    movaps %xmm6, 144(%rsp)
    movaps %xmm7, 160(%rsp)
    movq %rax, 176(%rsp)
    movq %rsp, %rdi
    leaq 192(%rsp), %rsi
    call lockkeeper_note_call
    movq %rax, %r11
    movq 0(%rsp), %rdi
    movq 8(%rsp), %rsi
    movq 16(%rsp), %rdx
    movq 24(%rsp), %rcx
    movq 32(%rsp), %r8
    movq 40(%rsp), %r9
    movaps 48(%rsp), %xmm0
    movaps 64(%rsp), %xmm1
    movaps 80(%rsp), %xmm2
    movaps 96(%rsp), %xmm3
    movaps 112(%rsp), %xmm4
    movaps 128(%rsp), %xmm5
    movaps 144(%rsp), %xmm6
    movaps 160(%rsp), %xmm7
    movq 176(%rsp), %rax
    addq $200, %rsp
    .cfi_adjust_cfa_offset -200
    jmp *%r11
    .cfi_endproc
    .size lockkeeper_library_call, . - lockkeeper_library_call
)");

}  // extern "C"

namespace lockkeeper::threads {

std::string note_library_calls(Hosted& host, const ProgramFile& file) {
    const Elf64_Shdr* table = file.section(SHT_DYNSYM);
    if (table == nullptr) {
        return {};
    }
    // The library makes its locales when they are first used, which no run puts back.
    static_cast<void>(std::locale::classic());
    const std::vector<Elf64_Sym> symbols = file.entries<Elf64_Sym>(*table);
    auto* entrances = reinterpret_cast<Entrance*>(reserve(symbols.size() * sizeof(Entrance) + 1));
    host.noted.assign(symbols.size(), {});
    for (const Elf64_Shdr& section : file.sections()) {
        if (section.sh_type != SHT_RELA) {
            continue;
        }
        for (const Elf64_Rela& one : file.entries<Elf64_Rela>(section)) {
            const std::uint64_t index = ELF64_R_SYM(one.r_info);
            if (index == 0 || index >= symbols.size() || !names_a_function(one, symbols[index])) {
                continue;
            }
            const std::uintptr_t slot = one.r_offset + host.shadow.code;
            const void* target = *reinterpret_cast<const void**>(slot);
            if (is_in_code(file, reinterpret_cast<std::uint64_t>(target) - host.shadow.code)) {
                if (ELF64_R_TYPE(one.r_info) == R_X86_64_JUMP_SLOT) {
                    return "the program finds functions of libraries only when it first calls "
                           "them: link it with -Wl,-z,now";
                }
                continue;  // it leads to a call by name
            }
            const NoteCall note = rule_of(file.name(*table, symbols[index].st_name));
            if (note == nullptr || target == nullptr) {
                continue;
            }
            if (host.noted[index].note == nullptr) {
                host.noted[index] = {target, note};
                entrances[index] = Entrance{};
                entrances[index].index = static_cast<std::uint32_t>(index);
                entrances[index].common = lockkeeper_library_call;
            }
            set_called(slot, entrances + index);
        }
    }
    make_runnable(entrances, symbols.size() * sizeof(Entrance) + 1);
    return {};
}

}  // namespace lockkeeper::threads
