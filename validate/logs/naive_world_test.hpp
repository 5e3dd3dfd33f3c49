// SPDX-License-Identifier: Apache-2.0

// For the naive twin: locks written down once more, and times as inequalities between events.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "validate/logs/walk.hpp"

namespace lockkeeper::logs::testing_logs {

enum class NaiveLock { kOwned, kSemaphore, kLease };

class NaiveWorld {
  protected:
    NaiveWorld(const Problem& problem, NaiveLock lock, std::int64_t number)
        : problem_(problem), lock_(lock), number_(number) {}

    struct Operation {
        LockCode code{};
        bool has_call = false;
        bool has_served_line = false;
        bool acts_later = false;  // when that line was read: effects stood below in its log
        bool is_served = false;
        bool is_refused = false;
        bool is_foreign = false;  // gives back what another took
        std::uint32_t paid = 0;   // for lines of the server that are missing
    };
    struct Request {
        std::uint32_t caller;
        LockCode code;
    };
    // At least `by` between two events.
    struct Inequality {
        std::size_t from;
        std::size_t to;
        std::int64_t by;
    };
    struct State {
        std::vector<std::uint32_t> cursors;
        std::vector<std::optional<Operation>> current;
        std::vector<Request> requests;
        std::vector<int> held;
        int units = 0;
        bool has_begun = false;
        std::vector<std::size_t> own;                      // lines of each caller that were read
        std::vector<std::array<std::int64_t, 2>> windows;  // of events
        std::vector<Inequality> inequalities;
        std::optional<std::uint32_t> leaseholder;
        std::size_t granted = 0;  // the event
        Cost cost;
    };

    bool event(State& state, std::int64_t earliest, std::int64_t latest) const {
        state.windows.push_back({earliest, latest});
        if (state.windows.size() > 1) {
            state.inequalities.push_back({state.windows.size() - 2, state.windows.size() - 1, 0});
        }
        return true;
    }
    static bool is_possible(const State& state) {
        std::vector<std::int64_t> times;
        for (const auto& window : state.windows) {
            times.push_back(window[0]);
        }
        for (std::size_t round = 0; round <= times.size() + 1; ++round) {
            bool changed = false;
            for (const Inequality& one : state.inequalities) {
                if (times[one.to] < times[one.from] + one.by) {
                    times[one.to] = times[one.from] + one.by;
                    changed = true;
                }
            }
            for (std::size_t i = 0; i < times.size(); ++i) {
                if (times[i] > state.windows[i][1]) {
                    return false;
                }
            }
            if (!changed) {
                return true;
            }
        }
        return false;  // the inequalities go round
    }

    [[nodiscard]] const Weights& weights(std::uint32_t caller, LockCode code) const {
        return problem_.weights_of(caller, code);
    }
    [[nodiscard]] bool acts_later(const State& state, std::uint32_t caller) const {
        const std::vector<Place>& last = problem_.last_effects[caller];
        return std::any_of(last.begin(), last.end(), [&](Place place) {
            return state.cursors[place.source] <= place.position;
        });
    }
    [[nodiscard]] bool has_more(const State& state, std::uint32_t caller) const {
        return state.own[caller] < problem_.own[caller].size();
    }

    // A server's log can begin later than the others and end earlier.
    [[nodiscard]] std::uint32_t missing_of_server(const State& state, std::uint32_t caller,
                                                  LockCode code, bool is_refused) const {
        bool is_within = false;
        for (std::size_t i = 0; i < problem_.sources.size(); ++i) {
            bool is_server = false;
            for (const Line& line : problem_.sources[i]) {
                is_server = is_server || line.seen == Seen::kServed || line.is_write;
            }
            is_within = is_within || (is_server && state.cursors[i] > 0 &&
                                      state.cursors[i] < problem_.sources[i].size());
        }
        const Weights& w = weights(caller, code);
        return is_within ? w.served + (is_refused ? 0U : w.written) : 0U;
    }

    // The last event is this operation, done.
    bool serve(State& state, std::uint32_t caller, LockCode code, bool is_refused,
               bool is_initial = false) const {
        state.has_begun = state.has_begun || !is_initial;
        const std::size_t now = state.windows.size() - 1;
        if (lock_ == NaiveLock::kLease) {
            return serve_lease(state, caller, code, is_refused, now);
        }
        const bool is_free = state.units < number_;
        if (code == LockCode::kAcquire) {
            state.held[caller] += is_refused ? 0 : 1;
            state.units += is_refused ? 0 : 1;
            return is_free != is_refused;
        }
        if (code != LockCode::kRelease) {
            return false;
        }
        if (is_refused) {
            return state.held[caller] == 0;
        }
        const bool is_own = state.held[caller] > 0;
        state.held[caller] -= is_own ? 1 : 0;
        // A semaphore's unit may be given back by anybody.
        if (!is_own && state.current[caller]) {
            state.current[caller]->is_foreign = true;
        }
        return state.units-- > 0 && (is_own || lock_ == NaiveLock::kSemaphore);
    }
    bool serve_lease(State& state, std::uint32_t caller, LockCode code, bool is_refused,
                     std::size_t now) const {
        const bool is_own = state.leaseholder == caller;
        if (code == LockCode::kAcquire && is_refused) {
            if (state.leaseholder) {
                state.inequalities.push_back({now, state.granted, -number_});
            }
            return state.leaseholder.has_value();
        }
        if (is_refused) {
            if (is_own) {
                state.inequalities.push_back({state.granted, now, number_});
                state.leaseholder.reset();
            }
            return true;
        }
        if (code != LockCode::kAcquire && !is_own) {
            return false;
        }
        if (code == LockCode::kRelease) {
            state.leaseholder.reset();
            return true;
        }
        if (state.leaseholder && !is_own) {
            state.inequalities.push_back({state.granted, now, number_});
        }
        state.leaseholder = caller;
        state.granted = now;
        return true;
    }
    bool covers(State& state, std::uint32_t caller) const {
        state.has_begun = true;
        if (lock_ != NaiveLock::kLease) {
            return state.held[caller] > 0;
        }
        if (state.leaseholder == caller) {
            state.inequalities.push_back({state.windows.size() - 1, state.granted, -number_});
            return true;
        }
        return false;
    }

    const Problem& problem_;
    NaiveLock lock_;
    std::int64_t number_;  // units, or the length of a lease
};

}  // namespace lockkeeper::logs::testing_logs
