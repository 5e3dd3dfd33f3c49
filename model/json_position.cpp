// SPDX-License-Identifier: Apache-2.0
#include "model/json_position.hpp"

#include <algorithm>
#include <charconv>

#include "model/json.hpp"

namespace lockkeeper {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

// Walks over JSON without recursion. Text that is not JSON gives some position inside of it.
class Scanner {
  public:
    Scanner(std::string_view text, std::size_t at) : text_(text), at_(std::min(at, text.size())) {}

    [[nodiscard]] std::size_t at() const { return at_; }
    [[nodiscard]] char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    void skip_space() { at_ = std::min(text_.find_first_not_of(kSpace, at_), text_.size()); }

    // True: `character` stood here, and has been passed.
    bool take(char character) {
        skip_space();
        const bool is_here = at_ < text_.size() && text_[at_] == character;
        at_ += is_here ? 1U : 0U;
        return is_here;
    }

    // With its quotes.
    std::string_view take_string() {
        const std::size_t begin = at_;
        ++at_;
        while (at_ < text_.size() && text_[at_] != '"') {
            at_ += text_[at_] == '\\' ? 2U : 1U;
        }
        at_ = std::min(at_ + 1, text_.size());
        return text_.substr(begin, at_ - begin);
    }

    void skip_value() {
        skip_space();
        std::size_t depth = 0;
        do {
            const char character = here();
            if (character == '"') {
                take_string();
            } else if (character == '{' || character == '[') {
                ++depth;
                ++at_;
            } else if (character == '}' || character == ']') {
                depth -= std::min<std::size_t>(depth, 1);
                ++at_;
            } else if (character == ',' || character == ':') {
                ++at_;
            } else {
                at_ = std::min(text_.find_first_of(" \t\r\n{}[],:\"", at_), text_.size());
            }
            if (depth > 0) {
                skip_space();
            }
        } while (depth > 0 && at_ < text_.size());
    }

  private:
    std::string_view text_;
    std::size_t at_;
};

// Returns the key between its quotes as a step of a pointer.
std::string step_of(std::string_view quoted) {
    if (quoted.find('\\') == std::string_view::npos) {
        return pointer_step(quoted.substr(1, quoted.size() < 2 ? 0 : quoted.size() - 2));
    }
    const auto key = nlohmann::json::parse(quoted, nullptr, false);
    return key.is_string() ? pointer_step(key.get_ref<const std::string&>()) : std::string();
}

bool find_member(std::string_view text, std::string_view step, JsonPlace& place) {
    Scanner scanner(text, place.begin + 1);
    bool is_found = false;
    scanner.skip_space();
    while (scanner.here() == '"') {
        const std::size_t name = scanner.at();
        const bool is_it = step_of(scanner.take_string()) == step;
        scanner.take(':');
        scanner.skip_space();
        if (is_it) {
            place = {name, scanner.at(), scanner.at()};
            is_found = true;
        }
        scanner.skip_value();
        scanner.take(',');
        scanner.skip_space();
    }
    return is_found;
}

bool find_element(std::string_view text, std::string_view step, JsonPlace& place) {
    std::size_t index = 0;
    const auto [rest, error] = std::from_chars(step.data(), step.data() + step.size(), index);
    if (error != std::errc{} || rest != step.data() + step.size()) {
        return false;
    }
    Scanner scanner(text, place.begin + 1);
    for (; index > 0; --index) {
        scanner.skip_value();
        if (!scanner.take(',')) {
            return false;
        }
    }
    scanner.skip_space();
    if (scanner.here() == ']' || scanner.at() == text.size()) {
        return false;
    }
    place = {scanner.at(), scanner.at(), scanner.at()};
    return true;
}

bool enter(std::string_view text, std::string_view step, JsonPlace& place) {
    const char first = place.begin < text.size() ? text[place.begin] : '\0';
    return first == '{'   ? find_member(text, step, place)
           : first == '[' ? find_element(text, step, place)
                          : false;
}

}  // namespace

JsonPlace find_in_json(std::string_view text, std::string_view pointer) {
    Scanner scanner(text, 0);
    scanner.skip_space();
    JsonPlace place{scanner.at(), scanner.at(), scanner.at()};
    bool goes_on = !pointer.empty() && pointer.front() == '/';
    while (goes_on) {
        pointer.remove_prefix(1);
        const std::size_t end = std::min(pointer.find('/'), pointer.size());
        goes_on = enter(text, pointer.substr(0, end), place) && end < pointer.size();
        pointer.remove_prefix(end);
    }
    Scanner value(text, place.begin);
    value.skip_value();
    place.end = value.at();
    return place;
}

std::string pointer_step(std::string_view key) {
    std::string escaped;
    for (const char character : key.substr(0, kPointerStepBytesMax)) {
        if (character == '~') {
            escaped += "~0";
        } else if (character == '/') {
            escaped += "~1";
        } else {
            escaped += character;
        }
    }
    return escaped;
}

}  // namespace lockkeeper
