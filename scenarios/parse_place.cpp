// SPDX-License-Identifier: Apache-2.0
#include "scenarios/parse_place.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "model/read_text.hpp"
#include "model/text_place.hpp"
#include "scenarios/nearest_name.hpp"

namespace lockkeeper {
namespace {

constexpr std::size_t kQuotedBytesMax = 60;

bool is_utf8(const std::string& text) {
    try {
        static_cast<void>(nlohmann::json(text).dump());
        return true;
    } catch (const nlohmann::json::exception&) {
        return false;
    }
}

std::string either(std::span<const std::string_view> words) {
    std::string text;
    for (const std::string_view word : words) {
        text += text.empty() ? "" : word == words.back() ? " or " : ", ";
        text += in_quotes(word);
    }
    return text;
}

bool is_name_character(char character) {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9') || character == '_' || character == '-' ||
           character == '.' || character == ':';
}

}  // namespace

std::string as_one_line(std::string text) {
    const bool keeps_high_bytes = is_utf8(text);
    std::replace_if(
        text.begin(), text.end(),
        [&](char character) {
            const auto byte = static_cast<unsigned char>(character);
            return byte < 0x20 || byte == 0x7F || (byte >= 0x80 && !keeps_high_bytes);
        },
        '?');
    return text;
}

std::string in_quotes(std::string_view text) {
    const bool whole = text.size() <= kQuotedBytesMax;
    return "\"" + as_one_line(std::string(text.substr(0, kQuotedBytesMax))) +
           (whole ? "\"" : "...\"");
}

bool is_merged_in_cases(std::string_view key) {
    return key == "parameters" || key == "faults" || key == "limits";
}

std::string InputText::in_text(const std::string& pointer) const {
    if (of_case.empty()) {
        return pointer;
    }
    std::size_t end = std::min(pointer.find('/', 1), pointer.size());
    if (end < pointer.size() && is_merged_in_cases(pointer.substr(1, end - 1))) {
        end = std::min(pointer.find('/', end + 1), pointer.size());
    }
    const nlohmann::json::json_pointer in_case(of_case + pointer.substr(0, end));
    return nlohmann::json::parse(text).contains(in_case) ? of_case + pointer : pointer;
}

void Place::refuse_at(std::size_t byte, const std::string& pointer,
                      const std::string& message) const {
    const TextPlace place = place_in(input_->text, byte);
    throw RefusedInput(
        {in_file(input_->file, place), as_one_line(pointer), as_one_line(message), place});
}

void Place::refuse(const std::string& message) const {
    const std::string pointer = input_->in_text(pointer_);
    refuse_at(find_in_json(input_->text, pointer).begin, pointer, message);
}

void Place::refuse_key(std::string_view key, const std::string& message) const {
    const std::string pointer = input_->in_text(pointer_ + "/" + pointer_step(key));
    refuse_at(find_in_json(input_->text, pointer).name, pointer.substr(0, pointer.rfind('/')),
              message);
}

void Place::refuse_type(std::string_view expected) const {
    refuse(fmt::format("expected {}, found {}", expected, found()));
}

std::string_view Place::as_written() const {
    return find_in_json(input_->text, input_->in_text(pointer_)).of(input_->text);
}

std::string Place::found() const {
    switch (value_->type()) {
        case Json::value_t::null: return "null";
        case Json::value_t::object: return "an object";
        case Json::value_t::array: return "an array";
        case Json::value_t::string: return "the string " + in_quotes(text());
        case Json::value_t::boolean: return value_->get<bool>() ? "true" : "false";
        default: {
            const std::string_view written = as_written();
            const bool whole = written.size() <= kQuotedBytesMax;
            return std::string(written.substr(0, kQuotedBytesMax)) + (whole ? "" : "...");
        }
    }
}

Place Place::below(const Json& value, std::string_view step) const {
    return {value, *input_, pointer_ + "/" + pointer_step(step)};
}

const Place& Place::has_only(const std::vector<std::string_view>& keys) const {
    if (!is_object()) {
        refuse_type("an object");
    }
    for (const auto& [key, value] : value_->items()) {
        if (std::find(keys.begin(), keys.end(), key) != keys.end()) {
            continue;
        }
        refuse_key(key, "unknown key " + in_quotes(key) +
                            did_you_mean(key, {keys.begin(), keys.end()},
                                         fmt::format("; known here: {}", fmt::join(keys, ", "))));
    }
    return *this;
}

Place Place::at(std::string_view key) const {
    const auto place = find(key);
    if (!place) {
        refuse("missing key " + in_quotes(key));
    }
    return *place;
}

std::optional<Place> Place::find(std::string_view key) const {
    if (!is_object()) {
        refuse_type("an object");
    }
    const auto member = value_->find(key);
    if (member == value_->end()) {
        return std::nullopt;
    }
    return below(*member, key);
}

std::vector<std::pair<std::string, Place>> Place::members() const {
    if (!is_object()) {
        refuse_type("an object");
    }
    std::vector<std::pair<std::string, Place>> members;
    for (const auto& [key, value] : value_->items()) {
        members.emplace_back(key, below(value, key));
    }
    return members;
}

std::vector<Place> Place::elements(std::size_t size_min, std::size_t size_max) const {
    if (!is_array()) {
        refuse_type("an array");
    }
    if (value_->size() < size_min || value_->size() > size_max) {
        refuse(fmt::format("expected {} to {} elements, found {}", size_min, size_max,
                           value_->size()));
    }
    std::vector<Place> elements;
    elements.reserve(value_->size());
    for (std::size_t i = 0; i < value_->size(); ++i) {
        elements.push_back(below((*value_)[i], std::to_string(i)));
    }
    return elements;
}

bool Place::truth() const {
    if (!value_->is_boolean()) {
        refuse_type("true or false");
    }
    return value_->get<bool>();
}

const std::string& Place::text() const {
    if (!is_text()) {
        refuse_type("a string");
    }
    return value_->get_ref<const std::string&>();
}

double Place::real(double min, double max) const {
    if (!value_->is_number()) {
        refuse_type("a number");
    }
    const auto number = value_->get<double>();
    if (!(number >= min && number <= max)) {
        refuse(fmt::format("expected {} to {}, found {}", min, max, found()));
    }
    return number;
}

void Place::has_version(std::string_view key, std::int64_t known) const {
    const Place version = at(key);
    const auto found = version.integer<std::int64_t>(1, std::numeric_limits<std::int64_t>::max());
    if (found > known) {
        version.refuse(fmt::format(
            "this build reads version {}, found {}: read it with a newer Lockkeeper, or make the "
            "file anew with this one",
            known, found));
    }
}

void Place::check_integer(std::int64_t min, std::uint64_t max) const {
    if (!value_->is_number_integer()) {
        // Too long for any integer of the parser's, which takes it for a fraction.
        if (value_->is_number() && as_written().find_first_of(".eE") == std::string_view::npos) {
            refuse(fmt::format("expected {} to {}, found {}", min, max, found()));
        }
        refuse_type("an integer");
    }
    bool fits = false;
    if (value_->is_number_unsigned()) {
        const auto number = value_->get<std::uint64_t>();
        fits = number <= max && (min <= 0 || number >= static_cast<std::uint64_t>(min));
    } else {
        const auto number = value_->get<std::int64_t>();
        fits = number >= min && (number < 0 || static_cast<std::uint64_t>(number) <= max);
    }
    if (!fits) {
        refuse(fmt::format("expected {} to {}, found {}", min, max, found()));
    }
}

std::size_t Place::word(std::span<const std::string_view> words) const {
    const auto chosen = is_text() ? std::find(words.begin(), words.end(), text()) : words.end();
    if (chosen == words.end()) {
        const bool is_choice = is_text() && words.size() > 1;
        refuse("expected " + either(words) + ", found " + found() +
               (is_choice ? did_you_mean(text(), {words.begin(), words.end()}) : ""));
    }
    return static_cast<std::size_t>(chosen - words.begin());
}

std::string Place::name(std::size_t size_max) const {
    const std::string& text = this->text();
    if (text.empty() || text.size() > size_max || !is_name_character(text.front()) ||
        !std::all_of(text.begin(), text.end(), is_name_character)) {
        refuse(
            fmt::format("expected a name of 1 to {} letters, digits, '_', '-', '.' or ':', "
                        "found {}",
                        size_max, in_quotes(text)));
    }
    return text;
}

namespace {

using ParsedJson = nlohmann::json;

constexpr std::size_t kLargeBytes = std::size_t{256} << 10U;

// Walks over the whole text before a value is built from it. The parser keeps its nesting on the
// heap, so depth is bounded for our own recursion's sake.
class Inspector : public nlohmann::json_sax<ParsedJson> {
  public:
    explicit Inspector(const InputText& input) : input_(input) {}

