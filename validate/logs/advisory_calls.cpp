// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/advisory_calls.hpp"

#include <algorithm>
#include <cctype>

#include "validate/logs/line_words.hpp"

namespace lockkeeper::logs {
namespace {

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return out;
}

bool is_word(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '$';
}

// Up to its closing quote; a doubled one is a part of it, and where a backslash escapes so is what
// is behind it. `text` begins with a quote.
std::string_view quoted_at(std::string_view text, bool has_escapes = false) {
    std::size_t end = 1;
    while (end < text.size() && (text[end] != '\'' || text.substr(end + 1).starts_with("'"))) {
        end += text[end] == '\'' || (has_escapes && text[end] == '\\') ? 2 : 1;
    }
    return text.substr(0, end + 1);
}

// E'it\'s': behind a word that is E alone.
bool has_escapes_at(std::string_view text, std::size_t quote) {
    return quote > 0 && (text[quote - 1] == 'e' || text[quote - 1] == 'E') &&
           (quote == 1 || !is_word(text[quote - 2]));
}

// E'it\'s' as 'it''s'. Empty: it names a letter by a number.
std::string without_escapes(std::string_view quoted) {
    constexpr std::string_view kNames = "bfnrt";
    constexpr std::string_view kNamed = "\b\f\n\r\t";
    std::string out;
    for (std::size_t i = 0; i < quoted.size(); ++i) {
        if (quoted[i] != '\\' || i + 1 == quoted.size()) {
            out += quoted[i];
            continue;
        }
        const char letter = quoted[++i];
        const std::size_t name = kNames.find(letter);
        if (std::string_view("01234567xuU").find(letter) != std::string_view::npos) {
            return "";
        }
        out += letter == '\'' ? "'" : "";
        out += name == std::string_view::npos ? letter : kNamed[name];
    }
    return out;
}

// "$1 = '42', $2 = '7'": with its quotes; empty: the log does not say it.
std::string_view parameter(std::string_view parameters, std::string_view name) {
    const std::size_t at = parameters.find(std::string(name) + " = '");
    return at == std::string_view::npos ? "" : quoted_at(parameters.substr(at + name.size() + 3));
}

// "::bigint", "::bit(64)": how many bytes it has.
std::size_t cast_length(std::string_view text) {
    std::size_t end = 2;
    while (end < text.size() && (is_word(text[end]) || text[end] == ' ')) {
        ++end;
    }
    const bool is_sized = end < text.size() && text[end] == '(';
    return is_sized ? std::min(text.find(')', end), text.size() - 1) + 1 : end;
}

// One argument as it names the lock: casts, spaces and capitals outside of texts say nothing of
// it, and parameters are their values. Empty: it hangs on a parameter or a column that the log
// does not say.
std::string plain(std::string_view argument, std::string_view parameters) {
    std::string out;
    while (!argument.empty()) {
        const char letter = argument.front();
        std::size_t length = 1;
        if (letter == '\'') {
            length = quoted_at(argument).size();
            out += argument.substr(0, length);
        } else if (argument.starts_with("E'") || argument.starts_with("e'")) {
            const std::string_view quoted = quoted_at(argument.substr(1), true);
            const std::string text = without_escapes(quoted);
            if (text.empty()) {
                return "";
            }
            length = quoted.size() + 1;
            out += text;
        } else if (argument.starts_with("::")) {
            length = cast_length(argument);
        } else if (is_word(letter)) {
            length = static_cast<std::size_t>(
                std::find_if_not(argument.begin(), argument.end(), is_word) - argument.begin());
            const std::string word = lower(argument.substr(0, length));
            const std::string_view behind = argument.substr(length);
            const bool is_call =
                behind.substr(std::min(behind.find_first_not_of(' '), behind.size()))
                    .starts_with("(");
            const bool is_number = std::isdigit(static_cast<unsigned char>(letter)) != 0;
            const std::string_view value = letter == '$' ? parameter(parameters, word) : word;
            if (value.empty() || (letter != '$' && !is_number && !is_call)) {
                return "";
            }
            out += value;
        } else if (std::isspace(static_cast<unsigned char>(letter)) == 0) {
            out += letter;
        }
        argument.remove_prefix(length);
    }
    const bool is_text = out.starts_with("'") && quoted_at(out).size() == out.size();
    return is_text ? out.substr(1, out.size() - 2) : out;
}

constexpr const char* kSpaces = " \t\r\n";

// The bytes of the comment with which the text begins; 0: it begins with none.
std::size_t comment_at(std::string_view text) {
    if (text.starts_with("--")) {
        return std::min(text.find('\n'), text.size());
    }
    if (!text.starts_with("/*")) {
        return 0;
    }
    std::size_t end = 2;
    for (std::size_t depth = 1; depth > 0 && end < text.size();) {
        const bool opens = text.substr(end).starts_with("/*");
        const bool closes = text.substr(end).starts_with("*/");
        depth += opens ? 1 : 0;
        depth -= closes ? 1 : 0;
        end += opens || closes ? 2 : 1;
    }
    return end;
}

// The bytes of the text, name or body in quotes that begins there; 1: none does.
std::size_t quoted_length(std::string_view whole, std::size_t at) {
    const std::string_view text = whole.substr(at);
    if (text.starts_with("'")) {
        return quoted_at(text, has_escapes_at(whole, at)).size();
    }
    if (text.starts_with("\"")) {
        const std::size_t end = text.find('"', 1);
        return end == std::string_view::npos ? text.size() : end + 1;
    }
    std::size_t tag = 1;
    while (text.starts_with("$") && tag < text.size() && is_word(text[tag]) && text[tag] != '$') {
        ++tag;
    }
    const bool is_body = text.starts_with("$") && tag < text.size() && text[tag] == '$' &&
                         (tag == 1 || std::isdigit(static_cast<unsigned char>(text[1])) == 0);
    if (!is_body) {
        return 1;
    }
    const std::size_t end = text.find(text.substr(0, tag + 1), tag + 1);
    return end == std::string_view::npos ? text.size() : end + tag + 1;
}

// The arguments of a call, up to its own bracket. Commas and brackets within a text are text.
std::vector<std::string_view> arguments_of(std::string_view text) {
    std::vector<std::string_view> arguments;
    std::size_t depth = 1;
    std::size_t begin = 0;
    for (std::size_t i = 0; depth > 0; i += i < text.size() ? quoted_length(text, i) : 1) {
        const char letter = i < text.size() ? text[i] : ')';
        depth += letter == '(' ? 1 : 0;
        depth = i >= text.size() ? 0 : depth - (letter == ')' ? 1 : 0);
        if (depth == 0 || (depth == 1 && letter == ',')) {
            arguments.push_back(text.substr(begin, i - begin));
            begin = i + 1;
        }
    }
    return arguments;
}

// "CREATE OR REPLACE FUNCTION f() ...": its query is carried out later. That of a table, or of a
// materialized view, is carried out now.
bool only_defines(std::string_view text) {
    constexpr std::size_t kWordsMax = 200;  // bytes
    constexpr const char* kLater[] = {"function", "procedure", "rule", "trigger", "view"};
    constexpr const char* kBefore[] = {"or",        "replace",    "temp",  "temporary",
                                       "recursive", "constraint", "event", "create"};
    std::string begin(text.substr(0, kWordsMax));
    std::replace_if(
        begin.begin(), begin.end(), [](char letter) { return !is_word(letter); }, ' ');
    const auto is_in = [](const auto& words, const std::string& word) {
        return std::find(std::begin(words), std::end(words), word) != std::end(words);
    };
    for (const std::string& word : words_of(begin)) {
        if (!is_in(kBefore, word)) {
            return is_in(kLater, word);
        }
    }
    return true;
}

// A statement that only names what another one carries out.
bool carries_out_nothing(std::string_view text) {
    constexpr std::string_view kWords[] = {"prepare", "comment", "alter", "drop"};
    const bool is_plan =
        text.starts_with("explain") && text.find("analy") == std::string_view::npos;
    return is_plan || (text.starts_with("create") && only_defines(text)) ||
           std::any_of(std::begin(kWords), std::end(kWords),
                       [&](std::string_view word) { return text.starts_with(word); });
}

// Empty: the log does not say it.
std::string key_of(const std::vector<std::string_view>& arguments, std::string_view parameters) {
    std::string key;
    for (const std::string_view argument : arguments) {
        const std::string one = plain(argument, parameters);
        if (one.empty()) {
            return "";
        }
        key += (key.empty() ? "" : ",") + one;
    }
    return key;
}

// "EXECUTE lock_it(42)", of which the log has "prepare: PREPARE lock_it AS SELECT ...".
std::vector<AdvisoryCall> calls_of_execute(std::string_view statement, std::string_view detail) {
    constexpr std::string_view kAs = " as ";
    const std::size_t as = lower(detail).find(kAs);
    const std::size_t open = statement.find('(');
    if (!detail.starts_with("prepare: ") || as == std::string_view::npos) {
        return {};
    }
    std::string parameters;
    std::size_t number = 0;
    for (const std::string_view argument :
         arguments_of(open == std::string_view::npos ? "" : statement.substr(open + 1))) {
        const std::string value = plain(argument, "");
        const std::string quoted = "'" + value + "'";
        ++number;
        // A call with a text of its own is no text: whichever it names, it names no two locks.
        const bool is_text = !value.empty() && quoted_at(quoted).size() == quoted.size();
        parameters += is_text ? "$" + std::to_string(number) + " = " + quoted + " " : "";
    }
    return advisory_calls(detail.substr(as + kAs.size()), parameters);
}

}  // namespace

