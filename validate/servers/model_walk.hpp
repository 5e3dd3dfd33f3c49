// SPDX-License-Identifier: Apache-2.0

// The model, driven beside a server. What a server does by itself no schedule can choose, so the
// walk takes it at once, in every order that there is: a waiting statement that goes on, the second
// half of a COMMIT, a DELETE from row to row. Where the order makes a difference the model is in
// one of several states (candidates) until an observation of the server says in which.
//
// A step that was taken at once and that the schedule has later is passed over there.
//
// advance() takes an action; expected() is what a server has to show then. UnknownStep;
// DatabaseError when the candidates are more than kCandidatesMax.
#pragma once

#include <array>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "validate/servers/subject.hpp"

namespace lockkeeper::databases {

using Step = ServerStep;
using StepFault = ServerFault;
using ModelStep = ServerAct;

class UnknownStep : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// The statement of a model's step, enabled in this state or not: the system says it by an id
// (model/server_step.hpp), never by the words of its reports. Throws UnknownStep for a step that no
// server could be told, which is an error of the harness.
[[nodiscard]] ModelStep step_of(const Subject& subject, const ErasedSystem::State& state,
                                Action action);

// The step goes on at the server, without its caller: the walk takes it at once.
[[nodiscard]] constexpr bool is_at_server(Step step) {
    return step == Step::kGoesOn || step == Step::kDelete || step == Step::kDeleteEnds;
}

// ... without any client.
[[nodiscard]] constexpr bool goes_on_by_itself(Step step) {
    return step == Step::kSessionGoesOn || step == Step::kRenewalGoesOn;
}

// A timer of the server, which takes real time. Those of leases are virtual.
[[nodiscard]] constexpr bool is_timer(Step step) {
    return step == Step::kLooksForDeadlock || step == Step::kTimesOut;
}

// A statement of a caller, or its answer, is lost with the connection.
[[nodiscard]] constexpr bool loses_connection(const ModelStep& step) {
    return step.fault == StepFault::kRequestLost || step.fault == StepFault::kReplyLost ||
           step.step == Step::kConnectionLost;
}

// The statement may wait for a lock, and the server is told before for how long.
[[nodiscard]] constexpr bool has_timers(Step step) {
    return step == Step::kLock || step == Step::kDelete || step == Step::kDeleteEnds;
}

inline constexpr std::size_t kCandidatesMax = 64;

enum class Status : std::uint8_t { kNone, kOk, kError, kWaits };

// One caller's latest statement, as the model has it.
struct Expected {
    Status status = Status::kNone;
    std::string error;         // kError; empty: the model says later which
    bool rolled_back = false;  // a COMMIT that committed nothing
    bool refused = false;      // a try that did not get the lock
    std::string gave_up;       // ROLLBACK after a lock statement that failed: with what it did
    bool stale = false;        // a read under the lock that is not of what was committed last

    bool token_repeated = false;  // an insert's token is not larger than all before it

    friend bool operator==(const Expected&, const Expected&) = default;
};

struct Candidate {
    ErasedSystem::State state{};
    std::array<Expected, kCallersMax> expected{};
    // leases, when it is the latest step: by the answer to a renewal, or whether that waits
    Expected told{};
    std::array<std::uint8_t, kCallersMax> in_flight{};  // its statement is at the server
    std::array<std::uint8_t, kCallersMax> ahead{};      // steps taken before the schedule had them
};

// The step that the model took, for whoever drives the server.
struct Advance {
    bool passed_over = false;
    bool owed = false;  // passed over because it was taken ahead
    Action action;
    ModelStep step;
    Event event;
    std::string text;
    bool others_idle =
        false;  // leases, time goes on: reaper and clean-up find nothing if they come
};

class ModelWalk {
  public:
    explicit ModelWalk(const Subject& subject);

    [[nodiscard]] Advance advance(Action action);
    [[nodiscard]] const std::vector<Candidate>& candidates() const { return candidates_; }
    // Drops candidates that the server contradicts; false: it would drop all, so it drops none.
    bool keep(const std::function<bool(const Candidate&)>& fits);
    // The actions that a schedule can choose now, by the first candidate.
    [[nodiscard]] std::vector<Action> choices() const;
    [[nodiscard]] ModelStep step(Action action) const {
        return step_of(subject_, candidates_.front().state, action);
    }
    [[nodiscard]] std::string error_name(const Event& event) const;

  private:
    [[nodiscard]] bool possible(const ErasedSystem::State& state, Action action) const;
    [[nodiscard]] std::vector<Action> going_on_without_caller(
        const ErasedSystem::State& state) const;
    void forget_orphans(Candidate& candidate) const;
    [[nodiscard]] bool moves_by_itself(const Candidate& candidate, std::size_t caller) const;
    [[nodiscard]] bool others_are_idle() const;
    Event take(Candidate& candidate, Action action, Step step) const;
    void close(const Candidate& from, std::vector<Candidate>& out, unsigned depth) const;
    void note(Candidate& candidate, std::size_t caller, Step step, const Event& event) const;
    void note_lease(Candidate& candidate, Action action, Step step, const Event& event) const;

    const Subject& subject_;
    std::vector<Candidate> candidates_;
};

}  // namespace lockkeeper::databases
