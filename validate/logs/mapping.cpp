// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/mapping.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>

#include "model/json.hpp"
#include "model/read_text.hpp"

namespace lockkeeper::logs {
namespace {

constexpr std::size_t kMappingBytesMax = 64 << 10U;
constexpr std::size_t kMappingWordsMax = 64;
constexpr std::size_t kPatternMax = 1000;

constexpr Meaning call(LockCode code) { return {Seen::kCall, code, Outcome::kOk}; }
constexpr Meaning answer(LockCode code, Outcome outcome) { return {Seen::kAnswer, code, outcome}; }

const std::vector<Phrase>& built_in_phrases() {
    constexpr LockCode kAcquire = LockCode::kAcquire;
    constexpr LockCode kRelease = LockCode::kRelease;
    constexpr LockCode kRenew = LockCode::kRenew;
    static const std::vector<Phrase> kPhrases = {
        {"trying", call(kAcquire)},
        {"acquiring", call(kAcquire)},
        {"acquired", answer(kAcquire, Outcome::kOk)},
        {"acquire ok", answer(kAcquire, Outcome::kOk)},
        {"busy", answer(kAcquire, Outcome::kRefused)},
        {"not acquired", answer(kAcquire, Outcome::kRefused)},
        {"acquire refused", answer(kAcquire, Outcome::kRefused)},
        {"acquire unknown", answer(kAcquire, Outcome::kUnknown)},
        {"acquire timed out", answer(kAcquire, Outcome::kUnknown)},
        {"releasing", call(kRelease)},
        {"released", answer(kRelease, Outcome::kOk)},
        {"release ok", answer(kRelease, Outcome::kOk)},
        {"release failed", answer(kRelease, Outcome::kRefused)},
        {"release refused", answer(kRelease, Outcome::kRefused)},
        {"release unknown", answer(kRelease, Outcome::kUnknown)},
        {"renewing", call(kRenew)},
        {"renewed", answer(kRenew, Outcome::kOk)},
        {"renew ok", answer(kRenew, Outcome::kOk)},
        {"renew refused", answer(kRenew, Outcome::kRefused)},
        {"renew unknown", answer(kRenew, Outcome::kUnknown)},
        {"wrote", Meaning{Seen::kEffect, LockCode::kWrite, Outcome::kOk}},
        {"reconcile", Meaning{Seen::kEffect, LockCode::kWrite, Outcome::kOk}},
        // client-go's leader election. It says once that it attempts, not at each attempt.
        {"attempting to acquire leader lease", std::nullopt},
        {"successfully acquired lease", answer(kAcquire, Outcome::kOk)},
        {"lock is held by", answer(kAcquire, Outcome::kRefused)},
        {"failed to renew lease", answer(kRenew, Outcome::kUnknown)},
        {"error retrieving resource lock", answer(kRenew, Outcome::kUnknown)},
        {"error updating resource lock", answer(kRenew, Outcome::kUnknown)},
        {"failed to update lock", answer(kRenew, Outcome::kUnknown)},
        {"new leader elected", std::nullopt},
        {"leader election lost", std::nullopt},
    };
    return kPhrases;
}

// "acquire refused", "call release", "served acquire", "effect", "ignore".
std::optional<Meaning> meaning_of(const std::string& text, const std::string& file) {
    if (text == "ignore") {
        return std::nullopt;
    }
    if (text == "effect") {
        return Meaning{Seen::kEffect, LockCode::kWrite, Outcome::kOk};
    }
    const std::size_t space = text.find(' ');
    const std::string first = text.substr(0, space);
    const std::string second = space == std::string::npos ? "" : text.substr(space + 1);
    for (const LockCode code : {LockCode::kAcquire, LockCode::kRelease, LockCode::kRenew}) {
        if (first == "call" && second == name_of(code)) {
            return call(code);
        }
        if (first == "served" && second == name_of(code)) {
            return Meaning{Seen::kServed, code, Outcome::kOk};
        }
        for (const Outcome outcome :
             {Outcome::kOk, Outcome::kRefused, Outcome::kFailed, Outcome::kUnknown}) {
            if (first == name_of(code) && second == name_of(outcome)) {
                return answer(code, outcome);
            }
        }
    }
    throw LogError(file, 0,
                   "words: \"" + text +
                       "\" is no meaning; one is \"call acquire\", \"served acquire\", \"acquire "
                       "ok\", \"acquire refused\", \"acquire failed\", \"acquire unknown\" (the "
                       "same with release and renew), \"effect\" or \"ignore\"");
}

class MappingReader {
  public:
    MappingReader(const nlohmann::json& json, std::string file)
        : json_(json), file_(std::move(file)) {}

    Mapping read() {
        if (!json_.is_object()) {
            refuse("a mapping is an object: {\"time\": \"ts\", \"caller\": \"worker\", ...}");
        }
        for (const auto& [name, value] : json_.items()) {
            read_one(name, value);
        }
        if ((mapping_.format == Format::kPattern) == mapping_.pattern.empty()) {
            refuse("\"format\": \"regex\" and \"pattern\" go together");
        }
        std::stable_sort(mapping_.phrases.begin(), mapping_.phrases.end(),
                         [](const Phrase& left, const Phrase& right) {
                             return left.words.size() > right.words.size();
                         });
        return std::move(mapping_);
    }

  private:
    [[noreturn]] void refuse(const std::string& message) const {
        throw LogError(file_, 0, message);
    }

