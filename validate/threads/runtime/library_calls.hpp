// SPDX-License-Identifier: Apache-2.0

// The libraries have no hooks. A rule for a function says what a call of it reads and writes, just
// before the function runs. The rules stand in library_rules.cpp, stream_rules.cpp
// and c_rules.cpp.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockkeeper::threads {

struct Hosted;
class LibraryCall;
class ProgramFile;

// Notes what a call reads and writes, or refuses it.
using NoteCall = void (*)(const LibraryCall& call);

// A function that the program calls by way of a rule.
struct NotedFunction {
    const void* function = nullptr;
    NoteCall note = nullptr;
};

// The registers of arguments as they are at a call, in the order in which va_arg looks for them.
struct ArgumentRegisters {
    std::uint64_t integers[6];
    alignas(16) std::byte floats[8][16];
};

// A call of a library function by a thread of the program.
class LibraryCall {
  public:
    LibraryCall(const ArgumentRegisters& registers, const std::uint64_t* behind,
                const void* function, const void* site)
        : registers_(registers), on_stack_(behind), function_(function), site_(site) {}

    // One of the first six that are no floating-point numbers.
    template <class Value = std::uint64_t>
    [[nodiscard]] Value argument(std::size_t index) const {
        return (Value)registers_.integers[index];  // NOLINT: a number or a pointer, as the ABI says
    }
    // The arguments of a function with "..." behind so many named ones, all in registers.
    void begin_arguments(std::va_list arguments, std::uint32_t named) const;
    // The function itself, to be asked beforehand.
    template <class Function>
    [[nodiscard]] Function function() const {
        return reinterpret_cast<Function>(const_cast<void*>(function_));
    }

    void read(const void* at, std::size_t size) const;
    void write(const void* at, std::size_t size) const;
    // A text and the zero behind it, of which at most so many characters are looked at.
    void read_text(const char* text, std::size_t most = SIZE_MAX) const;
    [[noreturn]] void refuse(const char* why) const;

  private:
    const ArgumentRegisters& registers_;
    const std::uint64_t* on_stack_;  // the arguments there
    const void* function_;
    const void* site_;
};

// A rule, and the functions that it is for. *: any characters; ?: any one.
struct CallRule {
    std::string_view pattern;
    NoteCall note;
};
[[nodiscard]] bool is_of_pattern(std::string_view name, std::string_view pattern);

// The rule for calls of this function; null: nobody has to.
[[nodiscard]] NoteCall rule_of(std::string_view function);
[[nodiscard]] NoteCall rule_of_c_library(std::string_view function);

// `slot` is where the linker has put what the program calls.
void set_called(std::uintptr_t slot, const void* function);
void make_runnable(const void* code, std::size_t size);

// From now on the program's calls of functions that have a rule are noted. Returns why that cannot
// be; empty: it can.
[[nodiscard]] std::string note_library_calls(Hosted& host, const ProgramFile& file);

}  // namespace lockkeeper::threads
