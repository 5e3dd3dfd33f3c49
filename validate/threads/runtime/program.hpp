// SPDX-License-Identifier: Apache-2.0

// Reads the program file: what it takes from libraries, where variables and lines are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockkeeper::threads {

// A library or a function of one that this runtime does not know how to host; empty: there is none.
[[nodiscard]] std::string what_cannot_be_hosted();

// The variable that has this address, with the distance from its beginning; empty: none.
[[nodiscard]] std::string variable_at(std::uint64_t address, std::uint64_t base);

// Where the code at these places comes from: "file.cpp:12 (function)", the functions that were put
// into it first. Asked of addr2line, which stands beside the linker; without it, the places
// themselves.
struct Line {
    std::string file;
    std::string text;
};
[[nodiscard]] std::vector<std::vector<Line>> lines_of(const std::vector<std::uint64_t>& places,
                                                      std::uint64_t base);

}  // namespace lockkeeper::threads
