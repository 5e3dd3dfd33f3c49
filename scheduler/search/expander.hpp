// SPDX-License-Identifier: Apache-2.0

// One worker's tools for expanding states. Successors come from the table of learned steps
// (step_table.hpp) where the System allows it; otherwise each step is executed
// (executed_steps.hpp). What either meets for the first time is left to the explorer, which
// lets one worker learn while the others rest.
#pragma once

#include <algorithm>
#include <array>

#include "scheduler/search/executed_steps.hpp"
#include "scheduler/states/step_rows.hpp"

namespace lockkeeper {

template <System S>
class Expander : private ExecutedSteps<S> {
    using Base = ExecutedSteps<S>;

  public:
    using State = typename S::State;

    Expander(const S& system, const ExploreOptions& options, Knowledge<S>& knowledge,
             const StateStore& store)
        : Base(system, options, knowledge, store.shape()),
          store_(store),
          uses_table_(has_local_steps(system) && !knowledge.codec.is_wide()),
          sorts_(knowledge.codec.sorts()),
          uses_rows_(uses_table_ && shape_.is_packed && !reduces_),
          passes_over_(may_use_sleep_sets(system, options) && store.knows_by_slot()),
          rows_(group_of_slots(system, options.symmetry)) {}

    // Reads what is known. What is not it learns if it may (then nobody else may read meanwhile),
    // or leaves it out. `out.unknown`: the states with something new.
    void expand(Expansion<S>& out, bool may_learn = false) {
        out.clear();
        may_learn_ = may_learn;
        Base::begin_expansion(goes_ahead());
        const bool unpacks_all = !uses_table_ && !store_.is_partly_on_disk();
        for (std::size_t i = 0; i < out.count; ++i) {
            const StateId id = out.first + static_cast<StateId>(i);
            if (unpacks_all && i + 1 < out.count) {
                knowledge_.codec.prefetch_parts(store_.record(id + 1, cache_));
            }
            has_learned_ = false;
            if (!expand_one(out, id, store_.record(id, cache_)) || has_learned_) {
                Base::finish(out);
                Base::note_unknown(out, id);
            }
        }
        Base::finish(out);
        judge_.begin();
    }

    // Learns what the state shows; while nobody else reads. `record`: of one that another process
    // keeps, or nullptr.
    void learn(StateId id, const std::uint64_t* record = nullptr) {
        may_learn_ = true;
        scratch_.clear();
        Base::begin_expansion(goes_ahead());
        LOCKKEEPER_CHECK(
            expand_one(scratch_, id, record == nullptr ? store_.record(id, cache_) : record));
        Base::finish(scratch_);
        judge_.begin();
    }

    // Before each round: all workers have found the same, and go the same way. `states`: so many
    // are known.
    void begin_round(const SearchProgress& progress, [[maybe_unused]] std::uint64_t states) {
        judge_.close_found(progress);
        if constexpr (kHintsOf<S>.wide_steps) {
            uses_table_ = uses_table_ && knowledge_.steps.pays(states);
        }
    }
    [[nodiscard]] std::size_t bytes() const { return rows_.bytes() + scratch_.successors.bytes(); }

  private:
    using Base::actions_;
    using Base::execute;
    using Base::faults_count_;
    using Base::has_learned_;
    using Base::id_;
    using Base::judge_;
    using Base::judge_learned;
    using Base::knowledge_;
    using Base::made_;
    using Base::may_learn_;
    using Base::record_;
    using Base::reduces_;
    using Base::shape_;
    using Base::steps_count_;
    using Base::system_;
    using Base::take_each;
    using Base::unpacked;
    using typename Base::Number;

    // Where all successors come by put(). Packed records have few parts, in tables that the cache
    // holds: beginning several steps costs more than it saves there.
    [[nodiscard]] bool goes_ahead() const {
        return !shape_.is_packed && (kHintsOf<S>.wide_steps || !uses_table_);
    }

    // False: something was never seen and may not be learned; successors may be missing.
    bool expand_one(Expansion<S>& out, StateId id, const std::uint64_t* record) {
        Base::begin(id, record);
        bool is_known = true;
        if constexpr (kHintsOf<S>.local_steps) {
            is_known = expand_by_parts(out);
        } else {
            is_known = Base::expand_by_executing(out);
        }
        if (!is_known) {
            return false;
        }
        if (!out.only_judges) {
            out.transitions += steps_count_ + faults_count_;
            out.terminal_states += steps_count_ + faults_count_ == 0 ? 1U : 0U;
            if (steps_count_ == 0 && !system_.finished(unpacked())) {
                note_end(out, id);
            }
        }
        return true;
    }

