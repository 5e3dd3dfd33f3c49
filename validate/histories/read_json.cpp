// SPDX-License-Identifier: Apache-2.0

// JSON Lines, or one array of records. The library reads; this builds values of bounded depth, and
// never more of them than one record.
#include <iterator>
#include <optional>

#include "model/json.hpp"
#include "validate/histories/record_from.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kNameShownMax = 40;

TextPlace after(TextPlace begin, std::string_view passed) {
    const TextPlace place = place_in(passed, passed.size());
    return place.line == 1 ? TextPlace{begin.line, begin.column + place.column - 1}
                           : TextPlace{begin.line + place.line - 1, place.column};
}

// Where values stand in the file, which the library does not say: behind what it had read when it
// told of the value or the name before. (It may have read the comma behind a number.)
class ValuePlaces {
  public:
    // `begin`: where the text begins in the file. `count`: of what the library has read.
    ValuePlaces(std::string_view text, TextPlace begin, const std::size_t& count)
        : text_(text), count_(count), place_(begin) {}

    // The place of the value, name or bracket that the library reports now.
    TextPlace next() {
        const std::size_t at =
            std::min(text_.find_first_not_of(" \t\r\n,:", behind_), text_.size());
        place_ = after(place_, text_.substr(offset_, at - offset_));
        offset_ = at;
        behind_ = count_;
        return place_;
    }

  private:
    std::string_view text_;
    const std::size_t& count_;
    std::size_t behind_ = 0;
    TextPlace place_;
    std::size_t offset_ = 0;  // of `place_`
};

struct NotJson {
    std::string message;
    std::size_t at;  // offset
};

// Builds one value after another; in an array of records each element is one. Throws DatumProblem
// about the record that is being read, and NotJson.
class DatumBuilder final : public nlohmann::json_sax<Json> {
  public:
    // `begin`: of the text in the file.
    DatumBuilder(RecordSink& sink, bool takes_apart, ValuePlaces& places, TextPlace begin)
        : sink_(sink), takes_apart_(takes_apart), places_(places), record_(begin) {}

    // Where the record begins that is being read, or was read last.
    [[nodiscard]] TextPlace record() const { return record_; }

    bool null() override { return add({}); }
    bool boolean(bool value) override { return add({Datum::Kind::kTruth, value ? 1 : 0}); }
    bool number_integer(number_integer_t value) override { return add(Datum::of(value)); }
    bool number_unsigned(number_unsigned_t value) override {
        return value <= INT64_MAX ? add(Datum::of(static_cast<std::int64_t>(value)))
                                  : add({Datum::Kind::kReal, 0, static_cast<double>(value),
                                         std::to_string(value)});
    }
    bool number_float(number_float_t value, const string_t& text) override {
        return add({Datum::Kind::kReal, 0, value, text});
    }
    bool string(string_t& value) override { return add(Datum::of(std::move(value))); }
    bool binary(binary_t& /*value*/) override { return false; }
    bool key(string_t& value) override { return add(Datum::of(std::move(value))); }
    bool start_object(std::size_t /*elements*/) override { return open(Datum::Kind::kMap); }
    bool end_object() override { return close(); }
    bool start_array(std::size_t /*elements*/) override {
        if (takes_apart_ && !is_inside_) {
            is_inside_ = true;
            places_.next();
            return true;
        }
        return open(Datum::Kind::kList);
    }
    bool end_array() override {
        if (open_.empty()) {
            places_.next();
            return true;
        }
        return close();
    }
    bool parse_error(std::size_t position, const std::string& /*token*/,
                     const nlohmann::detail::exception& error) override {
        throw NotJson{"not JSON: " + without_json_place(error.what()),
                      position == 0 ? 0 : position - 1};
    }

