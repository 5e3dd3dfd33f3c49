// SPDX-License-Identifier: Apache-2.0
#include "validate/threads/runtime/program_file.hpp"

namespace lockkeeper::threads {

std::string run_tool(std::initializer_list<const char*> names,
                     std::vector<std::string>& arguments) {
    int ends[2] = {-1, -1};
    if (raw_call(SYS_pipe2, reinterpret_cast<long>(ends), 0) != 0) {
        return {};
    }
    std::vector<char*> given;
    given.reserve(arguments.size() + 1);
    for (std::string& argument : arguments) {
        given.push_back(argument.data());
    }
    given.push_back(nullptr);
    const char* none[] = {nullptr};
    const long child = raw_call(SYS_fork);
    if (child == 0) {
        raw_call(SYS_dup2, ends[1], 1);
        for (const char* name : names) {
            for (const char* directory : {"/usr/bin/", "/usr/local/bin/"}) {
                const std::string path = std::string(directory) + name;
                raw_call(SYS_execve, reinterpret_cast<long>(path.c_str()),
                         reinterpret_cast<long>(given.data()), reinterpret_cast<long>(none));
            }
        }
        end_process(127);
    }
    raw_call(SYS_close, ends[1]);
    std::string text;
    char buffer[4096];
    for (long size = 1; size > 0;) {
        size = raw_call(SYS_read, ends[0], reinterpret_cast<long>(buffer), sizeof(buffer));
        text.append(buffer, size > 0 ? static_cast<std::size_t>(size) : 0);
    }
    raw_call(SYS_close, ends[0]);
    raw_call(SYS_wait4, child, 0, 0, 0);
    return text;
}

std::string path_of_program() {
    char path[4096] = {};
    raw_call(SYS_readlink, reinterpret_cast<long>("/proc/self/exe"), reinterpret_cast<long>(path),
             sizeof(path) - 1);
    return path;
}

}  // namespace lockkeeper::threads
