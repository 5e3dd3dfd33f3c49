// SPDX-License-Identifier: Apache-2.0

// Any System behind one interface, so that the searches are compiled once for all of them. A
// search takes most of a minute to compile; a World takes seconds. For systems whose speed is not
// everything: each call goes through a virtual function. Where the system says which steps concern
// only their own slot, searches learn these (StepTable); all other steps are executed.
//
// Errors: a State that is too large does not compile.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "model/action_class.hpp"
#include "model/faults_left.hpp"
#include "model/system.hpp"

namespace lockkeeper {

class ErasedSystem {
  public:
    static constexpr std::size_t kStateBytesMax = 1792;
    struct State {
        alignas(std::uint64_t) std::array<std::byte, kStateBytesMax> bytes;
    };

    template <System S>
        requires(!std::same_as<S, ErasedSystem>)
    explicit ErasedSystem(S system)
        : system_(std::make_shared<const Adapter<S>>(std::move(system))) {
        using Inner = typename S::State;
        static_assert(sizeof(Inner) <= kStateBytesMax);
        static_assert(std::is_trivially_copyable_v<Inner> && alignof(Inner) <= 8);
    }

    static constexpr Hints kHints{.symmetry = true,
                                  .parts = Hints::Parts::kAtRunTime,
                                  .local_steps = true,
                                  .wide_steps = true,
                                  .faults_left = true,
                                  .relative_time = true};

    // Returns how many bytes of a State are used; the others are zero.
    [[nodiscard]] std::size_t used_bytes() const { return system_->used_bytes(); }

    // Where the parts of a State lie; a System without parts is one part.
    static constexpr std::size_t kSlotsMax = kCallersMax;
    [[nodiscard]] PartLayout parts() const { return system_->parts(); }
    [[nodiscard]] std::size_t slots_count() const { return system_->slots_count(); }
    [[nodiscard]] std::uint8_t group(std::size_t slot) const { return system_->group(slot); }

    [[nodiscard]] State initial() const {
        if (first_) {
            return *first_;
        }
        State state{};
        system_->initial(state);
        keep_relative(state);
        return state;
    }
    // Returns the same system with `state`, one of its own, as the first state: for searching how a
    // run that has reached `state` can go on.
    [[nodiscard]] ErasedSystem beginning_in(const State& state) const {
        ErasedSystem later = *this;
        later.first_ = std::make_shared<const State>(state);
        return later;
    }
    // LimitExceeded: in relative time there is no number for the next instant.
    void enabled(const State& state, ActionList& out) const {
        system_->enabled(state, out);
        if (is_relative_ && !system_->has_time_left()) {
            const auto* const time = std::find_if(out.begin(), out.end(), [](Action action) {
                return action.kind == ActionKind::kTime;
            });
            if (time == out.end() && system_->time_is_over(state)) {
                throw LimitExceeded("relative time beyond the last number");
            }
        }
    }
    Event apply(State& state, Action action) const {
        const Event event = system_->apply(state, action);
        keep_relative(state);
        return event;
    }
    void observe(const State& state, Observation& out) const { system_->observe(state, out); }
    // The same system in relative time, which touches all of a state after each step.
    [[nodiscard]] bool has_relative_time() const { return system_->has_relative_time(); }
    [[nodiscard]] bool has_time_left() const { return system_->has_time_left(); }
    void make_relative(State& state) const { system_->make_relative(state); }
    [[nodiscard]] ErasedSystem in_relative_time() const {
        ErasedSystem relative = *this;
        relative.is_relative_ = true;
        return relative;
    }
    // Steps that a slot takes by itself (Hints::wide_steps). No step is private.
    [[nodiscard]] bool has_local_steps() const {
        return !is_relative_ && system_->has_local_steps();
    }
    // True: no function of the lock receives the records of several callers (Traits::by_record).
    [[nodiscard]] bool acts_by_record() const { return !is_relative_ && system_->acts_by_record(); }
    void enabled_of(const State& state, std::size_t slot, ActionList& out) const {
        system_->enabled_of(state, slot, out);
    }
    void enabled_elsewhere(const State& state, ActionList& out) const {
        system_->enabled_elsewhere(state, out);
    }
    bool apply_alone(State& state, Action action, Event& event) const {
        return system_->apply_alone(state, action, event);
    }
    [[nodiscard]] bool acts_elsewhere(const State& state) const {
        return system_->acts_elsewhere(state);
    }
    [[nodiscard]] bool may_rest(const State& state, std::size_t slot) const {
        return system_->may_rest(state, slot);
    }
    [[nodiscard]] static bool reads_rest(const State&, std::size_t) { return true; }
    [[nodiscard]] static bool is_private(const State&, Action, std::uint32_t) { return false; }
    [[nodiscard]] static std::uint8_t mode(const State&) { return 0; }

