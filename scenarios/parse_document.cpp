// SPDX-License-Identifier: Apache-2.0
#include "scenarios/parse_document.hpp"

#include <set>
#include <vector>

#include <fmt/format.h>

#include "model/read_text.hpp"
#include "model/text_place.hpp"
#include "scenarios/parse_place.hpp"

namespace lockkeeper {
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
    // What we write and read again ourselves is small, and no interrupt ends it.
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
