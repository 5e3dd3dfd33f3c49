// The System made of an implementation, the callers' scripts and the faults allowed.
//
// One transition is one atomic step of one party. A call and its first step are one transition:
// nobody can tell a caller that is about to call from one that has called and not yet stepped,
// except through its belief to hold, which ends with the call of release. A return and the step
// that decides it are one transition, as in `reference`: only then does belief begin.
//
// Order of enabled(): steps of callers 0..n-1, the implementation's background, crashes of
// callers 0..n-1, the next resize.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "model/implementation.hpp"
#include "model/world_config.hpp"

namespace lockkeeper {

template <Implementation I>
class World {
  public:
    using Size = typename I::Size;
    using Pc = typename Size::Pc;
    using Count = typename Size::Count;
    static constexpr std::size_t kCallers = Size::kCallers;
    static constexpr std::size_t kKeys = Size::kKeys;
    static constexpr std::size_t kRemembered = Size::kRemembered;

    enum class Status : Count {
        kResting,   // between two operations, or at the end of the script
        kCalling,   // inside an operation
        kRetrying,  // refused, and about to begin the same acquire again
        kDead,
    };

    struct Slot {
        Pc pc;                                         // next (or current) operation of the script
        std::array<Count, kKeys> held;                 // locks believed to be held
        Count certain_least;                           // monitors of the acquire under way;
        Count possible_most;                           //   zero unless `watches_others`
        std::array<std::array<std::uint8_t, kRemembered>, kKeys> remembered;
        Status status;
        typename I::Call call;
        typename I::Record record;
    };

    struct State {
        std::array<Slot, kCallers> slots;
        typename I::Shared shared;
        std::uint8_t crashes;
        std::uint8_t resizes;
        std::array<std::uint8_t, 8 - (sizeof(slots) + sizeof(shared) + 2) % 8> padding;
    };

    World(I implementation, WorldConfig config)
        : implementation_(std::move(implementation)), config_(std::move(config)) {
        LOCKKEEPER_CHECK(config_.callers.size() <= kCallers);
        LOCKKEEPER_CHECK(config_.keys.size() <= kKeys && !config_.views.empty());
        for (const CallerConfig& caller : config_.callers) {
            LOCKKEEPER_CHECK(caller.script.size() <= std::numeric_limits<Pc>::max());
        }
    }

    [[nodiscard]] const WorldConfig& config() const { return config_; }
    [[nodiscard]] const I& implementation() const { return implementation_; }

    [[nodiscard]] State initial() const {
        State state{};
        state.shared = implementation_.initial_shared();
        return state;
    }

    void enabled(const State& state, ActionList& out) const {
        out.clear();
        for (std::size_t i = 0; i < config_.callers.size(); ++i) {
            const Slot& slot = state.slots[i];
            const bool can_step =
                slot.status == Status::kCalling
                    ? !implementation_.blocked(state.shared, slot.record, slot.call)
                    : (slot.status == Status::kRetrying ||
                       (slot.status == Status::kResting && slot.pc < config_.callers[i].script.size()));
            if (can_step) {
                out.add({static_cast<std::uint8_t>(i), ActionKind::kStep, 0});
            }
        }
        implementation_.background(state.shared, records(state), out);
        if (state.crashes < config_.crashes_max) {
            add_crashes(state, out);
        }
        if (state.resizes < config_.resizes_max()) {
            out.add({0, ActionKind::kResize, 0});
        }
    }

    Event apply(State& state, Action action) const {
        Event event;
        switch (action.kind) {
            case ActionKind::kStep: step(state, action.actor, event); break;
            case ActionKind::kBackground:
                implementation_.apply_background(state.shared, records(state), action, event);
                break;
            case ActionKind::kCrash:
                event.what = kCrashed;
                event.caller = action.actor;
                ++state.crashes;
                die(state, action.actor);
                break;
            case ActionKind::kResize:
                ++state.resizes;
                event.what = kResized;
                event.value = config_.views[state.resizes];
                break;
        }
        if (config_.watches_others) {
            watch_others(state);
        }
        return event;
    }