    [[nodiscard]] ActionClass class_of(const State& state, Action action) const {
        return system_->class_of(state, action);
    }
    [[nodiscard]] bool quiescent(const State& state) const { return system_->quiescent(state); }
    [[nodiscard]] bool finished(const State& state) const { return system_->finished(state); }
    [[nodiscard]] bool time_is_over(const State& state) const {
        return system_->time_is_over(state);
    }
    void canonicalize(State& state) const { system_->canonicalize(state); }
    // False: the system does not say which faults are left.
    [[nodiscard]] bool has_faults_left() const {
        return system_->has_faults_left() || (is_relative_ && system_->has_time_left());
    }
    void faults_left(const State& state, FaultsLeft& out) const {
        system_->faults_left(state, out);
    }
    void forget_faults_left(State& state) const { system_->forget_faults_left(state); }
    [[nodiscard]] std::string describe(const State& state, Action action) const {
        return system_->describe(state, action);
    }
    [[nodiscard]] ServerAct server_act(const State& state, Action action) const {
        return system_->server_act(state, action);
    }
    [[nodiscard]] ServerRow server_row(const State& state, std::size_t key) const {
        return system_->server_row(state, key);
    }
    [[nodiscard]] std::string show(const State& state) const { return system_->show(state); }
    [[nodiscard]] StepWords words_of(const State& state, Action action) const {
        return system_->words_of(state, action);
    }
    [[nodiscard]] CallerShown shown_of(const State& state, std::size_t caller) const {
        return system_->shown_of(state, caller);
    }
    [[nodiscard]] ShownNames shown_names() const { return system_->shown_names(); }
    [[nodiscard]] std::string error_name(unsigned number) const {
        return system_->error_name(number);
    }
    [[nodiscard]] std::string error_code(unsigned number) const {
        return system_->error_code(number);
    }

  private:
    struct Interface {
        Interface() = default;
        Interface(const Interface&) = delete;
        Interface& operator=(const Interface&) = delete;
        virtual ~Interface() = default;