std::vector<std::string> statements_of(std::string_view text) {
    std::vector<std::string> statements(1);
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t comment = comment_at(text.substr(at));
        const std::size_t length = comment > 0 ? comment : quoted_length(text, at);
        if (comment > 0) {
            statements.back() += ' ';
        } else if (length == 1 && text[at] == ';') {
            statements.emplace_back();
        } else {
            statements.back() += text.substr(at, length);
        }
        at += length;
    }
    for (std::string& statement : statements) {
        statement.erase(0, std::min(statement.find_first_not_of(kSpaces), statement.size()));
    }
    std::erase(statements, "");
    return statements;
}

std::vector<AdvisoryCall> advisory_calls(std::string_view statement, std::string_view parameters) {
    std::vector<AdvisoryCall> calls;
    const std::string text = lower(statement);
    if (text.starts_with("discard all")) {
        AdvisoryCall call;
        call.code = LockCode::kRelease;
        call.is_all = true;
        return {call};
    }
    if (text.starts_with("execute")) {
        return calls_of_execute(statement, parameters);
    }
    if (carries_out_nothing(text)) {
        return calls;
    }
    const bool is_body_run = text.starts_with("do");  // and no function's
    constexpr std::string_view kBegin = "pg_";
    for (std::size_t at = 0; at < text.size();) {
        const bool is_body = text[at] == '$' && is_body_run;  // its end need not be looked for
        const std::size_t length = is_body ? 1 : quoted_length(text, at);
        const bool is_name = at > 0 && is_word(text[at - 1]);
        if (is_name || !std::string_view(text).substr(at).starts_with(kBegin)) {
            at += length;
            continue;
        }
        at += kBegin.size();
        constexpr std::size_t kNameMax = 64;  // bytes, more than any of these names has
        const std::size_t length_of_name = text.substr(at, kNameMax).find('(');
        const std::size_t open =
            length_of_name == std::string::npos ? length_of_name : at + length_of_name;
        const std::string name = text.substr(at, std::min(length_of_name, kNameMax));
        AdvisoryCall call;
        call.is_try = name.starts_with("try_");
        const std::string_view plain_name = std::string_view(name).substr(call.is_try ? 4 : 0);
        call.is_of_transaction = plain_name.starts_with("advisory_xact_");
        call.is_shared = plain_name.find("_shared") != std::string_view::npos;
        call.is_all = plain_name == "advisory_unlock_all";
        const bool is_release = plain_name.starts_with("advisory_unlock");
        const bool is_acquire =
            plain_name.starts_with("advisory_lock") || plain_name.starts_with("advisory_xact_lock");
        if (open == std::string::npos || (!is_release && !is_acquire)) {
            continue;
        }
        call.code = is_release ? LockCode::kRelease : LockCode::kAcquire;
        call.key = key_of(arguments_of(statement.substr(open + 1)), parameters);
        calls.push_back(std::move(call));
    }
    return calls;
}