    bool null() override { return value(); }
    bool boolean(bool) override { return value(); }
    bool number_integer(number_integer_t) override { return value(); }
    bool number_unsigned(number_unsigned_t) override { return value(); }
    bool number_float(number_float_t, const string_t&) override { return value(); }
    bool string(string_t&) override { return value(); }
    bool binary(binary_t&) override { return value(); }
    bool start_object(std::size_t) override { return enter(false); }
    bool start_array(std::size_t) override { return enter(true); }
    bool end_object() override { return leave(); }
    bool end_array() override { return leave(); }

    bool key(string_t& name) override {
        Level& level = levels_.back();
        if (!level.keys.insert(name).second) {
            innermost().refuse_key(name, "duplicate key " + in_quotes(name) + " in one object");
        }
        level.step = name;
        return true;
    }

    bool parse_error(std::size_t position, const std::string&,
                     const ParsedJson::exception& error) override {
        refuse_at(place_in(input_.text, position == 0 ? 0 : position - 1), message_of(error));
    }
    // Before the library sees the text.
    void refuse_nul() const {
        if (const auto place = nul_in(input_.text)) {
            refuse_at(*place, std::string("not JSON: ") + kNulComplaint);
        }
    }

  private:
    struct Level {
        bool is_array = false;
        std::size_t index = 0;       // of the next element
        std::string step;            // to the value that comes or is being walked over
        std::set<std::string> keys;  // so far
    };

