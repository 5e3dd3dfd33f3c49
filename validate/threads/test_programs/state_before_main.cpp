// SPDX-License-Identifier: Apache-2.0
// What is made before main, on the heap, in thread-local storage and in statics, is the same in
// each run.
#include <cassert>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

std::vector<int> numbers{1, 2, 3};
std::map<std::string, int> names{{"a key that is too long to stand in the string", 1}};
std::mutex mutex;
thread_local std::string own = "a text that is too long to stand in the string";

struct AtTheEnd {
    ~AtTheEnd() {
        const std::lock_guard<std::mutex> guard(mutex);
        numbers.push_back(9);
    }
};

void add(int number) {
    thread_local const AtTheEnd at_the_end;
    const std::lock_guard<std::mutex> guard(mutex);
    (void)&at_the_end;
    numbers.push_back(number);
    names[std::to_string(number) + " and a tail that makes it too long as well"] = number;
    own += "!";
    assert(own == "a text that is too long to stand in the string!");
}

int main() {
    static int runs = 0;
    assert(++runs == 1);
    assert(numbers.size() == 3 && names.size() == 1);
    std::thread first(add, 1);
    std::thread second(add, 2);
    first.join();
    second.join();
    assert(numbers.size() == 7 && names.size() == 3);
}
