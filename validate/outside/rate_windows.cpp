// SPDX-License-Identifier: Apache-2.0
#include "validate/outside/rate_windows.hpp"

#include <algorithm>

namespace lockkeeper {

void RateWindows::grant(std::uint8_t key, std::int64_t first, std::int64_t last,
                        std::uint32_t step) {
    keys_[key].grants.push_back({first, last, step});
    keys_[key].was_granted = true;
}

void RateWindows::doubt(std::uint8_t key, std::int64_t first, std::int64_t last) {
    keys_[key].grants.push_back({first, last, std::nullopt});
    keys_[key].was_granted = true;
}

std::vector<std::uint32_t> RateWindows::certain(std::uint8_t key, std::int64_t now) const {
    std::vector<std::uint32_t> steps;
    for (const Grant& grant : keys_[key].grants) {
        if (is_certain(grant, now)) {
            steps.push_back(*grant.step);
        }
    }
    return steps;
}

std::uint32_t RateWindows::possible(std::uint8_t key, std::int64_t now) const {
    const std::vector<Grant>& grants = keys_[key].grants;
    return static_cast<std::uint32_t>(std::count_if(
        grants.begin(), grants.end(), [&](const Grant& grant) { return now < end_of(grant); }));
}

std::int64_t RateWindows::free_at(std::uint8_t key) const {
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    for (const Grant& grant : keys_[key].grants) {
        last = std::max(last, end_of(grant));
    }
    return last;
}

std::optional<std::int64_t> RateWindows::next_end(std::int64_t now) const {
    std::int64_t next = kAnyLater;
    for (const OfKey& key : keys_) {
        for (const Grant& grant : key.grants) {
            next = end_of(grant) > now ? std::min(next, end_of(grant)) : next;
        }
    }
    return next == kAnyLater ? std::nullopt : std::optional(next);
}

bool RateWindows::forget(std::int64_t now) {
    std::size_t forgotten = 0;
    for (OfKey& key : keys_) {
        forgotten +=
            std::erase_if(key.grants, [&](const Grant& grant) { return now >= end_of(grant); });
    }
    return forgotten > 0;
}

// Writes how long ago each grant was, so that equal situations at other times have equal keys.
void RateWindows::write_key(std::int64_t now, std::string& out) const {
    for (const OfKey& key : keys_) {
        for (const Grant& grant : key.grants) {
            out += std::to_string(now - grant.first) + (grant.step ? "-" : "?") +
                   std::to_string(grant.last == kAnyLater ? -1 : now - grant.last) + ",";
        }
        out += "/";
    }
}

}  // namespace lockkeeper
