// SPDX-License-Identifier: Apache-2.0
// Memory is given back that is no block of the heap.
#include <cstdlib>
#include <cstring>
#include <thread>

int variable = 0;
void* before_main = std::malloc(5);

int main(int count, char** arguments) {
    const char* name = count > 1 ? arguments[1] : "";
    int local = 0;
    auto* block = static_cast<char*>(std::malloc(32));
    void* given = std::strcmp(name, "variable") == 0 ? &variable
                  : std::strcmp(name, "local") == 0  ? &local
                  : std::strcmp(name, "inside") == 0 ? block + 16
                                                     : before_main;
    std::thread gives([=] { std::free(given); });
    gives.join();
    std::free(block);
}
