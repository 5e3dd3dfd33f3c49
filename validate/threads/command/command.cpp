// SPDX-License-Identifier: Apache-2.0
#include "validate/threads/command/command.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>

#include "model/printable.hpp"
#include "scheduler/base/interrupt.hpp"
#include "scheduler/base/signals.hpp"
#include "validate/threads/command/start_program.hpp"

namespace lockkeeper::threads {
namespace {

constexpr int kRefused = 65;
constexpr int kInterrupted = 130;
// In each program that is linked with the runtime (runtime/start.cpp).
constexpr const char* kMark = "lockkeeper threads runtime 1";
constexpr std::uintmax_t kProgramBytesMax = std::uintmax_t{1} << 30;

// Beside the command where it is built, in the prefix's library directory where it is installed.
std::string runtime_library() {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
    const char* name = "liblockkeeper_threads.a";
    for (const fs::path& directory :
         {here, here / "../lib", here / "../lib64", here / "../lib/x86_64-linux-gnu"}) {
        if (fs::exists(directory / name, error)) {
            return fs::weakly_canonical(directory / name, error).string();
        }
    }
    return "";
}

int refuse(std::ostream& out, const std::string& why) {
    out << "verdict: refused: " << why << "\n" << std::flush;
    return kRefused;
}

std::string how_to_link() {
    return "compile with -fsanitize=thread -fno-builtin -g, and link with " + runtime_library() +
           " in the place of -fsanitize=thread (lockkeeper threads --flags)";
}

}  // namespace

std::string what_is_wrong_with(const std::string& program) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(program, error) || access(program.c_str(), X_OK) != 0) {
        return program + " is no program that can be run";
    }
    if (std::filesystem::file_size(program, error) > kProgramBytesMax || error) {
        return program + " is larger than 1 GiB";
    }
    std::ifstream file(program, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!bytes.starts_with("\x7f"
                           "ELF")) {
        return program + " is no program of this machine, but a script or something else";
    }
    if (bytes.find(kMark) == std::string::npos) {
        return program + " is not linked with the runtime of lockkeeper threads: " + how_to_link();
    }
    return "";
}

std::string settings_of(const Asked& asked) {
    return "model=" + asked.model + ",strategy=" + asked.strategy +
           ",seed=" + std::to_string(asked.seed) +
           ",schedules=" + std::to_string(asked.schedules_max) +
           (asked.replayed.empty() ? "" : ",replay=" + asked.replayed) +
           ",executions=" + std::to_string(asked.executions_max) +
           ",seconds=" + std::to_string(std::llround(std::ceil(asked.seconds_max))) +
           ",spurious=" + std::to_string(asked.spurious_max) +
           ",timeouts=" + std::to_string(asked.timeouts_max) +
           ",allocations=" + std::to_string(asked.allocation_failures_max) +
           ",weak=" + std::to_string(asked.weak_failures_max) +
           (asked.finds_leaks ? ",leaks=on" : "") + (asked.trusts_headers ? ",headers=sc" : "") +
           ",command=1";
}

std::vector<char*> arguments_of(const std::vector<std::string>& program) {
    std::vector<char*> arguments;
    arguments.reserve(program.size() + 1);
    for (const std::string& argument : program) {
        arguments.push_back(const_cast<char*>(argument.c_str()));
    }
    arguments.push_back(nullptr);
    return arguments;
}

int run_command(const Asked& asked, const std::vector<std::string>& program, std::ostream& out) {
    const std::string library = runtime_library();
    if (asked.tells_flags) {
        if (library.empty()) {
            return refuse(out,
                          "there is no liblockkeeper_threads.a beside this command: it is built on "
                          "x86-64 with GNU's linker");
        }
        out << "compile: -fsanitize=thread -fno-builtin -g\nlink: " << shell_quoted(library)
            << " -pthread -Wl,-z,now\n"
            << std::flush;
        return 0;
    }
    // A debugger may stand before the program.
    const auto own = asked.replayed.empty()
                         ? program.begin()
                         : std::find_if(program.begin(), program.end(), [](const std::string& one) {
                               return what_is_wrong_with(one).empty();
                           });
    const std::string wrong = what_is_wrong_with(own == program.end() ? program.front() : *own);
    if (!wrong.empty()) {
        return refuse(out, wrong);
    }
    setenv("LOCKKEEPER_THREADS", settings_of(asked).c_str(), 1);
    std::vector<char*> arguments = arguments_of(program);
    out << std::flush;
    if (own == program.begin()) {
        hold_signals();  // the runtime releases them
        if (interrupt_requested()) {
            out << "verdict: inconclusive: interrupted\n" << std::flush;
            return kInterrupted;
        }
        execv(program.front().c_str(), arguments.data());
    } else {
        execvp(program.front().c_str(), arguments.data());
    }
    return refuse(out, program.front() + " cannot be started: " + std::strerror(errno));
}

}  // namespace lockkeeper::threads
