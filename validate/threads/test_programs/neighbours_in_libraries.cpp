// SPDX-License-Identifier: Apache-2.0
// Right: beside what a library function reads or writes another thread writes. The argument takes
// a byte more, which is a race.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>

char text[3] = {'a', 'b', 'c'};
short shorts[2];
signed char bytes[2];
int numbers[4] = {3, 1, 2, 0};
std::tm own_time{};
char word[6] = "-----";
char line[6] = "-----";
std::stringbuf buffer;
volatile int result = 0;

int in_order(const void* left, const void* right) {
    return *static_cast<const int*>(left) - *static_cast<const int*>(right);
}

void call(int more) {
    char printed[20];
    std::snprintf(printed, sizeof(printed), "%.*s|%.2s", more == 1 ? 3 : 2, text, text);
    assert(std::strcmp(printed, more == 1 ? "abc|ab" : "ab|ab") == 0);
    more == 2 ? std::snprintf(printed, sizeof(printed), "abc%n", reinterpret_cast<int*>(shorts))
              : std::snprintf(printed, sizeof(printed), "abc%hn", shorts);
    std::snprintf(printed, sizeof(printed), more == 3 ? "abcd%hn" : "abcd%hhn", bytes);
    std::qsort(numbers, more == 4 ? 2 : 1, sizeof(int), in_order);
    assert(std::strftime(printed, sizeof(printed), more == 5 ? "%H:%S" : "%H:%M", &own_time) == 5);
    std::istringstream input("one\ntwo");
    input.read(word, more == 6 ? 4 : 3);
    assert(input && std::strncmp(word, "one", 3) == 0);
    input.seekg(0);
    input.getline(line, 6, more == 7 ? 't' : '\n');
    assert(input && (more == 7 || std::strcmp(line, "one") == 0));
    std::ostringstream own;
    own.std::ios::rdbuf(&buffer);
    assert(own.str().empty());
    if (more == 8) {
        own << 1;
    }
    own.std::ios::rdbuf(own.rdbuf());
    own << 2;
    assert(own.str() == "2");
    std::cout.clear();
}

int main(int count, char** arguments) {
    const int more = count < 2 ? 0 : std::atoi(arguments[1]);
    std::thread thread([] {
        text[2] = 'c';
        shorts[1] = 2;
        bytes[1] = 2;
        numbers[1] = 1;
        own_time.tm_sec = 5;
        word[3] = 'x';
        line[4] = 'x';
        buffer.sputc('a');
        std::cout.clear();
    });
    call(more);
    thread.join();
    assert(more == 2 || (shorts[0] == 3 && shorts[1] == 2));
}
