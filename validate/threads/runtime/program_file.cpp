// SPDX-License-Identifier: Apache-2.0
#include "validate/threads/runtime/program_file.hpp"

namespace lockkeeper::threads {

std::string run_tool(std::initializer_list<const char*> names,
                     std::vector<std::string>& arguments) {
    int ends[2] = {-1, -1};
    if (raw_call(293, reinterpret_cast<long>(ends), 0) != 0) {  // pipe2
        return {};
    }
    std::vector<char*> given;
    for (std::string& argument : arguments) {
        given.push_back(argument.data());
    }
    given.push_back(nullptr);
    const char* none[] = {nullptr};
    const long child = raw_call(57);  // fork
    if (child == 0) {
        raw_call(33, ends[1], 1);  // dup2
        for (const char* name : names) {
            for (const char* directory : {"/usr/bin/", "/usr/local/bin/"}) {
                const std::string path = std::string(directory) + name;
                raw_call(59, reinterpret_cast<long>(path.c_str()),
                         reinterpret_cast<long>(given.data()),
                         reinterpret_cast<long>(none));  // execve
            }
        }
        end_process(127);
    }
    raw_call(3, ends[1]);  // close
    std::string text;
    char buffer[4096];
    for (long size = 1; size > 0;) {
        size = raw_call(0, ends[0], reinterpret_cast<long>(buffer), sizeof(buffer));  // read
        text.append(buffer, size > 0 ? static_cast<std::size_t>(size) : 0);
    }
    raw_call(3, ends[0]);
    raw_call(61, child, 0, 0, 0);  // wait4
    return text;
}

std::string path_of_program() {
    char path[4096] = {};
    raw_call(89, reinterpret_cast<long>("/proc/self/exe"), reinterpret_cast<long>(path),
             sizeof(path) - 1);  // readlink
    return path;
}

}  // namespace lockkeeper::threads
