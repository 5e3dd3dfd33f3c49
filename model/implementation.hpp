// SPDX-License-Identifier: Apache-2.0

// The interface that a lock must implement to be judged. World (world.hpp) turns it into a System.
//
// An implementation is a value with three kinds of state, each a plain struct of small integers:
//
//   Shared   what everybody can touch: tables, counters, the manager. It must not name callers.
//   Record   what the servers keep about ONE caller and what outlives its call: its channel to the
//            manager, its references. World keeps one per caller, and may permute them.
//   Call     where one caller is inside one operation; all zero while it is in none. Its label, if
//            it has any, is called `at`.
//
// World calls, in this order:
//
//   begin(operation, call)                 an operation is called: set the first label.
//   blocked(shared, record, call)          true: the caller cannot go on now. Asked before every
//                                          step: before the first one of what begin() has set.
//   step(shared, record, call, operation, event)
//                                          Or step(shared, records, caller, call, operation,
//                                          event), where that concerns others. ONE atomic step.
//                                          begin and the first step are one transition. Says how
//                                          the call goes on; notes in the event what the step
//                                          showed.
//   background(shared, records, out)       the steps that are nobody's: manager, deliveries,
//                                          timers. Fill actor and argument as you like.
//   apply_background(shared, records, action, event)
//   on_death(shared, record)               the caller died (crash, exit, or its own error). Or
//                              on_death(shared, records, caller), where that concerns others.
//   idle(shared, records)                  no message pending, no background step under way.
//   granted(call)                          the servers count this unfinished acquire as granted.
//   pending_cleanup(shared, records, key)  how many locks of dead callers are yet to be freed.
//   observe(shared, records, observation)  fills the counters and references (see observation.hpp).
//   kShownNames                for reports (shown.hpp); may be left out.
//   describe_step / describe_background / show   words for reports; in those of a background
//                                          action '@' stands for the name of its actor.
//
// Functions that are not a caller's step (background, apply_background, idle, observe) receive the
// records of all callers, or one record at a time: Traits::by_record.
//
// `BasicImplementation` has a default for everything that a lock without a manager does not need.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>

#include "model/action.hpp"
#include "model/event.hpp"
#include "model/observation.hpp"
#include "model/operation.hpp"
#include "model/server_step.hpp"
#include "model/system.hpp"
#include "model/traits.hpp"
#include "model/virtual_time.hpp"

namespace lockkeeper {

enum class Outcome : std::uint8_t {
    kContinues,
    kAcquired,  // event.count is the running count, where the implementation has one
    kRefused,
    kReleased,
    kDied,    // the step failed and the failure kills the caller
    kFailed,  // an error, event.error: nothing is known to be acquired; with kLost noted: lost, too
    kDone,    // another call returned
    kLost,    // another call returned, and told the caller that it does not hold any more
};

// Noted in apply_background: the caller does not believe to hold the key any more.
inline void lose(Event& event, std::size_t caller, std::size_t key) {
    event.what |= kLost;
    event.caller = static_cast<std::uint8_t>(caller);
    event.key = static_cast<std::uint8_t>(key);
}

// The losses of a caller that hears of a step of nobody's (Traits::by_record).
struct Heard {
    std::uint8_t lost = 0;  // bit n: it does not believe to hold key n any more
};

// The records of all callers, wherever World keeps them.
template <class Record>
class Records {
  public:
    Records(Record* first, std::size_t stride_bytes, std::size_t size)
        : first_(reinterpret_cast<Byte*>(first)), stride_bytes_(stride_bytes), size_(size) {}

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t stride_bytes() const { return stride_bytes_; }
    [[nodiscard]] Record& operator[](std::size_t caller) const {
        return *reinterpret_cast<Record*>(first_ + caller * stride_bytes_);
    }