    // Nobody can go on, and somebody is unfinished.
    void note_end(Expansion<S>& out, StateId id) {
        std::vector<FoundHere>& ends =
            time_is_over(system_, unpacked()) ? out.time_over : out.stuck;
        if (ends.empty()) {
            ends.push_back({0, {id, {}, out.depth, true, true}});
        }
    }

    // --- by the table of learned steps -------------------------------------------------------

    bool expand_by_parts(Expansion<S>& out) requires(kHintsOf<S>.local_steps) {
        if (!uses_table_) {
            return Base::expand_by_executing(out);
        }
        if (judge_.judges_rest() || out.only_judges) {
            knowledge_.codec.to_numbers(record_, numbers_.data());
            if (judge_.judges_rest() &&
                knowledge_.steps.may_rest(numbers_.data(), knowledge_.codec.slots_count())) {
                judge_.judge_rest(out, unpacked(), id_);
            }
            if (out.only_judges) {
                return true;
            }
        }
        uses_rows_ = uses_rows_ && rows_.pays();
        if (uses_rows_) {
            const bool is_known = expand_by_rows(out);
            if (uses_rows_) {
                return is_known;
            }
        }
        return expand_by_table(out);
    }

    // --- by what this worker has looked up there: packed records ------------------------------

    bool expand_by_rows(Expansion<S>& out) requires(kHintsOf<S>.local_steps) {
        const Packing& packing = knowledge_.codec.packing();
        const std::uint64_t word = gathered(*record_);
        const std::uint64_t rest = word >> packing.shift_of_shared();
        const StepRows::Entry* row = rows_.row(rest);
        const StateId parent = id_;
        const std::uint32_t open = judge_.open();
        const SleepSet asleep(passes_over_ ? note_of(*record_) : 0, knowledge_.steps.footprints());
        std::size_t made = 0;
        std::size_t faults = 0;
        for (std::size_t at = 0; at < packing.slots_count(); ++at) {
            const auto shift = static_cast<unsigned>(at) * packing.slot_bits();
            const std::uint64_t slot = packing.slot(word, at);
            StepRows::Entry entry = slot < rows_.stride() ? row[rows_.first_of(at) + slot] : 0;
            if (entry == 0) {
                if (!look_up_row(out, word, at)) {
                    return false;
                }
                row = rows_.row(rest);
                entry = row[rows_.first_of(at) + slot];
            }
            const unsigned kinds_asleep = asleep.of(at);
            const std::size_t noted = sorts_ ? rows_.group(at).first : at;
            const PackedStep* step = rows_.steps(entry);
            const PackedStep* const end = step + StepRows::count(entry);
            for (; step != end; ++step) {
                faults += step->is_fault;
                if (is_wide(step->footprint)) {
                    if (!execute(out, action_of(*step, at))) {
                        return false;
                    }
                    continue;
                }
                if ((step->what & open) != 0) {
                    judge_row(out, word, at, static_cast<std::size_t>(step - rows_.steps(entry)));
                }
                if ((kinds_asleep >> step->footprint & 1U) != 0) {
                    continue;
                }
                std::uint64_t after = word ^ step->rest ^ std::uint64_t{step->slot} << shift;
                if (sorts_) {
                    after = packing.in_order(after, at, rows_.group(at));
                }
                const unsigned note = passes_over_ ? SleepSet::note(noted, step->footprint) : 0;
                out.successors.put_packed(scattered(after) | note, parent);
            }
            made += StepRows::count(entry);
        }
        steps_count_ = made - faults;
        faults_count_ = faults;
        if (knowledge_.steps.acts_elsewhere(static_cast<Number>(packing.shared(word)))) {
            system_.enabled_elsewhere(unpacked(), actions_);
            return take_each(out);
        }
        return true;
    }

    bool look_up_row(Expansion<S>& out, std::uint64_t word, std::size_t at) {
        const Packing& packing = knowledge_.codec.packing();
        packing.unpack(word, numbers_.data());
        const Situation* situation = look_up(out, numbers_.data(), at);
        if (situation == nullptr) {
            return false;
        }
        if (situation->count > StepRows::kStepsMost) {
            uses_rows_ = false;
            return false;
        }
        const LearnedStep* first = knowledge_.steps.steps(*situation);
        row_steps_.clear();
        for (std::size_t i = 0; i < situation->count; ++i) {
            row_steps_.push_back(packed_step(first[i], numbers_.data(), at, packing));
        }
        rows_.add(word >> packing.shift_of_shared(), at, numbers_[at], row_steps_);
        return true;
    }