    [[noreturn]] void refuse_at(const TextPlace& at, const std::string& message) const {
        throw RefusedInput({in_file(input_.file, at), "", as_one_line(message), at});
    }
    // The object or array that is being walked over.
    [[nodiscard]] Place innermost() const {
        Place place(nothing_, input_);
        for (std::size_t i = 0; i + 1 < levels_.size(); ++i) {
            place = place.below(nothing_, levels_[i].step);
        }
        return place;
    }

    static std::string message_of(const ParsedJson::exception& error) {
        constexpr int kTooLarge = 406;  // JSON, but no number of ours
        return (error.id == kTooLarge ? "" : "not JSON: ") + without_json_place(error.what());
    }

    bool value() {
        if (is_large_) {
            end_reading_if_asked();
        }
        if (!levels_.empty() && levels_.back().is_array) {
            levels_.back().step = std::to_string(levels_.back().index++);
        }
        return true;
    }
    bool enter(bool is_array) {
        value();
        if (levels_.size() >= kScenarioDepthMax) {
            innermost().refuse(fmt::format("nested deeper than {} levels", kScenarioDepthMax));
        }
        levels_.push_back({is_array, 0, "", {}});
        return true;
    }
    bool leave() {
        levels_.pop_back();
        return true;
    }

    const ParsedJson nothing_;
    const InputText& input_;
    // A text that we write and read again is small, and no interrupt ends it.
    const bool is_large_ = input_.text.size() > kLargeBytes;
    std::vector<Level> levels_;
};

}  // namespace

nlohmann::json read_json(const InputText& input, std::size_t bytes_max, std::string_view what) {
    if (input.text.size() > bytes_max) {
        throw RefusedInput(
            {input.file, "",
             fmt::format("{} bytes; {} has at most {}", input.text.size(), what, bytes_max)});
    }
    Inspector inspector(input);
    inspector.refuse_nul();
    ParsedJson::sax_parse(input.text, &inspector);
    return ParsedJson::parse(input.text);
}

}  // namespace lockkeeper
