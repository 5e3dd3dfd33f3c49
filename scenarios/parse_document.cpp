#include "scenarios/parse_document.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "scenarios/parse_place.hpp"

namespace lockkeeper {
namespace {

using nlohmann::json;

// Walks over the whole text before a value is built from it. The parser keeps its nesting on the
// heap, so depth is bounded for our own recursion's sake.
class Inspector : public nlohmann::json_sax<json> {
  public:
    Inspector(const std::string& text, const std::string& file) : text_(text), file_(file) {}

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
            refuse("duplicate key " + in_quotes(name) + " in one object");
        }
        level.step = name;
        return true;
    }

    bool parse_error(std::size_t position, const std::string&,
                     const json::exception& error) override {
        const auto bytes_before =
            static_cast<std::ptrdiff_t>(std::min(position, text_.size() + 1)) - 1;
        const auto end = text_.begin() + std::max<std::ptrdiff_t>(bytes_before, 0);
        const auto line = 1 + std::count(text_.begin(), end, '\n');
        const auto line_begin = std::find(std::make_reverse_iterator(end), text_.rend(), '\n');
        const auto column = 1 + (end - line_begin.base());
        const json nothing;
        Place(nothing, file_, fmt::format("line {}, column {}", line, column))
            .refuse("not JSON: " + without_position(error.what()));
    }

  private:
    struct Level {
        bool is_array = false;
        std::size_t index = 0;       // of the next element
        std::string step;            // to the value that comes or is being walked over
        std::set<std::string> keys;  // so far
    };

    [[noreturn]] void refuse(const std::string& message) const {
        const json nothing;
        Place place(nothing, file_);
        for (std::size_t i = 0; i + 1 < levels_.size(); ++i) {
            place = place.below(nothing, levels_[i].step);
        }
        place.refuse(message);
    }

    // The library's message begins with its own number and position.
    static std::string without_position(const std::string& message) {
        const std::size_t column = message.find(", column ");
        const std::size_t colon =
            column == std::string::npos ? message.find("] ") : message.find(": ", column);
        return colon == std::string::npos ? message : message.substr(colon + 2);
    }

    bool value() {
        if (!levels_.empty() && levels_.back().is_array) {
            levels_.back().step = std::to_string(levels_.back().index++);
        }
        return true;
    }
    bool enter(bool is_array) {
        value();
        if (levels_.size() >= kScenarioDepthMax) {
            refuse(fmt::format("nested deeper than {} levels", kScenarioDepthMax));
        }
        levels_.push_back({is_array, 0, "", {}});
        return true;
    }
    bool leave() {
        levels_.pop_back();
        return true;
    }

    const std::string& text_;
    const std::string& file_;
    std::vector<Level> levels_;
};

}  // namespace

nlohmann::json read_json(const std::string& text, const std::string& file) {
    if (text.size() > kScenarioBytesMax) {
        throw RefusedInput(
            {file, "",
             fmt::format("{} bytes; a scenario has at most {}", text.size(), kScenarioBytesMax)});
    }
    Inspector inspector(text, file);
    json::sax_parse(text, &inspector);
    return json::parse(text);
}

}  // namespace lockkeeper