    [[nodiscard]] bool quiescent(const State& state) const {
        for (std::size_t i = 0; i < config_.callers.size(); ++i) {
            const Status status = state.slots[i].status;
            if (status == Status::kCalling || status == Status::kRetrying) {
                return false;
            }
        }
        return implementation_.idle(state.shared, records(state));
    }

    [[nodiscard]] bool finished(const State& state) const {
        for (std::size_t i = 0; i < config_.callers.size(); ++i) {
            if (!caller_finished(state, i)) {
                return false;
            }
        }
        return true;
    }

    void observe(const State& state, Observation& out) const {
        out.callers_count = static_cast<std::uint8_t>(config_.callers.size());
        out.keys_count = static_cast<std::uint8_t>(config_.keys.size());
        out.quiescent = quiescent(state);
        out.manager_dead = false;
        for (std::size_t key = 0; key < out.keys_count; ++key) {
            out.keys[key].believed = believed(state, key);
        }
        for (std::size_t i = 0; i < out.callers_count; ++i) {
            const Slot& slot = state.slots[i];
            CallerObservation& caller = out.callers[i];
            caller = {};
            caller.dead = slot.status == Status::kDead;
            caller.calling = slot.status == Status::kCalling || slot.status == Status::kRetrying;
            caller.finished = caller_finished(state, i);
            for (std::size_t key = 0; key < out.keys_count; ++key) {
                caller.believed[key] = slot.held[key];
            }
        }
        implementation_.observe(state.shared, records(state), out);
    }

    // Sorts interchangeable callers. Shared names no caller, so nothing else has to follow.
    void canonicalize(State& state) const {
        const std::size_t size = config_.callers.size();
        for (std::size_t i = 1; i < size; ++i) {
            for (std::size_t j = i;
                 j > 0 && config_.callers[j].group == config_.callers[j - 1].group &&
                 std::memcmp(&state.slots[j], &state.slots[j - 1], sizeof(Slot)) < 0;
                 --j) {
                std::swap(state.slots[j], state.slots[j - 1]);
            }
        }
    }

    [[nodiscard]] std::string describe(const State& state, Action action) const {
        switch (action.kind) {
            case ActionKind::kCrash: return config_.callers[action.actor].name + " crashes";
            case ActionKind::kResize:
                return "resize to " + std::to_string(config_.views[state.resizes + 1U]) + " buckets";
            case ActionKind::kBackground:
                return implementation_.describe_background(state.shared, records(state), action);
            case ActionKind::kStep: return describe_step(state, action.actor);
        }
        return {};
    }

    // Counters, then who believes to hold how much of which key.
    [[nodiscard]] std::string show(const State& state) const {
        std::string text = implementation_.show(state.shared);
        std::string holders;
        for (std::size_t i = 0; i < config_.callers.size(); ++i) {
            for (std::size_t key = 0; key < config_.keys.size(); ++key) {
                const auto held = static_cast<unsigned>(state.slots[i].held[key]);
                if (held > 0) {
                    holders += (holders.empty() ? "" : ", ") + config_.callers[i].name;
                    holders += config_.keys.size() > 1 ? " " + config_.keys[key] : "";
                    holders += held > 1 ? " x" + std::to_string(held) : "";
                }
            }
        }
        return text + (holders.empty() ? "  nobody holds" : "  held by " + holders);
    }

  private:
    [[nodiscard]] Records<typename I::Record> records(State& state) const {
        return {&state.slots[0].record, sizeof(Slot), config_.callers.size()};
    }
    [[nodiscard]] Records<const typename I::Record> records(const State& state) const {
        return {&state.slots[0].record, sizeof(Slot), config_.callers.size()};
    }

    [[nodiscard]] bool caller_finished(const State& state, std::size_t caller) const {
        const Slot& slot = state.slots[caller];
        return slot.status == Status::kDead ||
               (slot.status == Status::kResting &&
                slot.pc >= config_.callers[caller].script.size());
    }