  private:
    void weigh(std::size_t text_bytes) {
        if (!size_.add(text_bytes)) {
            throw DatumProblem{RecordSize::complaint()};
        }
    }
    bool add(Datum value) {
        weigh(value.text.size());
        value.place = next_place();
        if (open_.empty()) {
            record_ = {value.place.line, value.place.column};
            return finish(value);
        }
        open_.back()->items.push_back(std::move(value));
        return true;
    }
    bool open(Datum::Kind kind) {
        if (open_.size() >= kDatumDepthMax) {
            throw DatumProblem{"nested more than " + std::to_string(kDatumDepthMax) + " deep"};
        }
        weigh(0);
        Datum* datum = &root_;
        if (open_.empty()) {
            root_ = Datum{};
        } else {
            datum = &open_.back()->items.emplace_back();
        }
        datum->kind = kind;
        datum->place = next_place();
        if (open_.empty()) {
            record_ = {datum->place.line, datum->place.column};
        }
        open_.push_back(datum);
        return true;
    }
    [[nodiscard]] DatumPlace next_place() {
        const TextPlace next = places_.next();
        return {static_cast<std::uint32_t>(next.line), static_cast<std::uint32_t>(next.column)};
    }
    bool close() {
        places_.next();
        if (const Datum* name = open_.back()->repeated_name()) {
            throw DatumProblem{"duplicate key \"" + name->text.substr(0, kNameShownMax) + "\"" +
                               place()};
        }
        open_.pop_back();
        return !open_.empty() || finish(root_);
    }
    // " in /value/3": where the innermost open value stands in its record.
    [[nodiscard]] std::string place() const {
        std::string pointer;
        for (std::size_t i = 0; i + 1 < open_.size(); ++i) {
            const std::vector<Datum>& items = open_[i]->items;  // the last one is the next level
            pointer += "/" + (open_[i]->is(Datum::Kind::kMap)
                                  ? items[items.size() - 2].text.substr(0, kNameShownMax)
                                  : std::to_string(items.size() - 1));
        }
        return pointer.empty() ? "" : " in " + pointer;
    }
    bool finish(const Datum& value) {
        size_.begin();
        sink_.add(value, record_);
        return true;
    }

    RecordSink& sink_;
    bool takes_apart_;
    ValuePlaces& places_;
    bool is_inside_ = false;
    TextPlace record_;  // where it begins
    RecordSize size_;
    Datum root_;
    std::vector<Datum*> open_;  // the last element of the one before
};

std::string one_line(std::string text) {
    for (char& letter : text) {
        letter = static_cast<unsigned char>(letter) < ' ' ? '?' : letter;
    }
    return text;
}

// Counts what the library has read, which does not say itself where its values stand.
struct CountedByte {
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    const char* at;
    std::size_t* count;

    reference operator*() const { return *at; }
    CountedByte& operator++() {
        ++at;
        ++*count;
        return *this;
    }
    friend bool operator==(const CountedByte& left, const CountedByte& right) {
        return left.at == right.at;
    }
};

// One text of the library's: a line, or the whole file, whose array is taken apart. `begin`: where
// the text begins in the file.
std::optional<HistoryError> read_one(RecordSink& sink, const std::string& file, bool takes_apart,
                                     std::string_view text, TextPlace begin) {
    std::size_t count = 0;
    ValuePlaces places(text, begin, count);
    DatumBuilder builder(sink, takes_apart, places, begin);
    try {
        Json::sax_parse(CountedByte{text.data(), &count},
                        CountedByte{text.data() + text.size(), &count}, &builder);
    } catch (const NotJson& bad) {
        return HistoryError{file, after(begin, text.substr(0, bad.at)), one_line(bad.message)};
    } catch (DatumProblem& problem) {
        problem.message = one_line(problem.message);
        return refused_record(file, builder.record(), problem);
    }
    return std::nullopt;
}

std::optional<HistoryError> read_lines(RecordSink& sink, const std::string& file,
                                       std::string_view text) {
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t first = line.find_first_not_of(" \t\r");
        if (first == std::string_view::npos) {
            continue;
        }
        const TextPlace begin{number, first + 1};
        if (line.size() > kRecordBytesMax) {
            return HistoryError{file, begin,
                                "longer than " + std::to_string(kRecordBytesMax) + " bytes"};
        }
        if (auto error = read_one(sink, file, false, line.substr(first), begin)) {
            return error;
        }
    }
    return std::nullopt;
}

}  // namespace

ReadHistory parse_json_history(std::string_view text, const std::string& file) {
    RecordedHistory history;
    history.file = file;
    RecordSink sink(history);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    const bool is_array = first != std::string_view::npos && text[first] == '[';
    auto error = is_array ? read_one(sink, file, true, text, {}) : read_lines(sink, file, text);
    error = error ? std::move(error) : sink.end();
    return error ? ReadHistory(std::move(*error)) : std::move(history);
}

}  // namespace lockkeeper