    // The `i`th of the steps of slot `at` shows something that is still asked about.
    void judge_row(Expansion<S>& out, std::uint64_t word, std::size_t at, std::size_t i) {
        knowledge_.codec.packing().unpack(word, numbers_.data());
        const LearnedStep& step = knowledge_.steps.steps(*look_up(out, numbers_.data(), at))[i];
        Action action = step.action;
        action.actor = static_cast<std::uint8_t>(at);
        judge_learned(out, step.what, numbers_.data(), action,
                      {id_, action, out.depth + 1, true, false});
    }

    bool expand_by_table(Expansion<S>& out) requires(kHintsOf<S>.local_steps) {
        const StateCodec<S>& codec = knowledge_.codec;
        codec.to_numbers(record_, numbers_.data());
        const std::size_t slots = codec.slots_count();
        for (std::size_t at = 0; at < slots; ++at) {
            const Situation* situation = look_up(out, numbers_.data(), at);
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
                    situation = look_up(out, numbers_.data(), at);
                }
            }
        }
        if (knowledge_.steps.acts_elsewhere(numbers_[slots])) {
            system_.enabled_elsewhere(unpacked(), actions_);
            return take_each(out);
        }
        return true;
    }

    const Situation* look_up(Expansion<S>& out, const Number* numbers, std::size_t at) {
        const std::size_t slots = knowledge_.codec.slots_count();
        const Situation* known = knowledge_.steps.find(numbers, slots, at);
        if (known == nullptr && may_learn_) {
            Base::finish(out);  // parts have numbers in the order of the steps
            knowledge_.steps.learn(knowledge_.codec, numbers, at);
            has_learned_ = true;
            known = knowledge_.steps.find(numbers, slots, at);
        }
        return known;
    }

    bool take(Expansion<S>& out, const LearnedStep& step, std::size_t at) {
        Action action = step.action;
        action.actor = static_cast<std::uint8_t>(at);
        if (is_wide(step.footprint)) {
            return execute(out, action);
        }
        const ViolationPlace place{id_, action, out.depth + 1, true, false};
        judge_learned(out, step.what, numbers_.data(), action, place);
        std::uint64_t* record = made_.data();
        if (!change_and_reduce(out, record, step, at, place)) {
            return false;
        }
        Base::put(out, record);
        return true;
    }

    // False: a private step of the successor was never seen.
    bool change_and_reduce(Expansion<S>& out, std::uint64_t* record, const LearnedStep& step,
                           std::size_t at, const ViolationPlace& place) {
        typename StateCodec<S>::Numbers next;
        constexpr std::size_t kNumbersOfWord = sizeof(std::uint64_t) / sizeof(Number);
        std::copy_n(
            numbers_.begin(),
            shape_.is_packed ? knowledge_.codec.slots_count() + 2 : shape_.words * kNumbersOfWord,
            next.begin());
        step.change(next.data(), knowledge_.codec.slots_count(), at);
        if (reduces_) {
            if (!take_private(out, next.data(), at, place)) {
                return false;
            }
            knowledge_.codec.sort_all(next.data());
        } else {
            knowledge_.codec.sort_caller(next.data(), at);
        }
        knowledge_.codec.to_record(next.data(), record);
        return true;
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
            const Situation* situation = look_up(out, next, slot);
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
            step.change(next, slots, slot);
            if (next[slots + 1] != tail || knowledge_.steps.mode(next[slots]) != mode) {
                look_at_all = true;
                slot = 0;
            }
        }
        return true;
    }

    static constexpr std::size_t room_for_numbers() {
        if constexpr (kHintsOf<S>.local_steps) {
            return std::tuple_size_v<typename StateCodec<S>::Numbers>;
        }
        return 0;
    }
    [[nodiscard]] static bool is_wide(std::uint8_t footprint) {
        return kHintsOf<S>.wide_steps && footprint == LearnedStep::kWide;
    }

    const StateStore& store_;
    RecordCache cache_;
    bool uses_table_;
    bool sorts_;
    bool uses_rows_;
    bool passes_over_;  // by sleep sets
    StepRows rows_;
    std::vector<PackedStep> row_steps_;
    std::array<Number, room_for_numbers()> numbers_{};  // of the state, where steps are learned
    Expansion<S> scratch_;                              // of a state that is learned from
};

}  // namespace lockkeeper
