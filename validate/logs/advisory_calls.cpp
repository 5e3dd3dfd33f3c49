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

// The arguments of a call, up to its own bracket.
std::string_view arguments_of(std::string_view text) {
    std::size_t depth = 1;
    bool is_quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        is_quoted = is_quoted != (text[i] == '\'');
        depth += !is_quoted && text[i] == '(' ? 1 : 0;
        depth -= !is_quoted && text[i] == ')' ? 1 : 0;
        if (depth == 0) {
            return text.substr(0, i);
        }
    }
    return text;
}

// "$1 = '42', $2 = '7'"
std::string parameter(std::string_view parameters, std::string_view name) {
    const std::size_t at = parameters.find(std::string(name) + " = '");
    if (at == std::string_view::npos) {
        return "";
    }
    const std::string_view value = parameters.substr(at + name.size() + 4);
    return std::string(value.substr(0, value.find('\'')));
}

// One argument without spaces, casts and quotes, which say nothing about the lock.
std::string plain(std::string_view argument, std::string_view parameters) {
    std::string out;
    for (const char letter : argument.substr(0, argument.find("::"))) {
        out += std::isspace(static_cast<unsigned char>(letter)) != 0 ? "" : std::string(1, letter);
    }
    if (out.starts_with("$")) {
        return parameter(parameters, out);
    }
    const bool is_quoted = out.size() > 1 && out.front() == '\'' && out.back() == '\'' &&
                           std::count(out.begin(), out.end(), '\'') == 2;
    return is_quoted ? out.substr(1, out.size() - 2) : out;
}

// Empty: it has a parameter whose value the log does not say.
std::string key_of(std::string_view arguments, std::string_view parameters) {
    std::string key;
    std::size_t depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= arguments.size(); ++i) {
        const char letter = i < arguments.size() ? arguments[i] : ',';
        depth += letter == '(' ? 1 : 0;
        depth -= letter == ')' && depth > 0 ? 1 : 0;
        if ((letter == ',' && depth == 0) || i == arguments.size()) {
            const std::string one = plain(arguments.substr(begin, i - begin), parameters);
            if (one.empty()) {
                return "";
            }
            key += (begin == 0 ? "" : ",") + one;
            begin = i + 1;
        }
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

TransactionWord transaction_word(std::string_view statement) {
    constexpr std::size_t kWordsMax = 200;  // bytes
    while (statement.starts_with("/*") && statement.find("*/") != std::string_view::npos) {
        statement.remove_prefix(statement.find("*/") + 2);
        statement.remove_prefix(std::min(statement.find_first_not_of(" \n"), statement.size()));
    }
    std::vector<std::string> words = words_of(lower(statement.substr(0, kWordsMax)));
    for (std::string& word : words) {
        word = word.substr(0, word.find(';'));
    }
    if (words.empty()) {
        return TransactionWord::kNone;
    }
    if (words[0] == "savepoint") {
        return TransactionWord::kSavepoint;
    }
    const auto has = [&](const char* wanted) {
        return std::find(words.begin(), words.end(), wanted) != words.end();
    };
    const bool is_end =
        words[0] == "commit" || words[0] == "rollback" || words[0] == "end" || words[0] == "abort";
    return is_end && !has("to") && !has("prepared") ? TransactionWord::kEnd
                                                    : TransactionWord::kNone;
}

}  // namespace lockkeeper::logs