        [[nodiscard]] virtual std::size_t used_bytes() const = 0;
        [[nodiscard]] virtual PartLayout parts() const = 0;
        [[nodiscard]] virtual std::size_t slots_count() const = 0;
        [[nodiscard]] virtual std::uint8_t group(std::size_t slot) const = 0;
        virtual void initial(State& state) const = 0;
        virtual void enabled(const State& state, ActionList& out) const = 0;
        virtual Event apply(State& state, Action action) const = 0;
        virtual void observe(const State& state, Observation& out) const = 0;
        [[nodiscard]] virtual bool has_local_steps() const = 0;
        [[nodiscard]] virtual bool acts_by_record() const = 0;
        virtual void enabled_of(const State& state, std::size_t slot, ActionList& out) const = 0;
        virtual void enabled_elsewhere(const State& state, ActionList& out) const = 0;
        virtual bool apply_alone(State& state, Action action, Event& event) const = 0;
        [[nodiscard]] virtual bool acts_elsewhere(const State& state) const = 0;
        [[nodiscard]] virtual bool may_rest(const State& state, std::size_t slot) const = 0;
        [[nodiscard]] virtual ActionClass class_of(const State& state, Action action) const = 0;
        [[nodiscard]] virtual bool quiescent(const State& state) const = 0;
        [[nodiscard]] virtual bool finished(const State& state) const = 0;
        [[nodiscard]] virtual bool time_is_over(const State& state) const = 0;
        virtual void canonicalize(State& state) const = 0;
        [[nodiscard]] virtual bool has_faults_left() const = 0;
        virtual void faults_left(const State& state, FaultsLeft& out) const = 0;
        virtual void forget_faults_left(State& state) const = 0;
        [[nodiscard]] virtual bool has_relative_time() const = 0;
        [[nodiscard]] virtual bool has_time_left() const = 0;
        virtual void make_relative(State& state) const = 0;
        [[nodiscard]] virtual std::string describe(const State& state, Action action) const = 0;
        [[nodiscard]] virtual ServerAct server_act(const State& state, Action action) const = 0;
        [[nodiscard]] virtual ServerRow server_row(const State& state, std::size_t key) const = 0;
        [[nodiscard]] virtual std::string show(const State& state) const = 0;
        [[nodiscard]] virtual StepWords words_of(const State& state, Action action) const = 0;
        [[nodiscard]] virtual CallerShown shown_of(const State& state,
                                                   std::size_t caller) const = 0;
        [[nodiscard]] virtual ShownNames shown_names() const = 0;
        [[nodiscard]] virtual std::string error_name(unsigned number) const = 0;
        [[nodiscard]] virtual std::string error_code(unsigned number) const = 0;
    };

    template <class S>
    class Adapter : public Interface {
      public:
        explicit Adapter(S system) : system_(std::move(system)) {}

