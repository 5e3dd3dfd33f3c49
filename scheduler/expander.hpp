// One worker's tools for expanding states. Two ways lead to the successors: through the table of
// learned steps (step_table.hpp) where the System allows it, and otherwise by unpacking the state
// and taking each step. What either meets for the first time is left to the explorer, which lets
// one worker learn while the others rest.
#pragma once

#include <algorithm>
#include <bit>

#include "scheduler/expansion.hpp"
#include "scheduler/knowledge.hpp"

namespace lockkeeper {

template <System S>
class Expander {
  public:
    using State = typename S::State;

    Expander(const S& system, const ExploreOptions& options, Knowledge<S>& knowledge,
             const StateStore& store)
        : system_(system),
          knowledge_(knowledge),
          store_(store),
          words_(store.words_of_record()),
          used_bytes_(used_bytes_of(system)),
          judge_(options.check),
          goals_(options.reach),
          uses_table_(has_local_steps(system) && !knowledge.codec.is_wide()),
          reduces_(has_local_steps(system) && options.reduction == Reduction::kPrivateSteps),
          sorts_(knowledge.codec.sorts()),
          visible_(judge_.observed_events() | goals_.observed_events()),
          open_(judge_.triggers() | goals_.triggers()),
          judges_rest_(judge_.judges_rest()),
          found_(judge_.properties().size(), false),
          reached_(goals_.properties().size(), false) {
        std::memset(static_cast<void*>(&before_), 0, sizeof(before_));
        std::memset(static_cast<void*>(&after_), 0, sizeof(after_));
    }

    // Reads what is known. What is not it learns if it may (then nobody else may read meanwhile),
    // or leaves it out. `out.unknown`: the states with something new.
    void expand(Expansion<S>& out, bool may_learn = false) {
        out.clear();
        may_learn_ = may_learn;
        for (std::size_t i = 0; i < out.count; ++i) {
            const StateId id = out.first + static_cast<StateId>(i);
            has_learned_ = false;
            if (!expand_one(out, id) || has_learned_) {
                out.unknown.push_back(id);
            }
        }
        forget_found();
    }

    // Learns what the state shows; while nobody else reads.
    void learn(StateId id) {
        may_learn_ = true;
        scratch_.clear();
        LOCKKEEPER_CHECK(expand_one(scratch_, id));
        forget_found();
    }

    // What has been found is not asked again.
    void close_found(const SearchProgress& progress) {
        open_ = 0;
        judges_rest_ = false;
        for (std::size_t i = 0; i < progress.first.size(); ++i) {
            if (!progress.first[i].found) {
                const Property& property = *judge_.properties()[i];
                open_ |= property.triggers;
                judges_rest_ = judges_rest_ || property.kind == PropertyKind::kAtQuiescence;
            }
        }
        for (std::size_t i = 0; i < progress.goal_reached.size(); ++i) {
            open_ |= progress.goal_reached[i] != 0 ? 0U : goals_.properties()[i]->triggers;
        }
    }

  private:
    void forget_found() {
        std::fill(found_.begin(), found_.end(), false);
        std::fill(reached_.begin(), reached_.end(), false);
    }

    // False, and without successors, when something was never seen and may not be learned.
    bool expand_one(Expansion<S>& out, StateId id) {
        id_ = id;
        record_ = store_.record(id);
        is_unpacked_ = false;
        const std::size_t successors = out.parents.size();
        steps_count_ = 0;
        faults_count_ = 0;
        bool is_known = true;
        if constexpr (LocalStepsSystem<S>) {
            is_known = uses_table_ ? expand_by_table(out) : expand_by_steps(out);
        } else {
            is_known = expand_by_steps(out);
        }
        if (!is_known) {
            out.parents.resize(successors);
            out.hashes.resize(successors);
            return false;
        }
        if (!out.only_judges) {
            out.transitions += steps_count_ + faults_count_;
            out.terminal_states += steps_count_ + faults_count_ == 0 ? 1U : 0U;
            if (steps_count_ == 0 && out.stuck.empty() && !system_.finished(unpacked())) {
                out.stuck.push_back({0, {id, {}, out.depth, true, true}});
            }
        }
        return true;
    }

    const State& unpacked() {
        if (!is_unpacked_) {
            knowledge_.codec.unpack(record_, before_);
            is_unpacked_ = true;
        }
        return before_;
    }

    // --- step by step ----------------------------------------------------------------------

    bool expand_by_steps(Expansion<S>& out) {
        judge_rest(out);
        if (out.only_judges) {
            return true;
        }
        system_.enabled(unpacked(), actions_);
        return take_each(out);
    }

