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
    return HistoryError{file, {0, 0}, message};
}

}  // namespace

std::string HistoryError::to_text() const {
    std::string out = file;
    for (const std::size_t number : {place.line, place.column}) {
        out += number > 0 ? ":" + std::to_string(number) : "";
    }
    return out + ": " + message;
}

std::string RecordedHistory::place_of(std::size_t position) const {
    const Record& record = records[position];
    if (record.line == 0) {
        return "record " + std::to_string(position + 1);
    }
    return "line " + std::to_string(record.line) +
           (shares_lines ? ", column " + std::to_string(record.column) : "");
}

ReadHistory parse_history(std::string_view text, const std::string& file) {
    if (text.size() > kHistoryBytesMax) {
        return refused(file, "larger than " + std::to_string(kHistoryBytesMax >> 20U) + " MiB");
    }
    if (const auto nul = nul_in(text)) {
        return HistoryError{file, *nul, kNulComplaint};
    }
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
        return refused(file, "no records; an empty history is []");
    }
    return looks_like_edn(text) ? parse_edn_history(text, file) : parse_json_history(text, file);
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
