// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/around.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace lockkeeper::logs {
namespace {

// By position: the line may be about what happens after it.
std::vector<bool> open_ones(const std::vector<Observation>& lines) {
    std::vector<bool> is_open(lines.size(), false);
    std::map<std::string, std::size_t> called;  // the last call without an answer, by caller
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const Observation& seen = lines[i];
        if (seen.seen == Seen::kCall) {
            is_open[i] = true;
            called[seen.caller] = i;
        } else if (seen.seen == Seen::kAnswer) {
            const auto call = called.find(seen.caller);
            is_open[i] = seen.outcome == Outcome::kUnknown;
            if (call != called.end() && lines[call->second].code == seen.code) {
                is_open[call->second] = is_open[i];
                called.erase(call);
            }
        }
    }
    return is_open;
}

}  // namespace

std::string keep_around(Logs& logs, const LogTime& time) {
    std::size_t all = 0;
    std::size_t kept = 0;
    for (Source& source : logs.sources) {
        std::vector<Observation> left;
        // An answer within the window closes a call before it: both are left.
        std::vector<Observation> begin = source.observations;
        std::erase_if(
            begin, [&](const Observation& seen) { return seen.latest >= time.earliest - kAround; });
        const std::vector<bool> is_open = open_ones(begin);
        for (std::size_t i = 0; i < begin.size(); ++i) {
            if (is_open[i]) {
                left.push_back(begin[i]);
            }
        }
        for (const Observation& seen : source.observations) {
            if (seen.latest >= time.earliest - kAround && seen.earliest <= time.latest + kAround) {
                left.push_back(seen);
                ++kept;
            }
        }
        all += source.observations.size();
        source.observations = std::move(left);
    }
    if (kept == 0) {
        throw LogError("--around", 0, "no line about a lock is within a minute of this time");
    }
    return fmt::format("{} of {} lines about locks are within a minute of --around\n", kept, all);
}

}  // namespace lockkeeper::logs
