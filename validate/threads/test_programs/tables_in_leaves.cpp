// SPDX-License-Identifier: Apache-2.0
// Functions that the compilers put no hooks into, because they only read constants and their own
// stack: they are part of a program that is hosted.
#include <atomic>
#include <cassert>
#include <thread>

enum class Word { kNone, kTaken, kFree, kClosed, kOpen, kBroken };

__attribute__((noinline)) const char* name_of(Word word) {
    switch (word) {
        case Word::kNone: return "none";
        case Word::kTaken: return "taken";
        case Word::kFree: return "free";
        case Word::kClosed: return "closed";
        case Word::kOpen: return "open";
        case Word::kBroken: return "broken";
    }
    return "";
}

__attribute__((noinline)) int weight_of(unsigned index) {
    static constexpr int kWeights[] = {3, 1, 4, 1, 5, 9, 2, 6};
    return kWeights[index % 8];
}

__attribute__((noinline)) int sum_of_squares(int count) {
    int squares[8] = {};
    for (int index = 0; index < 8; ++index) {
        squares[index] = index < count ? index * index : 0;
    }
    int sum = 0;
    for (const int square : squares) {
        sum += square;
    }
    return sum;
}

__attribute__((noinline)) double half_of(double value) { return value * 0.5 + 1.25; }

std::atomic<int> total{0};

void add(int number) {
    total.fetch_add(weight_of(static_cast<unsigned>(number)) + sum_of_squares(number) +
                    static_cast<int>(half_of(number)) + name_of(static_cast<Word>(number))[0]);
}

int main() {
    std::thread first(add, 1);
    std::thread second(add, 2);
    first.join();
    second.join();
    assert(total.load() == 1 + 0 + 1 + 't' + 4 + 1 + 2 + 'f');
}