  private:
    using Byte = std::conditional_t<std::is_const_v<Record>, const std::byte, std::byte>;
    Byte* first_;
    std::size_t stride_bytes_;
    std::size_t size_;
};

// A step, or a death, that reads or changes the records of others. The explorer does not learn the
// steps of such a lock.
template <class I>
inline constexpr bool kStepsAmongRecords = requires(const I lock, typename I::Shared& shared,
                                                    typename I::Call& call,
                                                    Records<typename I::Record> records,
                                                    const Operation& operation, Event& event) {
    { lock.step(shared, records, std::size_t{}, call, operation, event) } -> std::same_as<Outcome>;
};
template <class I>
inline constexpr bool kDiesAmongRecords = requires(const I lock, typename I::Shared& shared,
                                                   Records<typename I::Record> records) {
    { lock.on_death(shared, records, std::size_t{}) } -> std::same_as<void>;
};

// A record hears of a step of nobody's: by itself, or also told which step it is, and with the
// call. A lock has one of these functions.
template <class I>
inline constexpr bool kHearsOnly = requires(const I lock, const typename I::Shared& shared,
                                            typename I::Record& record) {
    { lock.hear(shared, record) } -> std::same_as<void>;
};
template <class I>
inline constexpr bool kHearsStep = requires(const I lock, const typename I::Shared& shared,
                                            typename I::Record& record, typename I::Call& call,
                                            Action action) {
    { lock.hear(shared, record, call, action) } -> std::same_as<Heard>;
};

// A function whose trait was forgotten would never be called.
template <class I>
[[nodiscard]] constexpr bool declares_what_it_has() {
    constexpr Traits kTraits = kTraitsOf<I>;
    return (kTraits.faults || !requires { &I::faults_of; }) &&
           (kTraits.disturbances || !requires { &I::disturbances; }) &&
           (kTraits.restarts || !requires { &I::on_restart; }) &&
           (kTraits.excludes || !requires { &I::excludes; }) &&
           (kTraits.watches || !requires { &I::watch; }) &&
           (kTraits.judges || !requires { &I::judge; }) &&
           (kTraits.errors || !requires { &I::error_name; }) &&
           (kTraits.server || !requires { &I::server_step; }) &&
           (kTraits.server_rows || !requires { &I::server_row; }) &&
           (kTraits.messages || !requires { &I::messages_of; }) &&
           (kTraits.local_background || !requires { &I::background_of; }) &&
           (kTraits.footprints || !requires { &I::footprint; }) &&
           (kTraits.relative_time || !requires { &I::time_bounds; }) &&
           (kTraits.time_left || !requires { &I::end_of; }) &&
           (kTraits.waits_for_the_late || !requires { &I::late; }) &&
           (kTraits.phantoms || !requires { &I::is_phantom; }) &&
           (kHasGrants<I> || !requires { &I::holds; });
}

// Traits::local_background; nothing_private.hpp has is_private and mode of a lock without hints.
template <class I>
concept ActsByPart = requires(const I lock, const typename I::Shared& shared,
                              const typename I::Record& record, const typename I::Call& call,
                              Action action, ActionList& actions) {
    { lock.background_of(shared, record, std::size_t{}, actions) } -> std::same_as<void>;
    { lock.background_elsewhere(shared, actions) } -> std::same_as<void>;
    { lock.is_private(shared, record, call, std::uint32_t{}) } -> std::convertible_to<bool>;
    { lock.is_private(shared, record, action, std::uint32_t{}) } -> std::convertible_to<bool>;
    { lock.mode(shared) } -> std::convertible_to<std::uint8_t>;
    requires kTraitsOf<I>
    .disturbances || kTraitsOf<I>.no_background || requires {
        { lock.acts_elsewhere(shared) } -> std::convertible_to<bool>;
    };
};

template <class I>
concept ActsAmongRecords = requires(const I implementation, typename I::Shared& shared,
                                    Event& event, Action action, ActionList& actions,
                                    Observation& observation, Records<typename I::Record> records,
                                    Records<const typename I::Record> seen) {
    { implementation.background(shared, seen, actions) } -> std::same_as<void>;
    { implementation.apply_background(shared, records, action, event) } -> std::same_as<void>;
    { implementation.idle(shared, seen) } -> std::same_as<bool>;
    { implementation.observe(shared, seen, observation) } -> std::same_as<void>;
};

template <class I>
concept WaitsForTheLate =
    !kTraitsOf<I>.possible_by_mode && !kTraitsOf<I>.no_background &&
    requires(const I lock, const typename I::Shared& shared, const typename I::Record& record) {
    { lock.late(shared, record) } -> std::same_as<bool>;
};
template <class I>
concept ShowsPhantoms = kHasGrants<I> &&
    requires(const I lock, const typename I::Shared& shared, const typename I::Record& record,
             const CallerObservation& caller) {
    { lock.is_phantom(shared, record, caller, std::size_t{}) } -> std::same_as<bool>;
};

// Refuses an implementation that hides one of these functions by one that receives all records.
template <class I>
concept ActsByRecord = kTraitsOf<I>
.by_record && !kTraitsOf<I>.disturbances && !kTraitsOf<I>.watches && !kTraitsOf<I>.judges &&
    (kTraitsOf<I>.local_background || kTraitsOf<I>.no_background) && !kStepsAmongRecords<I> &&
    !kDiesAmongRecords<I> && kHearsOnly<I> != kHearsStep<I> &&
    (!kTraitsOf<I>.waits_for_the_late || WaitsForTheLate<I>)&&(
        !kTraitsOf<I>.phantoms ||
        ShowsPhantoms<I>)&&requires(const I implementation, typename I::Shared& shared,
                                    typename I::Record& record, Event& event, Action action,
                                    Observation& observation) {
    { implementation.is_elsewhere(action) } -> std::same_as<bool>;
    { implementation.apply_background(shared, record, action, event) } -> std::same_as<void>;
    { implementation.apply_background(shared, action, event) } -> std::same_as<bool>;
    { implementation.idle(shared) } -> std::same_as<bool>;
    { implementation.idle(shared, record) } -> std::same_as<bool>;
    { implementation.observe(shared, observation) } -> std::same_as<void>;
};

template <class I>
concept Implementation = PlainState<typename I::Shared> && PlainState<typename I::Record> &&
    PlainState<typename I::Call> &&
    requires(const I implementation, typename I::Shared& shared, typename I::Record& record,
             typename I::Call& call, const Operation& operation, Event& event, Action action,
             Records<const typename I::Record> seen, std::size_t caller) {
    typename I::Size;
    { I::kFeatures } -> std::convertible_to<std::uint32_t>;
    { implementation.initial_shared() } -> std::same_as<typename I::Shared>;
    { implementation.begin(operation, call) } -> std::same_as<void>;
    { implementation.blocked(shared, record, call) } -> std::same_as<bool>;
    { implementation.granted(call) } -> std::same_as<bool>;
    { implementation.pending_cleanup(shared, seen, caller) } -> std::same_as<std::uint32_t>;
    { implementation.describe_step(shared, record, call, operation) } -> std::same_as<std::string>;
    { implementation.describe_background(shared, seen, action) } -> std::same_as<std::string>;
    { implementation.show(shared) } -> std::same_as<std::string>;
    requires kStepsAmongRecords<I> || requires {
        { implementation.step(shared, record, call, operation, event) } -> std::same_as<Outcome>;
    };
    requires kDiesAmongRecords<I> || requires {
        { implementation.on_death(shared, record) } -> std::same_as<void>;
    };
} && declares_what_it_has<I>() &&
    (!kTraitsOf<I>.local_background ||
     ActsByPart<I>)&&(ActsByRecord<I> || (!kByRecord<I> && !kTraitsOf<I>.waits_for_the_late &&
                                          !kTraitsOf<I>.phantoms && ActsAmongRecords<I>));

// How large a compiled World is. A scenario that fits none of the compiled sizes is refused.
template <std::size_t Callers, std::size_t Keys, class PcType, class CountType,
          std::size_t Remembered, std::size_t Signals = 0>
struct WorldSize {
    static constexpr std::size_t kCallers = Callers;
    static constexpr std::size_t kKeys = Keys;
    // Locks of one key whose number of places a caller can remember (resizes in flight only).
    static constexpr std::size_t kRemembered = Remembered;
    // Signals by which scripts wait for each other. Without any they cost nothing.
    static constexpr std::size_t kSignals = Signals;
    using Pc = PcType;        // counts the operations of a script
    using Count = CountType;  // counts the locks that one caller holds of one key
    static_assert(Callers <= kCallersMax && Keys <= kKeysMax && Signals <= kSignalsMax);
};

using BasicSize = WorldSize<4, 1, std::uint8_t, std::uint8_t, 1>;

// Defaults for a lock without a manager: nothing happens in the background, and a dead caller's
// locks stay taken. They take whatever Shared, Record and Call the lock declares: a lock that
// declares a Record of its own keeps all of them.
struct Defaults {
    template <class AnyShared, class AnyRecord, class AnyCall>
    bool blocked(const AnyShared&, const AnyRecord&, const AnyCall&) const {
        return false;
    }
    template <class AnyShared, class AnyRecord>
    void background(const AnyShared&, Records<const AnyRecord>, ActionList&) const {}
    template <class AnyShared, class AnyRecord>
    void apply_background(AnyShared&, Records<AnyRecord>, lockkeeper::Action,
                          lockkeeper::Event&) const {}
    template <class AnyShared, class AnyRecord>
    void apply_background(AnyShared&, AnyRecord&, lockkeeper::Action, lockkeeper::Event&) const {}
    template <class AnyShared>
    bool apply_background(AnyShared&, lockkeeper::Action, lockkeeper::Event&) const {
        return false;
    }
    static bool is_elsewhere(lockkeeper::Action) { return false; }
    template <class AnyShared, class AnyRecord>
    void hear(const AnyShared&, AnyRecord&) const {}
    template <class AnyShared, class AnyRecord>
    void on_death(AnyShared&, AnyRecord&) const {}
    template <class AnyShared, class AnyRecord>
    bool idle(const AnyShared&, Records<const AnyRecord>) const {
        return true;
    }
    template <class AnyShared>
    bool idle(const AnyShared&) const {
        return true;
    }
    template <class AnyShared, class AnyRecord>
    bool idle(const AnyShared&, const AnyRecord&) const {
        return true;
    }
    template <class AnyCall>
    bool granted(const AnyCall&) const {
        return false;
    }
    template <class AnyShared, class AnyRecord>
    std::uint32_t pending_cleanup(const AnyShared&, Records<const AnyRecord>, std::size_t) const {
        return 0;
    }
    template <class AnyShared, class AnyRecord>
    std::string describe_background(const AnyShared&, Records<const AnyRecord>,
                                    lockkeeper::Action) const {
        return {};
    }
    // For locks with a clock, and for locks with errors:
    template <class AnyShared>
    Instant now(const AnyShared& shared) const {
        return shared.now;
    }
    template <class AnyShared, class AnyRecord>
    bool time_is_over(const AnyShared&, Records<const AnyRecord>) const {
        return false;
    }
    static std::string error_code(unsigned) { return {}; }
};

template <class SizeType = BasicSize>
struct BasicImplementation : Defaults {
    using Size = SizeType;
    struct Record {
        typename SizeType::Count unused;
    };
    static constexpr std::uint32_t kFeatures = kShowsCounters | kHasCapacity;
};

}  // namespace lockkeeper
