// SPDX-License-Identifier: Apache-2.0

// A stream buffer over a file descriptor that remembers why a write failed: a reader that went
// away (EPIPE) is no error, a full disk is, and std::cout cannot tell them apart afterwards.
// Used for stdout and for every file that is written (output_file.hpp). After the first error
// everything is dropped.
//
// A pipe, a terminal or a socket whose reader does not read is waited for until a signal ends the
// search (interrupt.hpp). From then on the waits last `after_interrupt` together: a slow reader
// gets the rest, and one that never reads does not keep the command. A regular file is never cut.
#pragma once

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <streambuf>

#include "scheduler/base/interrupt.hpp"

namespace lockkeeper {

class DescriptorBuffer final : public std::streambuf {
  public:
    // With the end of a search, the command ends within a second of the signal.
    static constexpr std::chrono::milliseconds kAfterInterrupt{700};

    // Does not own the descriptor.
    explicit DescriptorBuffer(int descriptor,
                              std::chrono::nanoseconds after_interrupt = kAfterInterrupt)
        : descriptor_(descriptor), left_(after_interrupt) {
        struct stat status = {};
        waits_ = ::fstat(descriptor, &status) == 0 && !S_ISREG(status.st_mode);
        at_once_ = !waits_                   ? bytes_.size()
                   : S_ISCHR(status.st_mode) ? kTerminalBytes
                                             : std::size_t{PIPE_BUF};
        setp(bytes_.data(), bytes_.data() + bytes_.size());
    }
    DescriptorBuffer(const DescriptorBuffer&) = delete;
    DescriptorBuffer& operator=(const DescriptorBuffer&) = delete;
    DescriptorBuffer(DescriptorBuffer&&) = delete;
    DescriptorBuffer& operator=(DescriptorBuffer&&) = delete;
    ~DescriptorBuffer() override { write_out(); }

    // The errno of the first write that failed, or 0.
    [[nodiscard]] int error() const { return error_; }
    // A signal came, and nobody read.
    [[nodiscard]] bool was_given_up() const { return error_ == ECANCELED; }

  protected:
    int_type overflow(int_type character) override {
        write_out();
        if (error_ == 0 && !traits_type::eq_int_type(character, traits_type::eof())) {
            sputc(traits_type::to_char_type(character));
        }
        return error_ == 0 ? traits_type::not_eof(character) : traits_type::eof();
    }
    int sync() override {
        write_out();
        return error_ == 0 ? 0 : -1;
    }

  private:
    void write_out() {
        for (const char* next = pbase(); next < pptr() && error_ == 0;) {
            if (waits_ && !wait_for_reader()) {
                error_ = ECANCELED;
                break;
            }
            const ssize_t written = ::write(
                descriptor_, next, std::min(at_once_, static_cast<std::size_t>(pptr() - next)));
            if (written >= 0) {
                next += written;
            } else if (errno != EINTR && !(waits_ && errno == EAGAIN)) {
                error_ = errno;
            }
        }
        setp(bytes_.data(), bytes_.data() + bytes_.size());
    }

    // Until `at_once_` bytes can be written without a wait, or a write says what is wrong. False:
    // it was given up.
    bool wait_for_reader() {
        using std::chrono::milliseconds;
        constexpr milliseconds kBetweenLooks{50};  // at whether a signal came
        for (;;) {
            const bool is_ending = interrupt_requested();
            const auto wait = is_ending ? std::chrono::ceil<milliseconds>(left_) : kBetweenLooks;
            const auto begin = std::chrono::steady_clock::now();
            pollfd look{descriptor_, POLLOUT, 0};
            const int found =
                ::poll(&look, 1, static_cast<int>(std::min(wait, kBetweenLooks).count()));
            if (is_ending) {
                const std::chrono::nanoseconds waited = std::chrono::steady_clock::now() - begin;
                left_ = std::max(left_ - waited, std::chrono::nanoseconds{0});
            }
            if (found > 0 || (found < 0 && errno != EINTR)) {
                return true;
            }
            if (is_ending && left_.count() == 0) {
                return false;
            }
        }
    }

    // Linux takes as many without a wait when poll says that there is room.
    static constexpr std::size_t kTerminalBytes = 256;

    int descriptor_;
    std::chrono::nanoseconds left_;
    bool waits_ = false;
    std::size_t at_once_ = 0;
    int error_ = 0;
    std::array<char, 1U << 14U> bytes_{};
};

}  // namespace lockkeeper
