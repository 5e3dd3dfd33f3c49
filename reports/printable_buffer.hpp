// SPDX-License-Identifier: Apache-2.0

// A stream buffer that lets nothing through that a terminal obeys: names and texts from files and
// programs are printed in many places, and every one of them ends here. Control characters, those
// of 8 bits too (U+0080 to U+009F), and bytes that are no UTF-8 become '?'; a tab becomes a space.
// Used by run_lockkeeper for stdout and stderr.
#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace lockkeeper {

class PrintableBuffer final : public std::streambuf {
  public:
    enum class Returns : bool { kReplaced, kKept };
    // Progress is written over with carriage returns. Does not own `out`.
    PrintableBuffer(std::ostream& out, Returns returns)
        : out_(out), keeps_returns_(returns == Returns::kKept) {}

  protected:
    int_type overflow(int_type character) override {
        if (!traits_type::eq_int_type(character, traits_type::eof())) {
            const char one = traits_type::to_char_type(character);
            xsputn(&one, 1);
        }
        return out_ ? traits_type::not_eof(character) : traits_type::eof();
    }
    std::streamsize xsputn(const char* text, std::streamsize count) override {
        std::string clean;
        for (std::streamsize i = 0; i < count; ++i) {
            take(static_cast<unsigned char>(text[i]), clean);
        }
        out_ << clean;
        return count;
    }
    int sync() override {
        out_.flush();
        return out_ ? 0 : -1;
    }

  private:
    void take(unsigned char byte, std::string& clean) {
        const bool continues = byte >= 0x80 && byte < 0xC0;
        if (wanted_ > 0 && continues) {
            letter_ += static_cast<char>(byte);
            if (--wanted_ == 0) {
                clean += letter_.front() == '\xC2' && byte < 0xA0 ? "?" : letter_;
            }
            return;
        }
        clean += wanted_ > 0 ? "?" : "";  // a letter that was cut short
        wanted_ = 0;
        if (byte >= 0xC2 && byte <= 0xF4) {
            wanted_ = byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3;
            letter_ = static_cast<char>(byte);
        } else if (byte == '\n' || (byte == '\r' && keeps_returns_) ||
                   (byte >= ' ' && byte < 0x7F)) {
            clean += static_cast<char>(byte);
        } else {
            clean += byte == '\t' ? ' ' : '?';
        }
    }

    std::ostream& out_;
    bool keeps_returns_;
    int wanted_ = 0;      // bytes of the letter that has begun
    std::string letter_;  // of several bytes
};

}  // namespace lockkeeper