    std::string text(const std::string& name, const nlohmann::json& value) const {
        if (!value.is_string() || value.get<std::string>().empty()) {
            refuse("\"" + name + "\" is a text");
        }
        return value.get<std::string>();
    }

    std::vector<std::string> names(const std::string& name, const nlohmann::json& value) const {
        if (!value.is_array()) {
            return {text(name, value)};
        }
        if (value.empty() || value.size() > kMappingWordsMax) {
            refuse("\"" + name + "\" is a text, or a list of some");
        }
        std::vector<std::string> all;
        std::transform(value.begin(), value.end(), std::back_inserter(all),
                       [&](const nlohmann::json& one) { return text(name, one); });
        return all;
    }

    void read_one(const std::string& name, const nlohmann::json& value) {
        const std::pair<const char*, std::vector<std::string>*> fields[] = {
            {"time", &mapping_.time},
            {"caller", &mapping_.caller},
            {"operation", &mapping_.operation},
            {"key", &mapping_.key},
            {"token", &mapping_.token}};
        for (const auto& [field, into] : fields) {
            if (name == field) {
                *into = names(name, value);
                return;
            }
        }
        if (name == "format") {
            const auto format = format_named(text(name, value));
            if (!format) {
                refuse(
                    "\"format\" is plain, json, logfmt, klog, redis, csvlog, leases, spans, regex "
                    "or history");
            }
            mapping_.format = *format;
        } else if (name == "pattern") {
            mapping_.pattern = text(name, value);
            if (mapping_.pattern.size() > kPatternMax) {
                refuse("\"pattern\" is longer than " + std::to_string(kPatternMax) + " bytes");
            }
        } else if (name == "year") {
            if (!value.is_number_integer() || value < 1970 || value > 2115) {
                refuse("\"year\" is a year from 1970 to 2115");
            }
            mapping_.year = value.get<int>();
        } else if (name == "words" || name == "callers") {
            read_words(name, value);
        } else {
            refuse("\"" + name +
                   "\" is not known; there are format, pattern, time, caller, operation, key, "
                   "token, words, callers and year");
        }
    }

    void read_words(const std::string& name, const nlohmann::json& value) {
        if (!value.is_object() || value.size() > kMappingWordsMax) {
            refuse("\"" + name + "\" is an object of at most " + std::to_string(kMappingWordsMax) +
                   " texts");
        }
        for (const auto& [words, meaning] : value.items()) {
            if (words.empty()) {
                refuse("\"" + name + "\" has an empty name");
            }
            if (name == "words") {
                mapping_.phrases.push_back({words, meaning_of(text(words, meaning), file_)});
            } else {
                mapping_.callers[words] = text(words, meaning);
            }
        }
    }

    const nlohmann::json& json_;
    std::string file_;
    Mapping mapping_;
};

const Phrase* longest_in(const std::vector<Phrase>& phrases, const std::string& text) {
    const Phrase* longest = nullptr;
    for (const Phrase& phrase : phrases) {
        const bool is_longer = longest == nullptr || phrase.words.size() > longest->words.size();
        if (is_longer && text.find(phrase.words) != std::string::npos) {
            longest = &phrase;
        }
    }
    return longest;
}

char lower(char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

// "acquired t1" begins with "acquired", "not acquired" and "acquiredly" do not.
const Phrase* longest_at_begin(const std::vector<Phrase>& phrases, std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \""), text.size()));
    const Phrase* longest = nullptr;
    for (const Phrase& phrase : phrases) {
        const std::size_t size = phrase.words.size();
        const bool is_word_end =
            text.size() == size ||
            (text.size() > size && std::isalnum(static_cast<unsigned char>(text[size])) == 0);
        const bool is_there =
            is_word_end && std::equal(phrase.words.begin(), phrase.words.end(), text.begin(),
                                      [](char left, char right) { return left == lower(right); });
        if (is_there && (longest == nullptr || size > longest->words.size())) {
            longest = &phrase;
        }
    }
    return longest;
}

}  // namespace

std::optional<Format> format_named(const std::string& name) {
    const auto* found = std::find(std::begin(kFormatNames), std::end(kFormatNames), name);
    return found == std::end(kFormatNames)
               ? std::nullopt
               : std::optional(static_cast<Format>(found - std::begin(kFormatNames)));
}

Mapping parse_mapping(const std::string& text, const std::string& file) {
    if (const auto nul = nul_in(text)) {
        throw LogError(file, nul->line, kNulComplaint);
    }
    try {
        const nlohmann::json json = nlohmann::json::parse(text);
        return MappingReader(json, file).read();
    } catch (const nlohmann::json::exception& error) {
        throw LogError(file, 0, without_json_place(error.what()));
    }
}

Mapping read_mapping(const std::string& file) {
    const auto text = read_text(file, kMappingBytesMax);
    if (const auto* none = std::get_if<NotRead>(&text)) {
        throw LogError(name_in_messages(file), 0, none->message);
    }
    if (std::get<std::string>(text).size() > kMappingBytesMax) {
        throw LogError(name_in_messages(file), 0, "larger than 64 KiB");
    }
    return parse_mapping(std::get<std::string>(text), name_in_messages(file));
}

const Phrase* phrase_in(const Mapping& mapping, const std::string& text) {
    const Phrase* own = longest_in(mapping.phrases, text);
    return own != nullptr ? own : longest_at_begin(built_in_phrases(), text);
}

}  // namespace lockkeeper::logs
