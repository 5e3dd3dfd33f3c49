#include "scenarios/read_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace lockkeeper {

std::variant<std::string, InputError> read_stream(std::istream& stream, const std::string& file,
                                                  std::size_t bytes_max) {
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
        return InputError{file, "", std::string("cannot be read: ") + std::strerror(errno)};
    }
    return text;
}

std::variant<std::string, InputError> read_file(const std::string& file, std::size_t bytes_max) {
    errno = 0;
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        return InputError{file, "", std::string("cannot be opened: ") + std::strerror(errno)};
    }
    return read_stream(stream, file, bytes_max);
}

}  // namespace lockkeeper
