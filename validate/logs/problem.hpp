// SPDX-License-Identifier: Apache-2.0

// Logs made into numbers for the search: once for each lock that they name. Made by make_problem,
// read by walk.hpp; does not change.
//
// Weights say which lines a log usually has: 1 where some line of this kind, operation and caller
// is there, so that one more would be missing; 0 where the log never has them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "validate/histories/sequential_model.hpp"
#include "validate/logs/observation.hpp"

namespace lockkeeper::logs {

inline constexpr std::uint32_t kNobody = UINT32_MAX;
inline constexpr std::int64_t kLongAgo = INT64_MIN / 4;
inline constexpr std::int64_t kNever = INT64_MAX / 2;
inline constexpr std::size_t kLinesMax = 1'000'000;
inline constexpr std::size_t kCallersMax = kHoldsMax;
inline constexpr std::size_t kSourcesMax = 256;

struct Line {
    Seen seen = Seen::kCall;
    LockCode code = LockCode::kAcquire;
    Outcome outcome = Outcome::kOk;
    bool is_write = false;
    // A call and its answer are one line of a log, and nothing of its caller stands between them.
    bool is_of_answer = false;
    std::uint32_t caller = kNobody;
    std::uint32_t holder = kNobody;  // a refusal: who held it then, where that is a caller
    std::int64_t count = -1;         // below 0: not said
    // Windows rise from line to line of a source.
    std::int64_t earliest = 0;
    std::int64_t latest = 0;
};

// Where a line stands.
struct Place {
    std::uint32_t source = 0;
    std::uint32_t position = 0;

    friend bool operator==(const Place&, const Place&) = default;
};

struct Weights {
    std::uint8_t call = 0;
    std::uint8_t served = 0;
    std::uint8_t written = 0;  // a state line, of operations that were granted
    std::uint8_t answer = 0;
    // An answer that says ok: some logs have failures alone. Where its file has one of anybody,
    // or another caller whose answers are there, its own would be there as well.
    std::uint8_t granted = 0;
};

inline constexpr std::size_t kCodes = 3;  // acquire, release, renew: as LockCode

struct Problem {
    const SequentialModel* model = nullptr;
    std::vector<std::vector<Line>> sources;
    std::vector<std::string> callers;
    // By caller: its calls and answers, in the order in which it made them.
    std::vector<std::vector<Place>> own;
    // By caller: its last effect in each source that has its calls and answers as well.
    std::vector<std::vector<Place>> last_effects;
    // By source: its log, and which piece of it that was rotated; larger ones are older.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pieces;
    // By caller: its last call, answer or effect in each piece that is not the newest.
    std::vector<std::vector<Place>> last_of_pieces;
    std::vector<std::array<Weights, kCodes>> weights;
    std::array<bool, kCodes> is_shown{};  // some line of some caller shows this operation
    std::vector<std::uint32_t> servers;   // sources that show what the lock carries out
    std::uint32_t unsaid_ends = 0;        // sessions that may have ended with the lock
    bool decides = false;                 // some line says what the lock did
    bool gives_back_own = false;          // nobody gives back what another has taken
    bool can_be_incomplete = false;       // some line can be about a caller of which none is there
    std::uint32_t stranger = kNobody;     // a caller that no line shows, where one is allowed
    // Callers are left out (few_callers.hpp), of whom each may have held it when it was refused.
    bool leaves_out_callers = false;
    // Lines are missing from then on, and of these callers; empty: of all.
    std::int64_t costly_from = kLongAgo;
    std::vector<bool> costly_callers;
    // An operation of which no call is there was carried out at most so long before its answer.
    std::int64_t answer_max = kNever;

    [[nodiscard]] const Line& line(Place place) const {
        return sources[place.source][place.position];
    }
    [[nodiscard]] const Line& own_line(std::uint32_t caller, std::size_t number) const {
        return line(own[caller][number]);
    }
    [[nodiscard]] const Weights& weights_of(std::uint32_t caller, LockCode code) const {
        return weights[caller][static_cast<std::size_t>(code)];
    }
    [[nodiscard]] bool may_cost(std::uint32_t caller) const {
        return costly_callers.empty() || (caller < costly_callers.size() && costly_callers[caller]);
    }
    [[nodiscard]] bool has_time() const { return model->knows_time(); }
    [[nodiscard]] std::size_t lines() const;
    // Answers without the call that their caller logs otherwise: whatever happened, lines are gone.
    [[nodiscard]] std::uint32_t holes() const;
    [[nodiscard]] bool has_answer_without_call() const;
    [[nodiscard]] bool is_older(std::uint32_t source, std::uint32_t than) const {
        return pieces[source].first == pieces[than].first &&
               pieces[source].second > pieces[than].second;
    }
    void find_last_lines();
    // One more caller, whose log nobody has: what it does costs an unseen operation each.
    void allow_stranger();
};

// Each source's clock may be wrong by as much as `clock_errors` says, in either direction.
// LogError: the log says what the model does not know, or contradicts its own order.
[[nodiscard]] Problem make_problem(const std::vector<Source>& sources,
                                   const std::vector<std::int64_t>& clock_errors,
                                   const SequentialModel& model);

// "lease:ttl=15s" for models of histories with times; `ttl` in nanoseconds. UsageError: there is no
// such model, or it cannot explain logs yet.
[[nodiscard]] ModelChoice model_of_logs(const std::string& text);

}  // namespace lockkeeper::logs
