// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/around.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "validate/logs/eras.hpp"

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

// A time of a day: on the day on which some line is nearest to it.
LogTime on_its_day(const LogTime& time, const Logs& logs) {
    std::optional<std::int64_t> best;
    std::int64_t nearest = INT64_MAX;
    for (const Source& source : logs.sources) {
        for (const Observation& seen : source.observations) {
            const std::int64_t moved = on_day_near(time.earliest, seen.earliest);
            const std::int64_t apart = std::abs(moved - seen.earliest);
            best = apart < nearest ? moved : best;
            nearest = std::min(nearest, apart);
        }
    }
    LogTime on_day = time;
    on_day.earliest = best.value_or(time.earliest);
    on_day.latest += on_day.earliest - time.earliest;
    return on_day;
}

}  // namespace

std::string keep_around(Logs& logs, const LogTime& asked) {
    const LogTime time = asked.has_day ? asked : on_its_day(asked, logs);
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
