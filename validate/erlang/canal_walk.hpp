// SPDX-License-Identifier: Apache-2.0

// The model of the canal lock, step by step, in the words of the Erlang side (canal_node.erl): for
// each action what the node is asked to do, and what it has to show then. Callers and keys are
// numbers in these words, @0 and #0.
//
// A step that the node has no word for is "?", and so a difference. Limits: a step that does not
// fit the compiled size of the model ends the walk.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "validate/servers/compared_server.hpp"

namespace lockkeeper::erlang {

// The subject that both sides are driven with: the model of a scenario of the canal lock, and what
// the original has to know of the scenario.
struct CanalSubject {
    ErasedSystem system;
    WorldConfig world;
    ScenarioParameters parameters;
};

// `runner`: made of what was understood. Throws NotExpressible.
[[nodiscard]] CanalSubject canal_subject(const Understood& understood, const Runner& runner);

// The parts that are compared after each step.
struct Shown {
    static constexpr std::array<const char*, 5> kNames{"did", "table", "callers", "references",
                                                       "manager"};
    std::array<std::string, 5> parts;  // as in kNames
};

struct Move {
    bool possible = false;
    std::string text;     // as a report says it
    std::string command;  // empty: the step is none of the lock (signals, resizes)
    std::string did;
};

class CanalWalk {
  public:
    explicit CanalWalk(const CanalSubject& subject);

    // The command that makes the node begin as the model does.
    [[nodiscard]] std::string begin() const;
    [[nodiscard]] Move advance(Action action);
    [[nodiscard]] Shown shown(const std::string& did) const;
    [[nodiscard]] std::vector<Action> choices() const;
    // "@0 next subtract #0[1]" with the scenario's names.
    [[nodiscard]] std::string with_names(std::string_view text) const;

  private:
    [[nodiscard]] std::string call_of(std::size_t caller, const Event& event) const;
    [[nodiscard]] std::uint32_t buckets_of(std::size_t caller, const Event& event) const;
    void step(Action action, const Event& event, const ServerAct& act, Move& move);
    static void background(Action action, const Event& event, const ServerAct& act, Move& move);
    [[nodiscard]] std::string table(const Observation& seen) const;
    [[nodiscard]] std::string callers(const Observation& seen) const;
    [[nodiscard]] static std::string references(const Observation& seen);
    [[nodiscard]] std::string manager(const Observation& seen) const;

    const CanalSubject& subject_;
    ErasedSystem::State state_;
    std::vector<bool> in_call_;
    std::size_t resizes_ = 0;
};

}  // namespace lockkeeper::erlang
