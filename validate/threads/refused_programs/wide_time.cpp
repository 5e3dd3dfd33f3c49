// SPDX-License-Identifier: Apache-2.0
// Refused: no rule says which memory wcsftime reads.
#include <ctime>
#include <cwchar>
#include <thread>

int main() {
    std::tm time{};
    wchar_t text[10];
    std::thread thread([&] { std::wcsftime(text, 10, L"%Y", &time); });
    thread.join();
}
