// SPDX-License-Identifier: Apache-2.0
// Refused: library functions for which no rule says what they read and write when they are called
// so. The argument says which.
#include <cstdio>
#include <cstring>
#include <iostream>
#include <sstream>
#include <streambuf>
#include <thread>

struct OwnBuffer : std::streambuf {
    OwnBuffer() { setg(text, text, text + sizeof(text)); }
    char text[3] = {'a', 'b', 'c'};
};

bool is_of(const char* argument, const char* name) { return std::strcmp(argument, name) == 0; }

int main(int, char** arguments) {
    char text[20];
    if (is_of(arguments[1], "wide_text")) {
        std::snprintf(text, sizeof(text), "%S", L"a");
    } else if (is_of(arguments[1], "own_buffer")) {
        OwnBuffer buffer;
        std::istream(&buffer).read(text, 2);
    } else if (is_of(arguments[1], "array")) {
        std::istringstream("a b") >> text;
    } else if (is_of(arguments[1], "wide_input")) {
        int number = 0;
        std::wistringstream(L"12") >> number;
    } else if (is_of(arguments[1], "to_buffer")) {
        std::stringbuf buffer;
        std::istringstream("ab") >> &buffer;
    }
}
