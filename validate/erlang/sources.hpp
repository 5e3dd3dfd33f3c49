// SPDX-License-Identifier: Apache-2.0

// The Erlang side: the files erlang/*.erl as they were when Lockkeeper was built. Compiled by the
// node itself when it starts (node.hpp).
#pragma once

#include <string>
#include <vector>

namespace lockkeeper::erlang {

struct SourceFile {
    std::string name;  // "canal_lock.erl"
    std::string text;
};

[[nodiscard]] std::vector<SourceFile> sources();

}  // namespace lockkeeper::erlang
