// SPDX-License-Identifier: Apache-2.0
// A local static whose destructor is registered anew in each of more than thirty-two runs: what the
// C library would note of it must not stand in memory of the program.
#include <atomic>
#include <cassert>
#include <string>
#include <thread>
#include <vector>

std::atomic<int> x{0};

const std::string& text() {
    static const std::string made = "a text that is too long to stand in the string";
    return made;
}

int main() {
    std::thread first([] {
        for (int round = 0; round < 4; ++round) {
            x.fetch_add(1);
        }
        assert(text().size() == 46);
    });
    for (int round = 0; round < 4; ++round) {
        x.fetch_add(1);
    }
    const std::vector<char> guard(x.load() % 2 == 0 ? 16 : 8192, 'x');
    assert(text().size() == 46 && text()[0] == 'a');
    for (const char one : guard) {
        assert(one == 'x');
    }
    first.join();
}
