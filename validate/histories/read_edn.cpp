// SPDX-License-Identifier: Apache-2.0

// The part of EDN in which Jepsen writes histories: maps, vectors, lists, sets, strings, keywords,
// symbols, numbers, characters, comments, discards (#_) and tagged values, whose tag is passed
// over. https://github.com/edn-format/edn
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "validate/histories/record_from.hpp"

namespace lockkeeper {
namespace {

constexpr std::size_t kShownMax = 40;
constexpr std::string_view kSpaces = " \t\r\n,";
constexpr std::string_view kEnds = " \t\r\n,()[]{}\";";

struct Bad {
    std::string message;
    bool is_at_end = false;               // the text ends: what is wrong began earlier
    std::optional<TextPlace> place = {};  // of what is wrong, where it is not the reader's
};

class EdnReader {
  public:
    explicit EdnReader(std::string_view text) : text_(text) {}

    [[nodiscard]] TextPlace place() const { return {line_, at_ - line_begin_ + 1}; }

    // The text from here on belongs to another record.
    void begin_record() { size_.begin(); }
    // False at the end of the text. What is discarded counts as one level deeper.
    bool skip(std::size_t depth = 0) {
        for (;;) {
            while (at_ < text_.size() && kSpaces.find(text_[at_]) != std::string_view::npos) {
                advance();
            }
            if (at_ < text_.size() && text_[at_] == ';') {
                while (at_ < text_.size() && text_[at_] != '\n') {
                    ++at_;
                }
            } else if (text_.substr(at_, 2) == "#_") {
                at_ += 2;
                if (depth == 0) {
                    begin_record();  // discarded as a whole
                }
                read(depth + 1);
            } else {
                return at_ < text_.size();
            }
        }
    }
    [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    void pass() { advance(); }

    Datum read(std::size_t depth) {
        if (depth > kDatumDepthMax) {
            throw Bad{"nested more than " + std::to_string(kDatumDepthMax) + " deep"};
        }
        if (!skip(depth)) {
            throw Bad{"the text ends inside a value", true};
        }
        switch (peek()) {
            case '{': return read_items(Datum::Kind::kMap, '}', depth);
            case '[': return read_items(Datum::Kind::kList, ']', depth);
            case '(': return read_items(Datum::Kind::kList, ')', depth);
            case '"': return read_string();
            case '#': return read_dispatch(depth);
            case '\\': return read_character();
            case ')':
            case ']':
            case '}': throw Bad{std::string("unexpected ") + peek()};
            default: return read_atom();
        }
    }

  private:
    void weigh(std::size_t text_bytes) {
        if (!size_.add(text_bytes)) {
            throw Bad{RecordSize::complaint()};
        }
    }
    void advance() {
        ++at_;
        if (text_[at_ - 1] == '\n') {
            ++line_;
            line_begin_ = at_;
        }
    }

    Datum read_items(Datum::Kind kind, char end, std::size_t depth) {
        Datum datum;
        datum.kind = kind;
        weigh(0);
        advance();
        while (skip(depth) && peek() != end) {
            const TextPlace begin = place();
            Datum& item = datum.items.emplace_back(read(depth + 1));
            item.place = {static_cast<std::uint32_t>(begin.line),
                          static_cast<std::uint32_t>(begin.column)};
        }
        if (peek() != end) {
            throw Bad{std::string("the text ends before ") + end, true};
        }
        advance();
        if (kind == Datum::Kind::kMap && datum.items.size() % 2 != 0) {
            throw Bad{"a map with a name that has no value"};
        }
        if (const Datum* name = datum.repeated_name()) {
            throw Bad{"duplicate key " + name->to_text().substr(0, 40)};
        }
        return datum;
    }

    // #{set}, #tag value; of Clojure's printer also #"pattern", #'name, ##NaN
    Datum read_dispatch(std::size_t depth) {
        ++at_;
        if (peek() == '{') {
            return read_items(Datum::Kind::kSet, '}', depth);
        }
        if (peek() == '"') {
            return read_string(true);
        }
        const std::string_view word = take_word();
        if (word.empty()) {
            throw Bad{"# without a tag"};
        }
        if (word[0] == '\'') {
            return Datum::of(std::string(word.substr(1)));
        }
        if (word == "#NaN" || word == "#Inf" || word == "#-Inf") {
            return no_whole_number("#" + std::string(word));
        }
        return read(depth + 1);
    }

    // A pattern has its backslashes as they are.
    Datum read_string(bool is_pattern = false) {
        std::string out;
        ++at_;
        while (at_ < text_.size() && text_[at_] != '"') {
            if (text_[at_] == '\\') {
                ++at_;
                out += is_pattern ? std::string("\\") + peek() : unescaped();
            } else {
                out += text_[at_];
            }
            if (out.size() > kRecordBytesMax) {
                throw Bad{RecordSize::complaint()};
            }
            if (at_ < text_.size()) {
                advance();
            }
        }
        if (at_ >= text_.size()) {
            throw Bad{"a string without an end", true};
        }
        ++at_;
        weigh(out.size());
        return Datum::of(std::move(out));
    }
    // Leaves the reader on the last letter of the escape.
    [[nodiscard]] std::string unescaped() {
        constexpr std::string_view kLetters = "ntrbf\\\"";
        constexpr std::string_view kMeanings = "\n\t\r\b\f\\\"";
        const std::size_t found = kLetters.find(peek());
        if (found != std::string_view::npos) {
            return {kMeanings[found]};
        }
        constexpr std::size_t kDigits = 4;
        const std::string_view digits = text_.substr(std::min(at_ + 1, text_.size()), kDigits);
        if (peek() == 'u' && digits.size() == kDigits &&
            digits.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos) {
            at_ += kDigits;
            return "\\u" + std::string(digits);  // as it is written: equal where it is equal
        }
        throw Bad{
            R"(a string with an escape that is not \n \t \r \b \f \\ \" or \u and four digits)"};
    }

    Datum read_character() {
        const std::size_t begin = at_;
        ++at_;
        if (at_ < text_.size()) {
            advance();  // whatever it is: \( is a character
        }
        take_word();
        return Datum::of(std::string(text_.substr(begin + 1, at_ - begin - 1)));
    }

    std::string_view take_word() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && kEnds.find(text_[at_]) == std::string_view::npos) {
            ++at_;
        }
        weigh(at_ == begin ? 0 : at_ - begin - 1);
        return text_.substr(begin, at_ - begin);
    }

