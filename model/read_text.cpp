// SPDX-License-Identifier: Apache-2.0
#include "model/read_text.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <iterator>
#include <string_view>

#include "model/check.hpp"

namespace lockkeeper {
namespace {

constexpr int kLookMilliseconds = 100;  // between two looks at whether to go on

std::atomic<bool (*)()> is_end_asked{nullptr};

// Tests put another in its place.
std::streambuf* const own_input = std::cin.rdbuf();

NotRead not_read(const char* what) {
    return {std::string(what) + (errno == ECANCELED ? "interrupted" : std::strerror(errno))};
}

// Waits for a pipe or a device, which may deliver input later, or never.
bool wait_for_input(int descriptor) {
    for (;;) {
        bool (*const asked)() = is_end_asked.load();
        if (asked != nullptr && asked()) {
            errno = ECANCELED;
            return false;
        }
        pollfd look{descriptor, POLLIN, 0};
        const int found = ::poll(&look, 1, kLookMilliseconds);
        if (found > 0) {
            return true;
        }
        if (found < 0 && errno != EINTR) {
            return false;
        }
    }
}

std::variant<std::string, NotRead> read_descriptor(int descriptor, bool may_wait,
                                                   std::size_t bytes_max) {
    constexpr std::size_t kBlockBytes = std::size_t{1} << 20U;
    std::string text;
    while (text.size() <= bytes_max) {
        const std::size_t size = text.size();
        text.resize(std::min(size + kBlockBytes, bytes_max + 1));
        ssize_t count = -1;
        do {
            if (may_wait && !wait_for_input(descriptor)) {
                return not_read("cannot be read: ");
            }
            count = ::read(descriptor, text.data() + size, text.size() - size);
        } while (count < 0 && (errno == EINTR || errno == EAGAIN));
        if (count < 0) {
            return not_read("cannot be read: ");
        }
        text.resize(size + static_cast<std::size_t>(count));
        if (count == 0) {
            break;
        }
    }
    return text;
}

std::string read_stream(std::istream& stream, std::size_t bytes_max) {
    std::string text(std::istreambuf_iterator<char>(stream), {});
    text.resize(std::min(text.size(), bytes_max + 1));
    return text;
}

// True: the shell has opened the file for this command, such as the pipe of <(...).
bool is_given_descriptor(std::string_view file) {
    return file == "/dev/stdin" || file.starts_with("/dev/fd/") ||
           file.starts_with("/proc/self/fd/");
}

class OpenedFile {
  public:
    // A pipe without a writer opens at once, and is refused afterwards.
    explicit OpenedFile(const std::string& file)
        : descriptor_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
    OpenedFile(const OpenedFile&) = delete;
    OpenedFile& operator=(const OpenedFile&) = delete;
    ~OpenedFile() {
        if (descriptor_ >= 0) {
            ::close(descriptor_);
        }
    }
    [[nodiscard]] int descriptor() const { return descriptor_; }

  private:
    int descriptor_;
};

}  // namespace

void end_reads_when(bool (*asked)()) { is_end_asked = asked; }

void end_reading_if_asked() {
    bool (*const asked)() = is_end_asked.load();
    if (asked != nullptr && asked()) {
        throw LimitExceeded("interrupted while it was read");
    }
}

std::variant<std::string, NotRead> read_text(const std::string& file, std::size_t bytes_max) {
    if (file == kStandardInput) {
        return std::cin.rdbuf() == own_input ? read_descriptor(STDIN_FILENO, true, bytes_max)
                                             : read_stream(std::cin, bytes_max);
    }
    const OpenedFile opened(file);
    struct stat status {};
    if (opened.descriptor() < 0 || ::fstat(opened.descriptor(), &status) != 0) {
        return not_read("cannot be opened: ");
    }
    const bool is_file =
        S_ISREG(status.st_mode) || S_ISDIR(status.st_mode);  // which read() refuses
    if (!is_file && !is_given_descriptor(file)) {
        return NotRead{"is no file, but a pipe, a device or a socket; - is standard input"};
    }
    return read_descriptor(opened.descriptor(), !is_file, bytes_max);
}

}  // namespace lockkeeper