        [[nodiscard]] std::size_t used_bytes() const override { return sizeof(Inner); }
        [[nodiscard]] PartLayout parts() const override { return layout_of(system_); }
        [[nodiscard]] std::size_t slots_count() const override { return slots_count_of(system_); }
        [[nodiscard]] std::uint8_t group(std::size_t slot) const override {
            if constexpr (kHasParts<S>) {
                return system_.group(slot);
            } else {
                return static_cast<std::uint8_t>(slot);
            }
        }
        void initial(State& state) const override {
            const Inner inner = system_.initial();
            std::memcpy(state.bytes.data(), &inner, sizeof(inner));
        }
        void enabled(const State& state, ActionList& out) const override {
            system_.enabled(inside(state), out);
        }
        Event apply(State& state, Action action) const override {
            return system_.apply(inside(state), action);
        }
        void observe(const State& state, Observation& out) const override {
            system_.observe(inside(state), out);
        }
        [[nodiscard]] bool has_local_steps() const override {
            if constexpr (kHasLocalSteps) {
                return system_.has_partly_local_steps();
            } else {
                return false;
            }
        }
        [[nodiscard]] bool acts_by_record() const override {
            if constexpr (requires { system_.acts_by_record(); }) {
                return system_.acts_by_record();
            } else {
                return false;
            }
        }
        void enabled_of([[maybe_unused]] const State& state, [[maybe_unused]] std::size_t slot,
                        ActionList& out) const override {
            out.clear();
            if constexpr (kHasLocalSteps) {
                system_.enabled_of(inside(state), slot, out);
            }
        }
        void enabled_elsewhere(const State& state, ActionList& out) const override {
            if constexpr (kHasLocalSteps) {
                system_.enabled_elsewhere(inside(state), out);
            } else {
                system_.enabled(inside(state), out);
            }
        }
        bool apply_alone(State& state, Action action, Event& event) const override {
            if constexpr (kHasLocalSteps) {
                return system_.apply_alone(inside(state), action, event);
            } else {
                event = system_.apply(inside(state), action);
                return false;
            }
        }
        [[nodiscard]] bool acts_elsewhere(const State& state) const override {
            if constexpr (kHasLocalSteps) {
                return system_.acts_elsewhere(inside(state));
            } else {
                return true;
            }
        }
        [[nodiscard]] bool may_rest([[maybe_unused]] const State& state,
                                    [[maybe_unused]] std::size_t slot) const override {
            if constexpr (kHasLocalSteps) {
                return system_.may_rest(inside(state), slot);
            } else {
                return true;
            }
        }
        [[nodiscard]] ActionClass class_of(const State& state, Action action) const override {
            return lockkeeper::class_of(system_, inside(state), action);
        }
        [[nodiscard]] bool quiescent(const State& state) const override {
            return system_.quiescent(inside(state));
        }
        [[nodiscard]] bool finished(const State& state) const override {
            return system_.finished(inside(state));
        }
        [[nodiscard]] bool time_is_over(const State& state) const override {
            return lockkeeper::time_is_over(system_, inside(state));
        }
        void canonicalize(State& state) const override {
            if constexpr (kHintsOf<S>.symmetry) {
                system_.canonicalize(inside(state));
            }
        }
        [[nodiscard]] bool has_faults_left() const override {
            if constexpr (kHintsOf<S>.faults_left) {
                return system_.has_faults_left();
            }
            return false;
        }
        void faults_left([[maybe_unused]] const State& state,
                         [[maybe_unused]] FaultsLeft& out) const override {
            if constexpr (kHintsOf<S>.faults_left) {
                system_.faults_left(inside(state), out);
            }
        }
        void forget_faults_left([[maybe_unused]] State& state) const override {
            if constexpr (kHintsOf<S>.faults_left) {
                system_.forget_faults_left(inside(state));
            }
        }
        [[nodiscard]] bool has_relative_time() const override {
            if constexpr (kHintsOf<S>.relative_time) {
                return system_.has_relative_time();
            }
            return false;
        }
        [[nodiscard]] bool has_time_left() const override {
            if constexpr (requires { system_.has_time_left(); }) {
                return system_.has_time_left();
            }
            return false;
        }
        void make_relative([[maybe_unused]] State& state) const override {
            if constexpr (kHintsOf<S>.relative_time) {
                system_.make_relative(inside(state));
            }
        }
        [[nodiscard]] std::string describe(const State& state, Action action) const override {
            return system_.describe(inside(state), action);
        }
        [[nodiscard]] ServerAct server_act(const State& state, Action action) const override {
            return lockkeeper::server_act(system_, inside(state), action);
        }
        [[nodiscard]] ServerRow server_row(const State& state, std::size_t key) const override {
            return lockkeeper::server_row(system_, inside(state), key);
        }
        [[nodiscard]] std::string show(const State& state) const override {
            return system_.show(inside(state));
        }
        [[nodiscard]] StepWords words_of(const State& state, Action action) const override {
            return lockkeeper::words_of(system_, inside(state), action);
        }
        [[nodiscard]] CallerShown shown_of(const State& state, std::size_t caller) const override {
            return lockkeeper::shown_of(system_, inside(state), caller);
        }
        [[nodiscard]] ShownNames shown_names() const override {
            return lockkeeper::shown_names(system_);
        }
        [[nodiscard]] std::string error_name(unsigned number) const override {
            return lockkeeper::error_name(system_, number);
        }
        [[nodiscard]] std::string error_code(unsigned number) const override {
            return lockkeeper::error_code(system_, number);
        }

      private:
        using Inner = typename S::State;
        static constexpr bool kHasLocalSteps = kHintsOf<S>.local_steps;
        // An array of bytes is storage for any trivially copyable value of its size.
        static Inner& inside(State& state) {
            return *std::launder(reinterpret_cast<Inner*>(state.bytes.data()));
        }
        static const Inner& inside(const State& state) {
            return *std::launder(reinterpret_cast<const Inner*>(state.bytes.data()));
        }

        S system_;
    };

    void keep_relative(State& state) const {
        if (is_relative_) {
            system_->make_relative(state);
        }
    }

    std::shared_ptr<const Interface> system_;
    std::shared_ptr<const State> first_;  // null: as the system says
    bool is_relative_ = false;
};
static_assert(System<ErasedSystem>);

}  // namespace lockkeeper
