// SPDX-License-Identifier: Apache-2.0
// Before C++20 the members of std::string are in the library. Right: a part of a string is read,
// while another one is written. The argument takes a part that is written.
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <thread>

std::string key = "a longer text than one that stands in the string";
char text[8] = "abcdefg";
volatile unsigned long result = 0;

int main(int count, char** arguments) {
    const int more = count < 2 ? 0 : std::atoi(arguments[1]);
    std::thread thread([] {
        (&key[0])[8] = 'x';
        text[5] = 'x';
    });
    const std::string part = key.substr(2, more == 1 ? 7 : 6);
    assert(std::strncmp(part.c_str(), "longer", 6) == 0);
    const std::string other(key, more == 2 ? 8 : 9, 4);
    std::string all = "q";
    all.append(key, 0, more == 3 ? 9 : 8);
    all.append(text, more == 4 ? 6 : 5);
    std::ostringstream first;  // without <iostream> nothing has made a locale before
    first << more;
    result = other.size() + all.size();
    thread.join();
}
