#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "histories/record_from.hpp"

namespace lockkeeper {
namespace {

// Of what stands behind the first brackets: EDN has keywords, tags or comments there, JSON strings.
bool looks_like_edn(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n[({,");
    if (first == std::string_view::npos) {
        return false;
    }
    return text[first] == ':' || text[first] == '#' || text[first] == ';';
}

ReadHistory refused(const std::string& file, const std::string& message) {
    return HistoryError{file, 0, message};
}

}  // namespace

ReadHistory parse_history(std::string_view text, const std::string& file) {
    if (text.size() > kHistoryBytesMax) {
        return refused(file, "larger than " + std::to_string(kHistoryBytesMax >> 20U) + " MiB");
    }
    ReadHistory read =
        looks_like_edn(text) ? parse_edn_history(text, file) : parse_json_history(text, file);
    const auto* history = std::get_if<RecordedHistory>(&read);
    if (history != nullptr && history->records.empty()) {
        return refused(file, "no records");
    }
    return read;
}

ReadHistory read_history(const std::string& file) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "rb"),
                                                                 &std::fclose);
    if (!stream) {
        return refused(file, std::strerror(errno));
    }
    std::error_code error;
    if (std::filesystem::is_directory(file, error)) {
        return refused(file, "is a directory");
    }
    std::string text;
    std::string block(std::size_t{1} << 16U, '\0');
    while (text.size() <= kHistoryBytesMax) {
        const std::size_t count = std::fread(block.data(), 1, block.size(), stream.get());
        text.append(block, 0, count);
        if (count < block.size()) {
            break;
        }
    }
    if (std::ferror(stream.get()) != 0) {
        return refused(file, "cannot be read");
    }
    return parse_history(text, file);
}

}  // namespace lockkeeper
