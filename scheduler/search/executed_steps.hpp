// SPDX-License-Identifier: Apache-2.0

// Executes the steps of a stored state: unpacks it, applies each action, judges the step and packs
// the successor. Base of Expander, for the steps that no table of learned steps knows.
//
// The parts of successors are looked up in large tables. A few steps are begun before the first is
// finished, so that nobody waits for memory; they are finished in their order.
#pragma once

#include <array>
#include <cstring>
#include <vector>

#include "scheduler/search/beyond_time.hpp"
#include "scheduler/search/step_judge.hpp"
#include "scheduler/states/knowledge.hpp"

namespace lockkeeper {

template <System S>
class ExecutedSteps {
  protected:
    using State = typename S::State;
    using Number = std::uint16_t;  // of a part

    ExecutedSteps(const S& system, const ExploreOptions& options, Knowledge<S>& knowledge,
                  RecordShape shape)
        : system_(system),
          knowledge_(knowledge),
          shape_(shape),
          made_(shape_.words),
          used_bytes_(used_bytes_of(system)),
          judge_(system, options),
          reduces_(may_reduce(system) && options.reduction == Reduction::kPrivateSteps) {
        std::memset(static_cast<void*>(&before_), 0, sizeof(before_));
        std::memset(static_cast<void*>(&after_), 0, sizeof(after_));
        std::memset(static_cast<void*>(begun_.data()), 0, sizeof(begun_));
    }

    // `goes_ahead`: execute() may leave steps to finish(), and successors come by put().
    void begin_expansion(bool goes_ahead) {
        goes_ahead_ = goes_ahead;
        finished_count_ = begun_count_;
    }

    // The state to be expanded next.
    void begin(StateId id, const std::uint64_t* record) {
        id_ = id;
        record_ = record;
        is_unpacked_ = false;
        steps_count_ = 0;
        faults_count_ = 0;
    }

    const State& unpacked() {
        if (!is_unpacked_) {
            knowledge_.codec.unpack(record_, before_);
            is_unpacked_ = true;
        }
        return before_;
    }

    bool expand_by_executing(Expansion<S>& out) {
        judge_.judge_rest(out, unpacked(), id_);
        if (out.only_judges) {
            return true;
        }
        if constexpr (kHintsOf<S>.wide_steps) {
            if (system_.has_local_steps()) {
                return take_by_slots(out);
            }
        }
        system_.enabled(unpacked(), actions_);
        return take_each(out);
    }

    // In the order of learned steps: where these are given up the same search goes on.
    bool take_by_slots(Expansion<S>& out) {
        for (std::size_t slot = 0; slot < system_.slots_count(); ++slot) {
            system_.enabled_of(unpacked(), slot, actions_);
            if (!take_each(out)) {
                return false;
            }
        }
        system_.enabled_elsewhere(unpacked(), actions_);
        return take_each(out);
    }

    bool take_each(Expansion<S>& out) {
        for (Action action : actions_) {
            if (is_beyond_time(action)) {
                note_end_of_time(out);
                continue;
            }
            ++(is_fault(action) ? faults_count_ : steps_count_);
            if (!execute(out, action)) {
                return false;
            }
        }
        return true;
    }

    LOCKKEEPER_SELDOM void note_end_of_time(Expansion<S>& out) {
        if (out.time_over.empty()) {
            out.time_over.push_back({0, {id_, {}, out.depth, true, true}});
        }
    }

    bool execute(Expansion<S>& out, Action action) {
        BegunStep& step = begun(begun_count_);
        std::memcpy(static_cast<void*>(&step.after), &unpacked(), used_bytes_);
        step.parent = id_;
        const Event event = system_.apply(step.after, action);
        const ViolationPlace place{id_, action, out.depth + 1, true, false};
        judge_.judge_event(out, step.after, event, place);
        if (reduces_) {
            take_private_steps(system_, step.after, judge_.visible(),
                               [&](const State& state, Action, const Event& shown) {
                                   judge_.judge_event(out, state, shown, place);
                               });
        }
        knowledge_.codec.start(before_, record_, step.after, step.coming);
        ++begun_count_;
        if (!goes_ahead_) {
            return finish_one(out);
        }
        go_ahead(out);
        return true;
    }

    // Puts a successor whose record is known behind those that were begun before it.
    void put(Expansion<S>& out, const std::uint64_t* record) {
        if (!has_begun()) {
            out.successors.put(record, shape_, id_);
            return;
        }
        BegunStep& step = begun(begun_count_);
        step.parent = id_;
        knowledge_.codec.start(record, step.coming);
        ++begun_count_;
        go_ahead(out);
    }
    [[nodiscard]] bool has_begun() const { return begun_count_ != finished_count_; }

    // Finishes what was begun.
    void finish(Expansion<S>& out) {
        while (has_begun()) {
            static_cast<void>(finish_one(out));
        }
    }

    void note_unknown(Expansion<S>& out, StateId id) {
        if (out.unknown.empty() || out.unknown.back() != id) {
            out.unknown.push_back(id);
        }
    }

    // Few steps show anything that is still asked about: those are executed.
    void judge_learned(Expansion<S>& out, std::uint32_t what, const Number* numbers, Action action,
                       const ViolationPlace& place) {
        if ((what & judge_.open()) == 0) {
            return;
        }
        knowledge_.codec.unpack_numbers(numbers, after_);
        const Event event = system_.apply(after_, action);
        judge_.judge_event(out, after_, event, place);
    }

  private:
    struct BegunStep {
        State after;
        StateId parent;
        typename StateCodec<S>::Coming coming;
    };
    static constexpr std::size_t kStepsAhead = 4;

    [[nodiscard]] BegunStep& begun(std::size_t number) { return begun_[number % kStepsAhead]; }

    void go_ahead(Expansion<S>& out) {
        const std::size_t count = begun_count_ - finished_count_;
        if (count > kStepsAhead / 2) {
            knowledge_.codec.look_ahead(begun(begun_count_ - 1 - kStepsAhead / 2).coming);
        }
        if (count == kStepsAhead) {
            static_cast<void>(finish_one(out));
        }
    }

    // False: some part was never seen and may not be learned.
    [[nodiscard]] bool finish_one(Expansion<S>& out) {
        const BegunStep& step = begun(finished_count_++);
        std::uint64_t* record = made_.data();
        if (!knowledge_.codec.finish(step.coming, step.after, record)) {
            note_unknown(out, step.parent);
            if (!may_learn_) {
                return false;
            }
            knowledge_.codec.add(step.coming, step.after, record);
            knowledge_.steps.learn_parts(knowledge_.codec);
        }
        out.successors.put(record, shape_, step.parent);
        return true;
    }

    std::array<BegunStep, kStepsAhead> begun_;
    std::size_t begun_count_ = 0;
    std::size_t finished_count_ = 0;
    bool goes_ahead_ = false;

  protected:
    const S& system_;
    Knowledge<S>& knowledge_;
    RecordShape shape_;
    std::vector<std::uint64_t> made_;  // the record of a successor
    std::size_t used_bytes_;           // of a State
    StepJudge<S> judge_;
    bool reduces_;
    bool may_learn_ = false;
    bool has_learned_ = false;
    // The state being expanded.
    StateId id_ = kNoState;
    const std::uint64_t* record_ = nullptr;
    bool is_unpacked_ = false;
    std::size_t steps_count_ = 0;
    std::size_t faults_count_ = 0;
    ActionList actions_;
    State before_;
    State after_;
};

}  // namespace lockkeeper
