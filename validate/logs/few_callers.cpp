// SPDX-License-Identifier: Apache-2.0
#include "validate/logs/few_callers.hpp"

#include <algorithm>

#include "model/printable.hpp"

namespace lockkeeper::logs {
namespace {

// Its own lines alone show that the caller holds when it gives back.
bool gives_back_its_own(const Problem& problem, std::uint32_t caller) {
    std::int64_t held = 0;
    for (std::size_t i = 0; i < problem.own[caller].size(); ++i) {
        const Line& line = problem.own_line(caller, i);
        const bool follows_call = i > 0 && problem.own_line(caller, i - 1).seen == Seen::kCall &&
                                  problem.own_line(caller, i - 1).code == line.code;
        const bool is_grant = line.seen == Seen::kAnswer && line.outcome == Outcome::kOk;
        if (line.code == LockCode::kRelease && (line.seen == Seen::kCall || !follows_call)) {
            --held;
        }
        held += line.code == LockCode::kAcquire && is_grant ? 1 : 0;
        if (held < 0) {
            return false;
        }
    }
    return true;
}

}  // namespace

bool can_leave_out_callers(const Problem& problem, std::uint32_t lost_max) {
    const ModelKind kind = problem.model->choice().kind;
    const bool has_owner = kind != ModelKind::kMutex && kind != ModelKind::kSemaphore;
    if (has_owner || problem.gives_back_own) {
        return true;
    }
    bool can = lost_max == 0 && problem.servers.empty();
    for (std::uint32_t caller = 0; caller < problem.own.size(); ++caller) {
        can = can && gives_back_its_own(problem, caller);
    }
    return can;
}

bool names_known_holders(const std::vector<Source>& sources, const Problem& problem) {
    bool is_named = false;
    for (const Source& source : sources) {
        for (const Observation& seen : source.observations) {
            const bool is_known = std::find(problem.callers.begin(), problem.callers.end(),
                                            printable(seen.holder)) != problem.callers.end();
            if (!seen.holder.empty() && !is_known) {
                return false;
            }
            is_named = is_named || !seen.holder.empty();
        }
    }
    return is_named;
}

std::vector<std::vector<std::uint32_t>> suspects(const Problem& problem, const Retold& run,
                                                 const Line* unreached) {
    constexpr std::size_t kSuspectsMax = 4;
    std::vector<std::uint32_t> first;
    const auto add = [&](std::uint32_t caller) {
        const bool is_new = std::find(first.begin(), first.end(), caller) == first.end();
        if (caller < problem.own.size() && is_new && first.size() < kSuspectsMax) {
            first.push_back(caller);
        }
    };
    if (unreached != nullptr) {
        add(unreached->caller);
    }
    for (const Moment& moment : run.moments) {
        add(moment.is_outside ? moment.caller : kNobody);
    }
    std::vector<std::vector<std::uint32_t>> groups;
    groups.reserve(first.size());
    for (const std::uint32_t caller : first) {
        groups.push_back({caller});
    }
    const Walk walk(problem);
    for (const bool holds : {true, false}) {
        for (const std::uint32_t caller : first) {
            for (std::uint32_t other = 0; other < problem.own.size(); ++other) {
                if (other != caller && walk.holds(run.end, other) == holds) {
                    groups.push_back({caller, other});
                }
            }
        }
    }
    return groups;
}

Problem near_incident(const Problem& problem, const Furthest& furthest, const Retold& nearest) {
    Problem near = problem;
    near.costly_from = furthest.time;
    near.costly_callers.assign(problem.own.size(), false);
    const std::uint32_t last = problem.line(furthest.line).caller;
    if (last < problem.own.size()) {
        near.costly_callers[last] = true;
    }
    for (const Holding& held : nearest.holdings) {
        if (held.ended != Ended::kReleased) {
            near.costly_from = std::min(near.costly_from, held.from_earliest);
            near.costly_callers[held.caller] = true;
        }
    }
    return near;
}

Problem only_of(const Problem& problem, const std::vector<std::uint32_t>& callers) {
    const auto is_kept = [&](std::uint32_t caller) {
        return std::find(callers.begin(), callers.end(), caller) != callers.end();
    };
    Problem few = problem;
    few.leaves_out_callers = true;
    for (std::vector<Place>& places : few.own) {
        places.clear();
    }
    std::vector<std::vector<std::uint32_t>> positions(problem.sources.size());
    for (std::size_t source = 0; source < problem.sources.size(); ++source) {
        std::vector<Line>& lines = few.sources[source];
        lines.clear();
        for (const Line& line : problem.sources[source]) {
            positions[source].push_back(static_cast<std::uint32_t>(lines.size()));
            const bool is_of_nobody = line.seen == Seen::kState && line.caller == kNobody;
            if ((is_kept(line.caller) || is_of_nobody) && line.count < 0) {
                lines.push_back(line);
                lines.back().holder = is_kept(line.holder) ? line.holder : kNobody;
            }
        }
    }
    for (const std::uint32_t caller : callers) {
        for (const Place place : problem.own[caller]) {
            few.own[caller].push_back({place.source, positions[place.source][place.position]});
        }
    }
    few.find_last_lines();
    return few;
}

}  // namespace lockkeeper::logs
