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

// The arguments of a call, up to its own bracket. Commas and brackets within a text are text.
std::vector<std::string_view> arguments_of(std::string_view text) {
    std::vector<std::string_view> arguments;
    std::size_t depth = 1;
    std::size_t begin = 0;
    bool is_quoted = false;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        const char letter = i < text.size() ? text[i] : ')';
        is_quoted = is_quoted != (letter == '\'');
        depth += !is_quoted && letter == '(' ? 1 : 0;
        depth -= !is_quoted && letter == ')' ? 1 : 0;
        const bool is_end = depth == 0 || i == text.size();
        if (is_end || (!is_quoted && depth == 1 && letter == ',')) {
            arguments.push_back(text.substr(begin, i - begin));
            begin = i + 1;
        }
        if (is_end) {
            break;
        }
    }
    return arguments;
}

// Up to its closing quote; a doubled one is a part of it. `text` begins with a quote.
std::string_view quoted_at(std::string_view text) {
    std::size_t end = 1;
    while (end < text.size() && (text[end] != '\'' || text.substr(end + 1).starts_with("'"))) {
        end += text[end] == '\'' ? 2 : 1;
    }
    return text.substr(0, end + 1);
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

}  // namespace

std::vector<AdvisoryCall> advisory_calls(std::string_view statement, std::string_view parameters) {
    std::vector<AdvisoryCall> calls;
    const std::string text = lower(statement);
    constexpr std::string_view kBegin = "pg_";
    for (std::size_t at = text.find(kBegin); at != std::string::npos;
         at = text.find(kBegin, at + 1)) {
        const std::size_t open = text.find('(', at);
        const std::string name =
            text.substr(at + kBegin.size(), std::min(open, text.size()) - at - kBegin.size());
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
    if (text.starts_with("discard all")) {
        AdvisoryCall call;
        call.code = LockCode::kRelease;
        call.is_all = true;
        calls.push_back(call);
    }
    return calls;
}

TransactionStep transaction_step(std::string_view statement) {
    constexpr std::size_t kWordsMax = 200;  // bytes
    while (statement.starts_with("/*") && statement.find("*/") != std::string_view::npos) {
        statement.remove_prefix(statement.find("*/") + 2);
        statement.remove_prefix(std::min(statement.find_first_not_of(" \n"), statement.size()));
    }
    std::string text = lower(statement.substr(0, kWordsMax));
    std::replace(text.begin(), text.end(), '\n', ' ');
    std::vector<std::string> words = words_of(text);
    for (std::string& word : words) {
        word = word.substr(0, word.find(';'));
    }
    std::erase(words, "");
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
        return {TransactionWord::kPrepare, ""};
    }
    if (!is_end || has("prepared")) {
        return {};
    }
    return has("to") ? TransactionStep{TransactionWord::kRollbackTo, last}
                     : TransactionStep{TransactionWord::kEnd, ""};
}

}  // namespace lockkeeper::logs
