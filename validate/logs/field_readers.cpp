// SPDX-License-Identifier: Apache-2.0

// The readers of formats whose lines are fields with names: JSON, logfmt, a regular expression.
#include <algorithm>
#include <regex>

#include "model/json.hpp"
#include "validate/logs/line_words.hpp"

namespace lockkeeper::logs {
namespace {

// Fields with names, however they are written.
class FieldsReader : public LineReader {
  public:
    using LineReader::LineReader;

  protected:
    using Fields = std::map<std::string, std::string>;

    std::optional<ReadLine> of_fields(const Fields& fields) {
        const auto time = read_log_time(value(fields, mapping().time), mapping().year);
        if (!time) {
            return std::nullopt;
        }
        ReadLine read = at(*time);
        read.seen.key = value(fields, mapping().key);
        read.seen.token = value(fields, mapping().token);
        if (fields.contains("holder") || fields.contains("count")) {
            std::vector<std::string> words;
            for (const char* name : {"holder", "renew", "count"}) {
                const auto found = fields.find(name);
                if (found != fields.end()) {
                    words.push_back(std::string(name) + "=" + found->second);
                }
            }
            return read_state(words, read) ? std::optional(read) : std::nullopt;
        }
        read.seen.caller = value(fields, mapping().caller);
        const bool is_about_lock =
            !read.seen.caller.empty() && understand(value(fields, mapping().operation), read.seen);
        return is_about_lock ? std::optional(read) : std::nullopt;
    }

  private:
    static std::string value(const Fields& fields, const std::vector<std::string>& names) {
        for (const std::string& name : names) {
            const auto found = fields.find(name);
            if (found != fields.end()) {
                return found->second;
            }
        }
        return "";
    }
};

class JsonReader final : public FieldsReader {
  public:
    using FieldsReader::FieldsReader;

    std::optional<ReadLine> read(const std::string& line) override {
        const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
        if (!json.is_object()) {
            return std::nullopt;
        }
        Fields fields;
        for (const auto& [name, value] : json.items()) {
            if (value.is_string()) {
                fields[name] = value.get<std::string>();
            } else if (value.is_number()) {
                fields[name] = number_text(line, name, value);
            }
        }
        return of_fields(fields);
    }
    const char* expects() const override {
        return R"({"time": "2026-03-01T12:00:00.5Z", "caller": "w1", "operation": "acquired"})";
    }

  private:
    // The digits as they were written: 1709294400.123456 is no double.
    static std::string number_text(const std::string& line, const std::string& name,
                                   const nlohmann::json& value) {
        const std::size_t field = line.find('"' + name + '"');
        const std::size_t begin = field == std::string::npos
                                      ? field
                                      : line.find_first_of("-0123456789", field + name.size() + 2);
        const std::size_t end =
            begin == std::string::npos ? begin : line.find_first_not_of("-+.eE0123456789", begin);
        std::string written = begin == std::string::npos ? "" : line.substr(begin, end - begin);
        const nlohmann::json again = nlohmann::json::parse(written, nullptr, false);
        return again == value ? written : value.dump();
    }
};

class LogfmtReader final : public FieldsReader {
  public:
    using FieldsReader::FieldsReader;

    std::optional<ReadLine> read(const std::string& line) override {
        Fields fields;
        std::string_view text = line;
        while (true) {
            text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
            const std::size_t end = std::min(text.find_first_of("= \t"), text.size());
            if (text.empty() || end == 0) {
                return of_fields(fields);
            }
            const std::string name(text.substr(0, end));
            text.remove_prefix(end);
            if (!text.empty() && text.front() == '=') {
                text.remove_prefix(1);
                fields[name] = take_value(text);
            }
        }
    }
    const char* expects() const override {
        return R"(time=2026-03-01T12:00:00.5Z caller=w1 msg="acquired")";
    }

  private:
    static std::string take_value(std::string_view& text) {
        if (text.starts_with('"')) {
            text.remove_prefix(1);
            return take_quoted(text);
        }
        const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
        std::string value(text.substr(0, end));
        text.remove_prefix(end);
        return value;
    }
};

// A regular expression with named groups. Without backtracking, so that no line takes long.
class PatternReader final : public FieldsReader {
  public:
    PatternReader(const Mapping& mapping, const std::string& file_name) : FieldsReader(mapping) {
        const std::string plain = without_names(mapping.pattern);
        auto flags = std::regex::ECMAScript;
#ifdef __GLIBCXX__
        flags |= std::regex_constants::__polynomial;
#endif
        const bool names_caller =
            std::any_of(groups_.begin(), groups_.end(), [&](const auto& group) {
                return std::find(mapping.caller.begin(), mapping.caller.end(), group.first) !=
                       mapping.caller.end();
            });
        if (!names_caller) {
            caller_ = file_name;
        }
        try {
            pattern_ = std::regex(plain, flags);
        } catch (const std::regex_error& error) {
            throw LogError("pattern", 0, mapping.pattern + ": " + error.what());
        }
    }

    std::optional<ReadLine> read(const std::string& line) override {
        std::smatch match;
        if (line.size() > kPatternLineMax || !std::regex_search(line, match, pattern_)) {
            return std::nullopt;
        }
        Fields fields;
        for (const auto& [name, group] : groups_) {
            if (match[group].matched) {
                fields[name] = match[group].str();
            }
        }
        if (!caller_.empty()) {
            fields[mapping().caller.front()] = caller_;
        }
        return of_fields(fields);
    }
    const char* expects() const override { return "a line that the pattern matches"; }

  private:
    static constexpr std::size_t kPatternLineMax = 4096;

    // (?<name>...) becomes (...), and the name its number.
    std::string without_names(const std::string& pattern) {
        std::string out;
        std::size_t group = 0;
        bool in_class = false;
        for (std::size_t i = 0; i < pattern.size(); ++i) {
            out += pattern[i];
            if (pattern[i] == '\\' && i + 1 < pattern.size()) {
                out += pattern[++i];
            } else if (pattern[i] == '[' || pattern[i] == ']') {
                in_class = pattern[i] == '[';
            } else if (pattern[i] == '(' && !in_class) {
                const bool is_special = i + 1 < pattern.size() && pattern[i + 1] == '?';
                const std::size_t end = pattern.find('>', i);
                const bool is_named = is_special && i + 3 < pattern.size() &&
                                      pattern[i + 2] == '<' && pattern[i + 3] != '=' &&
                                      pattern[i + 3] != '!' && end != std::string::npos;
                group += !is_special || is_named ? 1 : 0;
                if (is_named) {
                    groups_.emplace_back(pattern.substr(i + 3, end - i - 3), group);
                    i = end;
                }
            }
        }
        return out;
    }

    std::regex pattern_;
    std::string caller_;  // of all lines, where the pattern names none
    std::vector<std::pair<std::string, std::size_t>> groups_;
};

}  // namespace

std::unique_ptr<LineReader> make_json_reader(const Mapping& mapping) {
    return std::make_unique<JsonReader>(mapping);
}
std::unique_ptr<LineReader> make_logfmt_reader(const Mapping& mapping) {
    return std::make_unique<LogfmtReader>(mapping);
}
std::unique_ptr<LineReader> make_pattern_reader(const Mapping& mapping,
                                                const std::string& file_name) {
    return std::make_unique<PatternReader>(mapping, file_name);
}

}  // namespace lockkeeper::logs
