// SPDX-License-Identifier: Apache-2.0

// Reads the program file: what it takes from libraries, where variables and lines are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockkeeper::threads {

struct Hosted;

// A library or a function of one that this runtime does not know how to host; empty: there is none.
// Notes the program's own functions that threads must not come to.
[[nodiscard]] std::string what_cannot_be_hosted(Hosted& host);

// A function of a library that this runtime knows how to host. In process a program may have
// streams that read what is outside, so that those are not told from streams that read strings.
[[nodiscard]] bool is_hosted(std::string_view function, bool is_in_process);

// The variable that has this address, with the distance from its beginning; empty: none.
[[nodiscard]] std::string variable_at(std::uint64_t address, std::uint64_t base);

// Where the code at these places comes from: "file.cpp:12 (function)", the functions that were put
// into it first. Asked of addr2line, which stands beside the linker; without it, the places
// themselves.
struct Line {
    std::string file;
    std::string function;
    std::string text;
};
[[nodiscard]] std::vector<std::vector<Line>> lines_of(const std::vector<std::uint64_t>& places,
                                                      std::uint64_t base);

}  // namespace lockkeeper::threads
