// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/subscriptions.hpp"

#include <strings.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "validate/wire/resp.hpp"

namespace lockkeeper::wire {
namespace {

struct ChannelWord {
    std::string_view word;
    const char* prefix;
    bool adds;
};

constexpr std::array kChannelWords{
    ChannelWord{"subscribe", "c:", true},  ChannelWord{"unsubscribe", "c:", false},
    ChannelWord{"psubscribe", "p:", true}, ChannelWord{"punsubscribe", "p:", false},
    ChannelWord{"ssubscribe", "s:", true}, ChannelWord{"sunsubscribe", "s:", false},
};

const ChannelWord* channel_word(std::string_view word) {
    const auto row = std::find_if(kChannelWords.begin(), kChannelWords.end(), [&](const auto& one) {
        return one.word.size() == word.size() &&
               strncasecmp(one.word.data(), word.data(), word.size()) == 0;
    });
    return row == kChannelWords.end() ? nullptr : &*row;
}

bool is_word(const std::vector<std::string>& words, std::size_t at, const char* word) {
    return words.size() > at && strcasecmp(words[at].c_str(), word) == 0;
}

// Where the number stands; 0: nowhere.
std::size_t place_of_connection(const std::vector<std::string>& words) {
    if (!is_word(words, 0, "CLIENT")) {
        return 0;
    }
    for (std::size_t i = 1; i + 1 < words.size(); ++i) {
        if ((i == 1 && is_word(words, i, "UNBLOCK")) ||
            (i > 1 && (is_word(words, i, "REDIRECT") || is_word(words, i, "ID")))) {
            return i + 1;
        }
    }
    return 0;
}

}  // namespace

bool names_connection(const std::vector<std::string>& words) {
    return place_of_connection(words) > 0;
}

std::vector<std::string> without_connection(std::vector<std::string> words) {
    if (const std::size_t place = place_of_connection(words); place > 0) {
        words[place] = "(a connection)";
    }
    return words;
}

bool is_good_bye(const std::vector<std::string>& words) { return is_word(words, 0, "QUIT"); }

bool is_about_channels(const std::vector<std::string>& words) {
    return !words.empty() && channel_word(words.front()) != nullptr;
}

// OFF is in force at once and until ON, which is answered; SKIP is for the next command, too.
std::size_t Subscriptions::answers(const std::vector<std::string>& words, std::size_t otherwise) {
    if (is_word(words, 0, "RESET")) {
        replies_ = Replies::kOn;
    }
    if (is_word(words, 0, "CLIENT") && is_word(words, 1, "REPLY")) {
        replies_ = is_word(words, 2, "OFF")                                ? Replies::kOff
                   : is_word(words, 2, "ON")                               ? Replies::kOn
                   : is_word(words, 2, "SKIP") && replies_ == Replies::kOn ? Replies::kSkipNext
                                                                           : replies_;
        return replies_ == Replies::kOn ? otherwise : 0;
    }
    const std::size_t count = replies_ == Replies::kOn ? otherwise : 0;
    replies_ = replies_ == Replies::kSkipNext ? Replies::kOn : replies_;
    return count;
}

std::size_t Subscriptions::begin(const std::vector<std::string>& words) {
    return answers(words, answers_of(words));
}

// Redis skips the answer of MULTI alone.
std::size_t Subscriptions::begin_many(std::size_t count) {
    changes_ = false;
    const bool skips = replies_ == Replies::kSkipNext;
    const std::size_t others = skips ? count - 1 : 0;
    return answers({}, count) + others;
}

std::size_t Subscriptions::answers_of(const std::vector<std::string>& words) {
    changes_ = is_about_channels(words);
    if (is_word(words, 0, "RESET")) {
        channels_.clear();
        tracks_ = false;
    }
    tracks_ = tracks_ || (is_word(words, 0, "CLIENT") && is_word(words, 1, "TRACKING"));
    if (!changes_) {
        return 1;
    }
    const ChannelWord& row = *channel_word(words.front());
    if (words.size() > 1) {
        return words.size() - 1;
    }
    // From all of them: an answer each, or one that there was none.
    const auto own = std::count_if(channels_.begin(), channels_.end(), [&](const auto& channel) {
        return channel.starts_with(row.prefix);
    });
    return row.adds ? 1 : static_cast<std::size_t>(std::max<std::ptrdiff_t>(own, 1));
}

bool Subscriptions::take(std::string_view message, bool is_owed) {
    const bool says_so = message.front() == '>';
    const bool may_be = message.front() == '*' && (changes_ || nests_ || !channels_.empty());
    if (!says_so && !may_be) {
        return false;
    }
    const RespValue value = parse_reply(message);
    if (value.elements.empty()) {
        return says_so;
    }
    const std::string& kind = value.elements.front().text;
    note(value);
    if (channel_word(kind) != nullptr) {
        return !is_owed;
    }
    for (std::size_t i = 0; nests_ && i < value.elements.size(); ++i) {
        note(value.elements[i]);
    }
    return says_so || kind == "message" || kind == "pmessage" || kind == "smessage";
}

// ["subscribe", "free", 1]
void Subscriptions::note(const RespValue& value) {
    const auto& parts = value.elements;
    const ChannelWord* const row = parts.empty() ? nullptr : channel_word(parts.front().text);
    if (row == nullptr || parts.size() < 2 || parts[1].is_null) {
        return;
    }
    const std::string channel = row->prefix + parts[1].text;
    if (row->adds) {
        channels_.insert(channel);
    } else {
        channels_.erase(channel);
    }
}

KeyFootprint Subscriptions::footprint(std::size_t server) const {
    KeyFootprint footprint;
    footprint.everything = tracks_;
    for (const std::string& channel : channels_) {
        footprint += channel_footprint(channel[0] == 'p', channel.substr(2), server);
    }
    return footprint;
}

}  // namespace lockkeeper::wire
