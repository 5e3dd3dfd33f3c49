// SPDX-License-Identifier: Apache-2.0

// Lockkeeper without a process of its own: two calls, JSON in and JSON out. The playground's module
// is this (wasm/browser/exports.cpp), and whoever embeds Lockkeeper elsewhere.
//
//   answer("run", R"({"file": 0, "schedule": "lk1:1:"})")
//     The requests of `lockkeeper serve`: reports/web/src/serve_data.ts has what they take and
//     answer. Returns {"status": 200, "answer": {...}}; refused: {"status": 400, "answer":
//     {"error": {"message": "...", "line": 1, "column": 3}}}. "explore" returns at its end.
//   command(R"({"arguments": ["explore", "a.json"], "files": {"a.json": "..."}, "stdin": ""})")
//     What stands behind `lockkeeper`, and the files it finds where it runs: "files" and "stdin"
//     may be missing. Returns {"exit_code": 1, "out": "...", "err": "...", "files": {...}};
//     "files": those that the command has written. Text that is not UTF-8 is replaced.
//
// Nothing is thrown. Untrusted input is refused with a sentence; a name of a file stays inside.
// Limits: a file of 64 MB, 1,000 files. One call at a time, from one thread. While command() runs,
// the process has another working directory, and standard input.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "scenarios/registry/shipped_systems.hpp"
#include "serve/api.hpp"
#include "serve/opened_files.hpp"

namespace lockkeeper {

class Engine {
  public:
    struct Surroundings {
        // An empty directory, which command() fills and empties again.
        std::filesystem::path directory;
        std::uint64_t bytes_max = UINT64_MAX;  // of one exploration
        // Is told what is new while a call runs: {"exploration": {...}} as the request of this name
        // answers, or {"err": "..."}, a part of what command() writes on stderr. May be null.
        std::function<void(const std::string& json)> tell{};
    };
    explicit Engine(Surroundings around);

    [[nodiscard]] std::string answer(std::string_view name, const std::string& body);
    [[nodiscard]] std::string command(const std::string& body);

  private:
    void tell(const char* name, nlohmann::ordered_json what) const;

    Surroundings around_;
    Registry registry_ = shipped_systems();
    OpenedFiles files_{registry_};
    Api api_;
};

}  // namespace lockkeeper
