// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/processors.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace lockkeeper::wire {

bool are_processors_short() {
    static const int kFile = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
    static const long kProcessors = sysconf(_SC_NPROCESSORS_ONLN);
    std::array<char, 128> text;
    const ssize_t count = pread(kFile, text.data(), text.size(), 0);
    const char* const end = text.data() + std::max<ssize_t>(count, 0);
    // Three averages, and "how many can run/how many there are".
    const char* at = text.data();
    for (int space = 0; space < 3 && at != end; ++space) {
        at = std::find(at, end, ' ');
        at += at == end ? 0 : 1;
    }
    long can_run = 0;
    static_cast<void>(std::from_chars(at, end, can_run));
    return can_run > kProcessors;
}

}  // namespace lockkeeper::wire
