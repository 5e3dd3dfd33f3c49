// SPDX-License-Identifier: Apache-2.0

// A scenario file may hold several cases of one idea: the same scripts with another variant, other
// repairs, another expectation. FILE#NAME is one of them.
//
//   "cases": [{"name": "without_fencing", "parameters": {"repairs": {"all_but": ["fencing"]}},
//              "expect": {"verdict": "violated", "properties": ["unprotected-effect"]}}, ...]
//
// Each key of a case replaces that of the file; of `parameters`, `faults` and `limits` each member
// does.
#pragma once

#include <string>
#include <vector>

#include "model/json.hpp"
#include "scenarios/parse_place.hpp"

namespace lockkeeper {

inline constexpr std::size_t kCasesMax = 64;  // of one file

struct NamedCase {
    std::string file;
    std::string name;  // empty: none is named
};
// "x.json#two" is the case "two" of x.json, unless a file has that whole name.
[[nodiscard]] NamedCase named_case(const std::string& file);

// The document of one case, without "cases"; of a file without cases, the document itself. `input`
// learns where the case stands. Throws RefusedInput where the file has no such case, or has cases
// and none is named.
[[nodiscard]] nlohmann::json document_of_case(nlohmann::json document, const NamedCase& wanted,
                                              InputText& input);

// "x.json#one", "x.json#two": each case of the file. The file's own name where it has no cases,
// cannot be read, or is standard input, which is read once.
[[nodiscard]] std::vector<std::string> each_case(const std::string& file);

}  // namespace lockkeeper