TransactionStep transaction_step(std::string_view statement) {
    constexpr std::size_t kWordsMax = 200;  // bytes
    std::string text = lower(statement.substr(0, kWordsMax));
    std::replace(text.begin(), text.end(), '\n', ' ');
    const std::vector<std::string> words = words_of(text);
    if (words.empty()) {
        return {};
    }
    const auto has = [&](const char* wanted) {
        return std::find(words.begin(), words.end(), wanted) != words.end();
    };
    const std::string& last = words.back();
    const bool is_end =
        words[0] == "commit" || words[0] == "rollback" || words[0] == "end" || words[0] == "abort";
    if (words[0] == "savepoint") {
        return {TransactionWord::kSavepoint, last};
    }
    if (words[0] == "release") {
        return {TransactionWord::kReleaseSavepoint, last};
    }
    if (words[0] == "prepare" && words.size() > 1 && words[1] == "transaction") {
        return {TransactionWord::kPrepare, last};
    }
    if (!is_end) {
        return {};
    }
    return has("prepared") ? TransactionStep{TransactionWord::kEndPrepared, last}
           : has("to")     ? TransactionStep{TransactionWord::kRollbackTo, last}
                           : TransactionStep{TransactionWord::kEnd, ""};
}

}  // namespace lockkeeper::logs
