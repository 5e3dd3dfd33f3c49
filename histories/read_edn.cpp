// The part of EDN in which Jepsen writes histories: maps, vectors, lists, sets, strings, keywords,
// symbols, numbers, characters, comments, discards (#_) and tagged values, whose tag is passed
// over. https://github.com/edn-format/edn
#include <charconv>
#include <cstdlib>

#include "histories/record_from.hpp"

namespace lockkeeper {
namespace {

constexpr std::string_view kSpaces = " \t\r\n,";
constexpr std::string_view kEnds = " \t\r\n,()[]{}\";";

struct Bad {
    std::string message;
};

class EdnReader {
  public:
    explicit EdnReader(std::string_view text) : text_(text) {}

    [[nodiscard]] std::size_t line() const { return line_; }

    // What is read from here on belongs to another record.
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
            throw Bad{"the text ends inside a value"};
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
        line_ += text_[at_] == '\n' ? 1 : 0;
        ++at_;
    }

    Datum read_items(Datum::Kind kind, char end, std::size_t depth) {
        Datum datum;
        datum.kind = kind;
        weigh(0);
        advance();
        while (skip(depth) && peek() != end) {
            datum.items.push_back(read(depth + 1));
        }
        if (peek() != end) {
            throw Bad{std::string("the text ends before ") + end};
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

    // #{set}, #tag value
    Datum read_dispatch(std::size_t depth) {
        ++at_;
        if (peek() == '{') {
            return read_items(Datum::Kind::kSet, '}', depth);
        }
        if (take_word().empty()) {
            throw Bad{"# without a tag"};
        }
        return read(depth + 1);
    }

    Datum read_string() {
        std::string out;
        ++at_;
        while (at_ < text_.size() && text_[at_] != '"') {
            char letter = text_[at_];
            if (letter == '\\') {
                ++at_;
                letter = unescaped();
            }
            out += letter;
            if (out.size() > kRecordBytesMax) {
                throw Bad{RecordSize::complaint()};
            }
            if (at_ < text_.size()) {
                advance();
            }
        }
        if (at_ >= text_.size()) {
            throw Bad{"a string without an end"};
        }
        ++at_;
        weigh(out.size());
        return Datum::of(std::move(out));
    }
    [[nodiscard]] char unescaped() const {
        switch (peek()) {
            case 'n': return '\n';
            case 't': return '\t';
            case 'r': return '\r';
            case '\\': return '\\';
            case '"': return '"';
            default: throw Bad{"a string with an escape that is not \\n \\t \\r \\\\ \\\""};
        }
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
        return is_number ? read_number(word) : Datum::of(std::string(word));
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
            return {Datum::Kind::kReal, 0, real};
        }
        throw Bad{"not a number: " + std::string(word.substr(0, 40))};
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
    RecordSize size_;
};

void read_records(EdnReader& reader, RecordSink& sink, std::size_t& line) {
    bool is_vector = false;
    while (reader.skip()) {
        line = reader.line();
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
        const std::string problem = sink.add(reader.read(1), line);
        if (!problem.empty()) {
            throw Bad{problem};
        }
    }
    if (is_vector) {
        throw Bad{"the text ends before the history does"};
    }
}

}  // namespace

ReadHistory parse_edn_history(std::string_view text, const std::string& file) {
    RecordedHistory history{file, {}, 0};
    RecordSink sink(history);
    EdnReader reader(text);
    std::size_t line = 1;
    try {
        read_records(reader, sink, line);
    } catch (const Bad& bad) {
        return HistoryError{file, line, bad.message};
    }
    return history;
}

}  // namespace lockkeeper
