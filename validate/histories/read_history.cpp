// SPDX-License-Identifier: Apache-2.0
#include "model/printable.hpp"
#include "model/read_text.hpp"
#include "validate/histories/record_from.hpp"

namespace lockkeeper {
namespace {

// Looks behind the first brackets: EDN has keywords, tags or comments there, JSON has strings.
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

// A name of the file may stand in it, line breaks and all.
ReadHistory told_in_one_line(ReadHistory read) {
    if (auto* error = std::get_if<HistoryError>(&read)) {
        error->message = printable(std::move(error->message));
    }
    return read;
}

}  // namespace

std::string HistoryError::to_text() const {
    std::string out = file;
    for (const std::size_t number : {place.line, place.column}) {
        out += number > 0 ? ":" + std::to_string(number) : "";
    }
    return out + ": " + message;
}

ReadHistory parse_history(std::string_view text, const std::string& file) {
    if (text.size() > kHistoryBytesMax) {
        return refused(file, "larger than " + std::to_string(kHistoryBytesMax >> 20U) + " MiB");
    }
    if (const auto nul = nul_in(text)) {
        return HistoryError{file, *nul, kNulComplaint};
    }
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
        return HistoryError{file, place_in(text, text.size()),
                            "no records; an empty history is []"};
    }
    if (looks_like_jepsen_text(text)) {
        return told_in_one_line(parse_jepsen_text(text, file));
    }
    return told_in_one_line(looks_like_edn(text) ? parse_edn_history(text, file)
                                                 : parse_json_history(text, file));
}

ReadHistory read_history(const std::string& file) {
    const auto text = read_text(file, kHistoryBytesMax);
    if (const auto* none = std::get_if<NotRead>(&text)) {
        return refused(name_in_messages(file), none->message);
    }
    return parse_history(std::get<std::string>(text), name_in_messages(file));
}

}  // namespace lockkeeper