    Datum read_atom() {
        const TextPlace begin = place();
        const std::string_view word = take_word();
        if (word == "nil") {
            return {};
        }
        if (word == "true" || word == "false") {
            return {Datum::Kind::kTruth, word == "true" ? 1 : 0};
        }
        if (word[0] == ':') {
            if (word.size() == 1) {
                throw Bad{"a keyword without a name"};
            }
            return Datum::of(std::string(word.substr(1)));
        }
        const std::size_t digit = word[0] == '-' || word[0] == '+' ? 1 : 0;
        const bool is_number = digit < word.size() && word[digit] >= '0' && word[digit] <= '9';
        if (is_number && has_leading_zero(word.substr(digit))) {
            throw Bad{"a number that begins with 0 (" + std::string(word.substr(0, kShownMax)) +
                          "), which EDN does not have: some read 010 as 8, others as 10",
                      false, begin};
        }
        return is_number ? read_number(word) : Datum::of(std::string(word));
    }

    // 010, 010N, 01.5, 01/3; not 0x1f or 01ab, which are kept as they are written.
    static bool has_leading_zero(std::string_view word) {
        const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
        constexpr std::string_view kBehind = ".eENM/";
        return word[0] == '0' && digits > 1 &&
               (digits == word.size() || kBehind.find(word[digits]) != std::string_view::npos);
    }

    // A number that is not whole: refused where a whole number is wanted, and kept as it is written
    // everywhere else.
    static Datum no_whole_number(std::string text) {
        return {Datum::Kind::kReal, 0, 0, std::move(text)};
    }

    static Datum read_number(std::string_view word) {
        std::string_view digits = word[0] == '+' ? word.substr(1) : word;
        const bool is_exact = digits.back() == 'N' || digits.back() == 'M';
        digits.remove_suffix(is_exact ? 1 : 0);
        const char* const end = digits.data() + digits.size();
        std::int64_t whole = 0;
        const auto as_whole = std::from_chars(digits.data(), end, whole);
        if (as_whole.ec == std::errc{} && as_whole.ptr == end) {
            return Datum::of(whole);
        }
        double real = 0;
        const auto as_real = std::from_chars(digits.data(), end, real);
        if (as_real.ec == std::errc{} && as_real.ptr == end) {
            return {Datum::Kind::kReal, 0, real, std::string(word)};
        }
        return no_whole_number(std::string(word));  // 1/3, 0x1f, of #object[...]
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
    std::size_t line_begin_ = 0;
    RecordSize size_;
};

void read_records(EdnReader& reader, RecordSink& sink, TextPlace& record) {
    bool is_vector = false;
    while (reader.skip()) {
        record = reader.place();
        if (!is_vector && (reader.peek() == '[' || reader.peek() == '(')) {
            is_vector = true;
            reader.pass();
            continue;
        }
        if (is_vector && (reader.peek() == ']' || reader.peek() == ')')) {
            reader.pass();
            if (reader.skip()) {
                throw Bad{"something stands behind the history"};
            }
            return;
        }
        reader.begin_record();
        sink.add(reader.read(1), record);
    }
    if (is_vector) {
        throw Bad{"the text ends before the history does", true};
    }
}

DatumPlace place_after(TextPlace begin, TextPlace inside) {
    return {static_cast<std::uint32_t>(begin.line),
            static_cast<std::uint32_t>(begin.column + inside.column - 1)};
}

}  // namespace

Datum read_edn_value(std::string_view text, TextPlace begin) {
    EdnReader reader(text);
    try {
        Datum value = reader.read(1);
        if (reader.skip()) {
            throw Bad{"something stands behind the value"};
        }
        return value;
    } catch (const Bad& bad) {
        const TextPlace inside = bad.is_at_end ? TextPlace{} : bad.place.value_or(reader.place());
        throw DatumProblem{bad.message, place_after(begin, inside)};
    }
}

ReadHistory parse_edn_history(std::string_view text, const std::string& file) {
    RecordedHistory history;
    history.file = file;
    history.units_per_second = kNanosecondsPerSecond;  // as Jepsen has it
    RecordSink sink(history);
    EdnReader reader(text);
    TextPlace record;
    try {
        read_records(reader, sink, record);
    } catch (const DatumProblem& problem) {
        return refused_record(file, record, problem);
    } catch (const Bad& bad) {
        return HistoryError{file, bad.is_at_end ? record : bad.place.value_or(reader.place()),
                            bad.message};
    }
    if (auto error = sink.end()) {
        return std::move(*error);
    }
    return history;
}

}  // namespace lockkeeper