    bool take_each(Expansion<S>& out) {
        for (Action action : actions_) {
            ++(is_fault(action) ? faults_count_ : steps_count_);
            std::memcpy(static_cast<void*>(&after_), &before_, used_bytes_);
            const Event event = system_.apply(after_, action);
            const ViolationPlace place{id_, action, out.depth + 1, true, false};
            judge_event(out, after_, event, place);
            if (reduces_) {
                take_private_steps(system_, after_, visible_,
                                   [&](const State& state, Action, const Event& shown) {
                                       judge_event(out, state, shown, place);
                                   });
            }
            std::uint64_t* record = out.add_record(words_);
            if (!knowledge_.codec.pack(before_, record_, after_, record)) {
                if (!may_learn_) {
                    return false;
                }
                knowledge_.codec.add(after_, record);
                knowledge_.steps.learn_parts(knowledge_.codec);
                has_learned_ = true;
            }
            out.add_successor(id_, record, words_);
        }
        return true;
    }

    // --- by the table of learned steps -------------------------------------------------------

    using Number = std::uint16_t;

    bool expand_by_table(Expansion<S>& out) requires LocalStepsSystem<S> {
        const StateCodec<S>& codec = knowledge_.codec;
        copy_words(numbers_.data(), record_, words_);
        const std::size_t slots = codec.slots_count();
        if (judges_rest_ && may_rest(slots)) {
            judge_rest(out);
        }
        if (out.only_judges) {
            return true;
        }
        for (std::size_t at = 0; at < slots; ++at) {
            const Situation* situation = look_up(numbers_.data(), at);
            if (situation == nullptr) {
                return false;
            }
            for (std::size_t i = 0; i < situation->count; ++i) {
                // Learning moves situations and steps: copies.
                const LearnedStep step = knowledge_.steps.steps(*situation)[i];
                ++(step.is_fault ? faults_count_ : steps_count_);
                if (!take(out, step, at)) {
                    return false;
                }
                if (may_learn_) {
                    situation = look_up(numbers_.data(), at);
                }
            }
        }
        if (knowledge_.steps.acts_elsewhere(numbers_[slots])) {
            system_.enabled_elsewhere(unpacked(), actions_);
            return take_each(out);
        }
        return true;
    }

    [[nodiscard]] bool may_rest(std::size_t slots) const {
        for (std::size_t at = 0; at < slots; ++at) {
            if (!knowledge_.steps.may_rest(numbers_[at])) {
                return false;
            }
        }
        return true;
    }

    const Situation* look_up(const Number* numbers, std::size_t at) {
        const std::size_t slots = knowledge_.codec.slots_count();
        const Situation* known = knowledge_.steps.find(numbers, slots, at);
        if (known == nullptr && may_learn_) {
            knowledge_.steps.learn(knowledge_.codec, numbers, at);
            has_learned_ = true;
            known = knowledge_.steps.find(numbers, slots, at);
        }
        return known;
    }

    bool take(Expansion<S>& out, const LearnedStep& step, std::size_t at) {
        Action action = step.action;
        action.actor = static_cast<std::uint8_t>(at);
        const ViolationPlace place{id_, action, out.depth + 1, true, false};
        judge_learned(out, step.what, numbers_.data(), action, place);
        std::uint64_t* record = out.add_record(words_);
        if (!reduces_ && !sorts_) {
            change_record(record, step, at);
        } else if (!change_and_reduce(out, record, step, at, place)) {
            return false;
        }
        out.add_successor(id_, record, words_);
        return true;
    }

    // False: a private step of the successor was never seen.
    bool change_and_reduce(Expansion<S>& out, std::uint64_t* record, const LearnedStep& step,
                           std::size_t at, const ViolationPlace& place) {
        std::array<Number, StateCodec<S>::kNumbersMax + 32> next;  // whole words
        copy_words(next.data(), numbers_.data(), words_);
        change(next.data(), step, at);
        if (reduces_) {
            if (!take_private(out, next.data(), at, place)) {
                return false;
            }
            knowledge_.codec.sort_all(next.data());
        } else {
            knowledge_.codec.sort_caller(next.data(), at);
        }
        copy_words(record, next.data(), words_);
        return true;
    }

    // change(), in whole words: reading a word of which a part was just written costs a dozen
    // cycles.
    void change_record(std::uint64_t* record, const LearnedStep& step, std::size_t at) const {
        const std::size_t slots = knowledge_.codec.slots_count();
        copy_words(record, record_, words_);
        put(record, at, step.slot);
        put(record, slots, step.shared);
        if (step.tail != LearnedStep::kAsBefore) {
            put(record, slots + 1, step.tail);
        }
    }
    static void put(std::uint64_t* record, std::size_t at, Number number) {
        static_assert(std::endian::native == std::endian::little, "the order of numbers in a word");
        constexpr std::size_t kBits = 16;
        constexpr std::size_t kNumbersOfWord = sizeof(std::uint64_t) / sizeof(Number);
        const std::size_t shift = at % kNumbersOfWord * kBits;
        std::uint64_t& word = record[at / kNumbersOfWord];
        word = (word & ~(std::uint64_t{0xFFFF} << shift)) | std::uint64_t{number} << shift;
    }

