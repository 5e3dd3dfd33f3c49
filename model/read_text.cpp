// SPDX-License-Identifier: Apache-2.0
#include "model/read_text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>

namespace lockkeeper {
namespace {

std::variant<std::string, NotRead> read_stream(std::istream& stream, std::size_t bytes_max) {
    constexpr std::size_t kBlockBytes = std::size_t{1} << 20U;
    std::string text;
    errno = 0;
    while (stream && text.size() <= bytes_max) {
        const std::size_t size = text.size();
        text.resize(std::min(size + kBlockBytes, bytes_max + 1));
        stream.read(text.data() + size, static_cast<std::streamsize>(text.size() - size));
        text.resize(size + static_cast<std::size_t>(stream.gcount()));
    }
    // A directory opens and fails to be read.
    if (stream.bad() || (stream.fail() && !stream.eof())) {
        return NotRead{std::string("cannot be read: ") + std::strerror(errno)};
    }
    return text;
}

}  // namespace

std::variant<std::string, NotRead> read_text(const std::string& file, std::size_t bytes_max) {
    if (file == kStandardInput) {
        return read_stream(std::cin, bytes_max);
    }
    errno = 0;
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        return NotRead{std::string("cannot be opened: ") + std::strerror(errno)};
    }
    return read_stream(stream, bytes_max);
}

}  // namespace lockkeeper