    // A finished caller that left nothing behind can crash without any effect: not offered.
    void add_crashes(const State& state, ActionList& out) const {
        for (std::size_t i = 0; i < config_.callers.size(); ++i) {
            const Slot& slot = state.slots[i];
            if (slot.status == Status::kDead || !config_.callers[i].may_crash) {
                continue;
            }
            const bool holds =
                std::any_of(slot.held.begin(), slot.held.end(), [](Count n) { return n > 0; });
            const typename I::Record none{};
            if (holds || !caller_finished(state, i) ||
                std::memcmp(&slot.record, &none, sizeof(none)) != 0) {
                out.add({static_cast<std::uint8_t>(i), ActionKind::kCrash, 0});
            }
        }
    }

    void step(State& state, std::size_t caller, Event& event) const {
        Slot& slot = state.slots[caller];
        event.caller = static_cast<std::uint8_t>(caller);
        const Operation& scripted = config_.callers[caller].script[slot.pc];
        event.key = scripted.key;
        if (scripted.verb == Verb::kExit) {
            event.what = kCrashed;
            die(state, caller);
            return;
        }
        const bool begins = slot.status != Status::kCalling;
        if (scripted.follows_resizes) {
            if (begins && scripted.verb == Verb::kAcquire) {
                remember(slot, scripted.key, config_.views[state.resizes]);
            }
            Operation seen = scripted;
            const std::size_t last = scripted.verb == Verb::kRelease && begins
                                         ? slot.held[scripted.key] - 1U
                                         : slot.held[scripted.key];
            seen.buckets = slot.remembered[scripted.key][last];
            perform(state, caller, seen, begins, event);
        } else {
            perform(state, caller, scripted, begins, event);
        }
    }

    void perform(State& state, std::size_t caller, const Operation& operation, bool begins,
                 Event& event) const {
        Slot& slot = state.slots[caller];
        if (begins) {
            slot.status = Status::kCalling;
            event.what |= kInvoked;
            event.invoked = operation.verb;
            if (operation.verb == Verb::kRelease && slot.held[operation.key] > 0) {
                --slot.held[operation.key];
            }
            if (config_.watches_others && operation.verb == Verb::kAcquire) {
                slot.certain_least = std::numeric_limits<Count>::max();
                slot.possible_most = 0;
                watch_caller(state, caller);
            }
            implementation_.begin(operation, slot.call);
        }
        event.capacity = operation.capacity();
        event.max_per = operation.max_per;
        const Outcome outcome =
            implementation_.step(state.shared, slot.record, slot.call, operation, event);
        if (outcome != Outcome::kContinues) {
            end_call(state, caller, operation, outcome, event);
        }
    }

    void end_call(State& state, std::size_t caller, const Operation& operation, Outcome outcome,
                  Event& event) const {
        Slot& slot = state.slots[caller];
        event.certain_least = slot.certain_least;
        event.possible_most = slot.possible_most;
        switch (outcome) {
            case Outcome::kAcquired:
                event.what |= kAcquired;
                event.holding_before = believed(state, operation.key);
                if (slot.held[operation.key] == std::numeric_limits<Count>::max()) {
                    throw LimitExceeded("too many locks of one key held by one caller");
                }
                ++slot.held[operation.key];
                break;
            case Outcome::kRefused:
                event.what |= kRefused;
                if (operation.follows_resizes) {
                    forget(slot, operation.key);
                }
                break;
            case Outcome::kReleased:
                event.what |= kReleased;
                if (operation.follows_resizes) {
                    forget(slot, operation.key);
                }
                break;
            case Outcome::kDied:
                event.what |= kCallerDied;
                die(state, caller);
                return;
            case Outcome::kContinues: return;
        }
        slot.call = {};
        slot.certain_least = 0;
        slot.possible_most = 0;
        if (outcome == Outcome::kRefused && operation.until_acquired) {
            slot.status = Status::kRetrying;
            return;
        }
        slot.status = Status::kResting;
        advance(slot, config_.callers[caller]);
    }