    void change(Number* numbers, const LearnedStep& step, std::size_t at) const {
        const std::size_t slots = knowledge_.codec.slots_count();
        numbers[at] = step.slot;
        numbers[slots] = step.shared;
        if (step.tail != LearnedStep::kAsBefore) {
            numbers[slots + 1] = step.tail;
        }
    }

    // Private steps of the slot that acted; of all slots when what they depend on has changed.
    bool take_private(Expansion<S>& out, Number* next, std::size_t at,
                      const ViolationPlace& place) {
        const std::size_t slots = knowledge_.codec.slots_count();
        bool look_at_all =
            next[slots + 1] != numbers_[slots + 1] ||
            knowledge_.steps.mode(next[slots]) != knowledge_.steps.mode(numbers_[slots]);
        int taken = 0;
        for (std::size_t slot = look_at_all ? 0 : at; slot < slots;) {
            const Situation* situation = look_up(next, slot);
            if (situation == nullptr) {
                return false;
            }
            if (situation->private_step == Situation::kNone) {
                if (!look_at_all) {
                    break;
                }
                ++slot;
                continue;
            }
            ++taken;
            LOCKKEEPER_CHECK(taken < kPrivateStepsMax);
            const LearnedStep step = knowledge_.steps.steps(*situation)[situation->private_step];
            Action action = step.action;
            action.actor = static_cast<std::uint8_t>(slot);
            judge_learned(out, step.what, next, action, place);
            const Number tail = next[slots + 1];
            const std::uint8_t mode = knowledge_.steps.mode(next[slots]);
            change(next, step, slot);
            if (next[slots + 1] != tail || knowledge_.steps.mode(next[slots]) != mode) {
                look_at_all = true;
                slot = 0;
            }
        }
        return true;
    }

    // Few steps show anything that is still asked about: those are taken in earnest.
    void judge_learned(Expansion<S>& out, std::uint32_t what, const Number* numbers, Action action,
                       const ViolationPlace& place) {
        if ((what & open_) == 0) {
            return;
        }
        knowledge_.codec.unpack_numbers(numbers, after_);
        const Event event = system_.apply(after_, action);
        judge_event(out, after_, event, place);
    }

    // --- judging ---------------------------------------------------------------------------

    void judge_rest(Expansion<S>& out) {
        if (judges_rest_) {
            judge_.judge_rest(system_, unpacked(), [&](std::size_t property) {
                note(out, property, {id_, {}, out.depth, true, true});
            });
        }
    }

    void judge_event(Expansion<S>& out, const State& state, const Event& event,
                     const ViolationPlace& place) {
        if ((event.what & open_) == 0) {
            return;
        }
        if (judge_.interested_in(event)) {
            judge_.judge_step(system_, state, event,
                              [&](std::size_t property) { note(out, property, place); });
        }
        if (goals_.interested_in(event)) {
            goals_.judge_step(system_, state, event, [&](std::size_t goal) {
                if (!reached_[goal]) {
                    reached_[goal] = true;
                    out.goals.push_back(goal);
                }
            });
        }
    }

    void note(Expansion<S>& out, std::size_t property, const ViolationPlace& place) {
        if (!found_[property]) {
            found_[property] = true;
            out.found.push_back({property, place});
        }
    }

    const S& system_;
    Knowledge<S>& knowledge_;
    const StateStore& store_;
    std::size_t words_;
    std::size_t used_bytes_;  // of a State
    Judge judge_;
    Judge goals_;
    bool uses_table_;
    bool reduces_;
    bool sorts_;
    std::uint32_t visible_;
    std::uint32_t open_;  // events that somebody still asks about
    bool judges_rest_;
    bool may_learn_ = false;
    bool has_learned_ = false;
    // The state being expanded.
    StateId id_ = kNoState;
    const std::uint64_t* record_ = nullptr;
    bool is_unpacked_ = false;
    std::size_t steps_count_ = 0;
    std::size_t faults_count_ = 0;
    std::array<Number, 64> numbers_{};
    ActionList actions_;
    State before_;
    State after_;
    Expansion<S> scratch_;  // of a state that is learned from
    std::vector<bool> found_;
    std::vector<bool> reached_;
};

}  // namespace lockkeeper
