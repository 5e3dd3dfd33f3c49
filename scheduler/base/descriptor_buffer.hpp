// SPDX-License-Identifier: Apache-2.0

// A stream buffer over a file descriptor that remembers why a write failed: a reader that went
// away (EPIPE) is no error, a full disk is, and std::cout cannot tell them apart afterwards.
// Used for stdout and for every file that is written (output_file.hpp). After the first error
// everything is dropped.
#pragma once

#include <unistd.h>

#include <array>
#include <cerrno>
#include <streambuf>

namespace lockkeeper {

class DescriptorBuffer final : public std::streambuf {
  public:
    // Does not own the descriptor.
    explicit DescriptorBuffer(int descriptor) : descriptor_(descriptor) {
        setp(bytes_.data(), bytes_.data() + bytes_.size());
    }
    DescriptorBuffer(const DescriptorBuffer&) = delete;
    DescriptorBuffer& operator=(const DescriptorBuffer&) = delete;
    DescriptorBuffer(DescriptorBuffer&&) = delete;
    DescriptorBuffer& operator=(DescriptorBuffer&&) = delete;
    ~DescriptorBuffer() override { write_out(); }

    // The errno of the first write that failed, or 0.
    [[nodiscard]] int error() const { return error_; }

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
            const ssize_t written =
                ::write(descriptor_, next, static_cast<std::size_t>(pptr() - next));
            if (written >= 0) {
                next += written;
            } else if (errno != EINTR) {
                error_ = errno;
            }
        }
        setp(bytes_.data(), bytes_.data() + bytes_.size());
    }

    int descriptor_;
    int error_ = 0;
    std::array<char, 1U << 14U> bytes_{};
};

}  // namespace lockkeeper