    // To the next operation that has something to do: a release of nothing is passed over.
    void advance(Slot& slot, const CallerConfig& caller) const {
        const std::size_t size = caller.script.size();
        std::size_t pc = slot.pc;
        for (std::size_t passed = 0; passed <= size; ++passed) {
            ++pc;
            if (pc == size && caller.repeats_forever) {
                pc = 0;
            }
            if (pc >= size || caller.script[pc].verb != Verb::kRelease ||
                caller.script[pc].unchecked || slot.held[caller.script[pc].key] > 0) {
                break;
            }
        }
        slot.pc = static_cast<Pc>(pc);
    }

    void die(State& state, std::size_t caller) const {
        Slot& slot = state.slots[caller];
        const typename I::Record record = slot.record;
        slot = Slot{};
        slot.status = Status::kDead;
        slot.record = record;
        implementation_.on_death(state.shared, slot.record);
    }

    void remember(Slot& slot, std::size_t key, std::uint16_t buckets) const {
        if (slot.held[key] >= kRemembered) {
            throw LimitExceeded("a caller that follows resizes holds more than " +
                                std::to_string(kRemembered) + " locks of one key");
        }
        slot.remembered[key][slot.held[key]] = static_cast<std::uint8_t>(buckets);
    }
    void forget(Slot& slot, std::size_t key) const { slot.remembered[key][slot.held[key]] = 0; }

    [[nodiscard]] std::uint32_t believed(const State& state, std::size_t key) const {
        std::uint32_t sum = 0;
        for (std::size_t i = 0; i < config_.callers.size(); ++i) {
            sum += state.slots[i].held[key];
        }
        return sum;
    }

    void watch_others(State& state) const {
        for (std::size_t i = 0; i < config_.callers.size(); ++i) {
            if (state.slots[i].status == Status::kCalling) {
                watch_caller(state, i);
            }
        }
    }

    // Narrows or widens what caller may have seen of others during its acquire. Certain: believed
    // to be held. Possible: also granted but not returned, being released, or left by the dead and
    // not yet freed.
    void watch_caller(State& state, std::size_t caller) const {
        Slot& slot = state.slots[caller];
        const Operation& operation = config_.callers[caller].script[slot.pc];
        if (operation.verb != Verb::kAcquire) {
            return;
        }
        const std::uint32_t certain = believed(state, operation.key);
        std::uint32_t possible =
            certain + implementation_.pending_cleanup(state.shared, records(std::as_const(state)),
                                                     operation.key);
        for (std::size_t i = 0; i < config_.callers.size(); ++i) {
            const Slot& other = state.slots[i];
            if (i == caller || other.status != Status::kCalling) {
                continue;
            }
            const Operation& theirs = config_.callers[i].script[other.pc];
            if (theirs.key == operation.key &&
                (theirs.verb == Verb::kRelease || implementation_.granted(other.call))) {
                ++possible;
            }
        }
        const auto clamp = [](std::uint32_t n) {
            return static_cast<Count>(
                std::min<std::uint32_t>(n, std::numeric_limits<Count>::max()));
        };
        slot.certain_least = std::min(slot.certain_least, clamp(certain));
        slot.possible_most = std::max(slot.possible_most, clamp(possible));
    }

    [[nodiscard]] std::string describe_step(const State& state, std::size_t caller) const {
        const Slot& slot = state.slots[caller];
        const Operation& scripted = config_.callers[caller].script[slot.pc];
        const std::string& name = config_.callers[caller].name;
        if (scripted.verb == Verb::kExit) {
            return name + " exits";
        }
        typename I::Call call = slot.call;
        if (slot.status != Status::kCalling) {
            implementation_.begin(scripted, call);
        }
        return name + " " + std::string(name_of(scripted.verb)) + ": " +
               implementation_.describe_step(state.shared, slot.record, call, scripted);
    }

    I implementation_;
    WorldConfig config_;
};

}  // namespace lockkeeper
