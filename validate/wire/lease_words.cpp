// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/lease_words.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <stdexcept>

namespace lockkeeper::wire {
namespace {

constexpr std::string_view kLeaseWord = "{lease}";
constexpr std::string_view kSecondsWord = "{seconds}";
constexpr std::int64_t kNanoseconds = 1'000'000'000;
constexpr std::int64_t kLeaseSecondsMax = 1'000'000'000;
constexpr std::size_t kLeaseNameMax = 128;
constexpr std::size_t kLeasesMax = 10'000;
// A shorter name stands for other things, too.
constexpr std::size_t kReplacedFrom = 6;

bool is_of_name(char letter) {
    return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
           (letter >= 'A' && letter <= 'Z') || letter == '-' || letter == '_' || letter == '.';
}

std::string_view word_at(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && end - at < kLeaseNameMax && is_of_name(text[end])) {
        ++end;
    }
    return text.substr(at, end - at);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos;
         at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
}

}  // namespace

LeaseWords::LeaseWords(const OutsideServer& server) {
    if (!server.granted.empty()) {
        const std::size_t name = server.granted.find(kLeaseWord);
        const std::size_t seconds = server.granted.find(kSecondsWord);
        const std::size_t behind_name = name + kLeaseWord.size();
        if (name == std::string::npos || seconds == std::string::npos || name == 0 ||
            seconds <= behind_name) {
            throw std::invalid_argument(
                "granted: expected a text, {lease}, a text and {seconds}, in this order");
        }
        before_name_ = server.granted.substr(0, name);
        before_seconds_ = server.granted.substr(behind_name, seconds - behind_name);
        behind_ = server.granted.substr(seconds + kSecondsWord.size());
    }
    std::istringstream lines(server.changing);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t hole = line.find("{}");
        if (hole == std::string::npos || hole == 0 || hole + 2 == line.size()) {
            throw std::invalid_argument("changing: expected lines with {} between two texts");
        }
        changing_.push_back({line.substr(0, hole), line.substr(hole + 2)});
    }
}

void LeaseWords::take_reply(std::string_view reply, std::int64_t now, std::size_t caller) {
    if (before_name_.empty()) {
        return;
    }
    for (std::size_t at = reply.find(before_name_); at != std::string_view::npos;
         at = reply.find(before_name_, at + 1)) {
        const std::string_view name = word_at(reply, at + before_name_.size());
        std::string_view rest = reply.substr(at + before_name_.size() + name.size());
        if (name.empty() || !rest.starts_with(before_seconds_)) {
            continue;
        }
        rest.remove_prefix(before_seconds_.size());
        std::int64_t seconds = 0;
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), seconds);
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        if (error != std::errc() || seconds <= 0 || seconds > kLeaseSecondsMax ||
            !rest.starts_with(behind_)) {
            continue;
        }
        grant(name, now + seconds * kNanoseconds, caller);
    }
}

void LeaseWords::grant(std::string_view name, std::int64_t ends_at, std::size_t caller) {
    const auto known = std::find_if(leases_.begin(), leases_.end(), [&](const KnownLease& lease) {
        return lease.name == name && !lease.is_over;
    });
    if (known != leases_.end()) {
        known->ends_at = std::max(known->ends_at, ends_at);
    } else if (leases_.size() < kLeasesMax) {
        leases_.push_back({std::string(name), ends_at, false, caller});
    }
}

std::string LeaseWords::steady(std::string_view message) const {
    std::string out(message);
    for (std::size_t i = 0; i < leases_.size(); ++i) {
        if (leases_[i].name.size() >= kReplacedFrom) {
            replace_all(out, leases_[i].name, "{lease " + std::to_string(i + 1) + "}");
        }
    }
    for (const Changing& changing : changing_) {
        std::size_t at = 0;
        while ((at = out.find(changing.before, at)) != std::string::npos) {
            at += changing.before.size();
            const std::size_t end = out.find(changing.after, at);
            if (end == std::string::npos) {
                break;
            }
            out.replace(at, end - at, "{}");
            at += 2;
        }
    }
    return out;
}

}  // namespace lockkeeper::wire
