// SPDX-License-Identifier: Apache-2.0

// One value of a JSON document that is being read, with its place: each check that fails names
// file, line and column, the JSON pointer, what was expected and what was found, as it is written
// there. Checks throw RefusedInput; parse_scenario catches it, so that nothing outside of this
// folder sees an exception.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/json.hpp"
#include "model/json_position.hpp"
#include "scenarios/scenario.hpp"

namespace lockkeeper {

// The text that is being read, and its name in messages.
struct InputText {
    std::string file;
    std::string text;
    // "/cases/2": what is read is the file with this case laid over it. Empty: the file.
    std::string of_case = {};

    // The place in the text of the value that is read at `pointer`.
    [[nodiscard]] std::string in_text(const std::string& pointer) const;
};

// "parameters", "faults", "limits": a case replaces members of it, not the whole.
[[nodiscard]] bool is_merged_in_cases(std::string_view key);

// The document is not what it has to be. Not an error of the harness.
class RefusedInput : public std::exception {
  public:
    explicit RefusedInput(InputError error) : error_(std::move(error)), text_(error_.text()) {}
    [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }
    [[nodiscard]] const InputError& error() const { return error_; }

  private:
    InputError error_;
    std::string text_;
};

// A message is one line that any terminal, log and report can take, whatever the input contained.
[[nodiscard]] std::string as_one_line(std::string text);
// In double quotes, shortened, without anything that would break a line or a terminal.
[[nodiscard]] std::string in_quotes(std::string_view text);

// Does not own the value, nor the text that it was read from: both must outlive it.
class Place {
  public:
    using Json = nlohmann::json;

    Place(const Json& value, const InputText& input, std::string pointer = "")
        : value_(&value), input_(&input), pointer_(std::move(pointer)) {}

    [[noreturn]] void refuse(const std::string& message) const;
    // The same, where the fault is the name of this object's member `key`.
    [[noreturn]] void refuse_key(std::string_view key, const std::string& message) const;
    [[nodiscard]] const std::string& pointer() const { return pointer_; }
    [[nodiscard]] const InputText& input() const { return *input_; }
    [[nodiscard]] const Json& value() const { return *value_; }
    // The place of `value`, one step (a key or an index) below this one.
    [[nodiscard]] Place below(const Json& value, std::string_view step) const;

    // Objects. `has_only` refuses every other key and names the nearest known one.
    const Place& has_only(std::initializer_list<std::string_view> keys) const {
        return has_only(std::vector(keys));
    }
    const Place& has_only(const std::vector<std::string_view>& keys) const;
    [[nodiscard]] Place at(std::string_view key) const;
    [[nodiscard]] std::optional<Place> find(std::string_view key) const;
    // Refuses documents of every other version than `known`, and says what to do about it.
    void has_version(std::string_view key, std::int64_t known) const;
    [[nodiscard]] std::vector<std::pair<std::string, Place>> members() const;

    // Arrays.
    [[nodiscard]] std::vector<Place> elements(std::size_t size_min, std::size_t size_max) const;

    [[nodiscard]] bool is_text() const { return value_->is_string(); }
    [[nodiscard]] bool is_object() const { return value_->is_object(); }
    [[nodiscard]] bool is_array() const { return value_->is_array(); }
    [[nodiscard]] bool is_integer() const { return value_->is_number_integer(); }
    [[nodiscard]] bool is_text(std::string_view text) const {
        return is_text() && value_->get_ref<const std::string&>() == text;
    }

    [[nodiscard]] bool truth() const;
    [[nodiscard]] const std::string& text() const;
    [[nodiscard]] double real(double min, double max) const;
    template <class Number>
    [[nodiscard]] Number integer(std::int64_t min, std::uint64_t max) const {
        static_assert(std::numeric_limits<Number>::is_integer);
        check_integer(min, max);
        return value_->is_number_unsigned() ? static_cast<Number>(value_->get<std::uint64_t>())
                                            : static_cast<Number>(value_->get<std::int64_t>());
    }
    // One of the words; its index.
    [[nodiscard]] std::size_t word(std::span<const std::string_view> words) const;
    [[nodiscard]] std::size_t word(std::initializer_list<std::string_view> words) const {
        return word(std::span(words.begin(), words.size()));
    }
    // The name of something: letters, digits, '_', '-', '.', ':', beginning with a letter or digit.
    [[nodiscard]] std::string name(std::size_t size_max = 64) const;

    // "the string "x"", "an array": for messages. Numbers are quoted as they are written.
    [[nodiscard]] std::string found() const;
    [[noreturn]] void refuse_type(std::string_view expected) const;

  private:
    void check_integer(std::int64_t min, std::uint64_t max) const;
    [[nodiscard]] std::string_view as_written() const;
    [[noreturn]] void refuse_at(std::size_t byte, const std::string& pointer,
                                const std::string& message) const;

    const Json* value_;
    const InputText* input_;
    std::string pointer_;
};

// Untrusted text to a JSON value, before anything is known about its meaning.

// Throws RefusedInput: larger than a scenario may be (or than `bytes_max`, of `what`), not JSON
// (with line and column), nested deeper than kScenarioDepthMax, or an object with the same key
// twice (which JSON allows and which always is a mistake). Comments are no JSON.
[[nodiscard]] nlohmann::json read_json(const InputText& input,
                                       std::size_t bytes_max = kScenarioBytesMax,
                                       std::string_view what = "a scenario");

}  // namespace lockkeeper
