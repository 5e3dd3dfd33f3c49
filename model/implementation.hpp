// What a person writes to have a lock judged. World (world.hpp) turns it into a System.
//
// An implementation is a value with three kinds of state, each a plain struct of small integers:
//
//   Shared   what everybody can touch: tables, counters, the manager. It must not name callers.
//   Record   what the servers keep about ONE caller and what outlives its call: its channel to the
//            manager, its references. World keeps one per caller, and may permute them.
//   Call     where one caller is inside one operation; all zero while it is in none.
//
// World calls, in this order:
//
//   begin(operation, call)                 an operation is called: set the first label.
//   blocked(shared, record, call)          true: the caller cannot go on now.
//   step(shared, record, call, operation, event)
//                                          ONE atomic step. begin and the first step are one
//                                          transition. Says how the call goes on; notes in the
//                                          event what the step showed.
//   background(shared, records, out)       the steps that are nobody's: manager, deliveries,
//                                          timers. Fill actor and argument as you like.
//   apply_background(shared, records, action, event)
//   on_death(shared, record)               the caller died (crash, exit, or its own error). Or
//                              on_death(shared, records, caller), where that concerns others.
//   idle(shared, records)                  no message pending, no background step under way.
//   granted(call)                          the servers count this unfinished acquire as granted.
//   pending_cleanup(shared, records, key)  how many locks of dead callers are yet to be freed.
//   observe(shared, records, observation)  fills the counters and references (see observation.hpp).
//   describe_step / describe_background / show   words for reports; in those of a background
//                                          action '@' stands for the name of its actor.
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
concept StepsAmongRecords = requires(const I implementation, typename I::Shared& shared,
                                     typename I::Call& call, Records<typename I::Record> records,
                                     std::size_t caller, const Operation& operation, Event& event) {
    {
        implementation.step(shared, records, caller, call, operation, event)
        } -> std::same_as<Outcome>;
};
template <class I>
concept DiesAmongRecords = requires(const I implementation, typename I::Shared& shared,
                                    Records<typename I::Record> records, std::size_t caller) {
    { implementation.on_death(shared, records, caller) } -> std::same_as<void>;
};
template <class I>
concept StepsAlone = requires(const I implementation, typename I::Shared& shared,
                              typename I::Record& record, typename I::Call& call,
                              const Operation& operation, Event& event) {
    { implementation.step(shared, record, call, operation, event) } -> std::same_as<Outcome>;
};
template <class I>
concept DiesAlone = requires(const I implementation, typename I::Shared& shared,
                             typename I::Record& record) {
    { implementation.on_death(shared, record) } -> std::same_as<void>;
};

template <class I>
concept Implementation = PlainState<typename I::Shared> && PlainState<typename I::Record> &&
    PlainState<typename I::Call> &&
    requires(const I implementation, typename I::Shared& shared, typename I::Record& record,
             typename I::Call& call, const Operation& operation, Event& event, Action action,
             ActionList& actions, Observation& observation, Records<typename I::Record> records,
             Records<const typename I::Record> seen, std::size_t caller) {
    typename I::Size;
    { I::kFeatures } -> std::convertible_to<std::uint32_t>;
    { implementation.initial_shared() } -> std::same_as<typename I::Shared>;
    { implementation.begin(operation, call) } -> std::same_as<void>;
    { implementation.blocked(shared, record, call) } -> std::same_as<bool>;
    { implementation.background(shared, seen, actions) } -> std::same_as<void>;
    { implementation.apply_background(shared, records, action, event) } -> std::same_as<void>;
    { implementation.idle(shared, seen) } -> std::same_as<bool>;
    { implementation.granted(call) } -> std::same_as<bool>;
    { implementation.pending_cleanup(shared, seen, caller) } -> std::same_as<std::uint32_t>;
    { implementation.observe(shared, seen, observation) } -> std::same_as<void>;
    { implementation.describe_step(shared, record, call, operation) } -> std::same_as<std::string>;
    { implementation.describe_background(shared, seen, action) } -> std::same_as<std::string>;
    { implementation.show(shared) } -> std::same_as<std::string>;
} &&(StepsAlone<I> || StepsAmongRecords<I>)&&(DiesAlone<I> || DiesAmongRecords<I>);

// Optional: background actions taken apart by the record that they concern. The explorer learns
// those that concern one record once and for all (LocalStepsSystem in system.hpp); without this it
// looks for background actions in every state anew.
//   background_of(shared, record, caller, out)   read and change `shared` and that record only
//   background_elsewhere(shared, out)            all others; acts_elsewhere(shared): there are some
//                              (this one may be there without the others: background() is empty)
//   is_private(shared, record, action or call, visible)   see system.hpp
//   mode(shared)                                 what of `shared` decides about is_private
//   kPossibleByMode (may be left out)            true: mode(shared) is also all of `shared` that
//                              decides about blocked(), background_of(), background_elsewhere();
//                              then a sampled step costs the same however many callers there are
//   footprint(shared, record, call, operation), footprint(shared, record, action), kHasFootprints
//                              (may be left out) what of `shared` the next step of the call, or a
//                              background action of the record, touches (footprint.hpp); needs
//                              kPossibleByMode
template <class I>
concept LocalBackground = Implementation<I> &&
    requires(const I implementation, const typename I::Shared& shared,
             const typename I::Record& record, const typename I::Call& call, ActionList& out,
             Action action, std::size_t caller, std::uint32_t visible) {
    { implementation.background_of(shared, record, caller, out) } -> std::same_as<void>;
    { implementation.background_elsewhere(shared, out) } -> std::same_as<void>;
    { implementation.acts_elsewhere(shared) } -> std::same_as<bool>;
    { implementation.is_private(shared, record, action, visible) } -> std::same_as<bool>;
    { implementation.is_private(shared, record, call, visible) } -> std::same_as<bool>;
    { implementation.mode(shared) } -> std::same_as<std::uint8_t>;
};

// Optional, each for itself: what locks in databases and lease services need.
//
//   faults_of(shared, record, call, operation)   bit n: the next step of this call can go wrong in
//                              way n now. step() then finds n in event.fault (0: it goes right).
//                              Budgets are the implementation's own (a count in Shared).
//   fault_name(n), error_name(n)                 words for reports; error_code(n): a number that
//                              belongs to the error, 0: none
//   disturbances(shared, records, out)           faults that are nobody's step (kDisturb); they
//                              come to apply_background.
//   excludes(key, other)       a lock of `key` and one of `other` exclude each other. Without it:
//                              locks of one key.
//   holds(shared, record, key) the servers' record grants the caller a lock of the key now. Where
//                              apply_background notes kLost, event.caller does not believe to hold
//                              event.key any more: its own timer, or a message, told it.
//   time_is_over(shared, records) see System: virtual time would go on, but its end has come
//   watch(shared, records)     after every step: monitors of the implementation
//   concerns_others(shared, record, shared_after, record_after)
//                              beside watch(): false where, after a step that made the latter two
//                              of the former two, watch() changes no other record, and what it
//                              does to these two follows from them. Such steps are learned
//                              (WideStepsSystem in system.hpp); without this none is.
//   can_restart(shared, record), on_restart(shared, record)
//                              a dead caller may start again: a fresh process, which runs its
//                              script from the beginning; what is left of its record then is what
//                              the servers have of the dead one
//   server_step(shared, records, caller, call, operation), server_background(shared, records,
//                              action), server_fault(n)   the same step on a real server
//                              (server_step.hpp), for whoever compares with one; server_row(shared,
//                              key): its row of the key
//   judge(shared, records, held, event)   after that: monitors that compare the record with what
//                              the callers believe to hold (a count per key), and note in the event
//                              what came too late
template <class I>
concept FaultyImplementation = Implementation<I> &&
    requires(const I implementation, const typename I::Shared& shared,
             const typename I::Record& record, const typename I::Call& call,
             const Operation& operation, unsigned number) {
    { implementation.faults_of(shared, record, call, operation) } -> std::same_as<std::uint32_t>;
    { implementation.fault_name(number) } -> std::same_as<std::string>;
};
template <class I>
concept NamesErrors = requires(unsigned number) {
    { I::error_name(number) } -> std::convertible_to<std::string>;
};
template <class I>
concept DisturbedImplementation = Implementation<I> &&
    requires(const I implementation, const typename I::Shared& shared,
             Records<const typename I::Record> seen, ActionList& actions) {
    { implementation.disturbances(shared, seen, actions) } -> std::same_as<void>;
};
template <class I>
concept ExcludingImplementation = requires(const I implementation, std::size_t key) {
    { implementation.excludes(key, key) } -> std::same_as<bool>;
};
template <class I>
concept GrantingImplementation = Implementation<I> &&
    requires(const I implementation, const typename I::Shared& shared,
             const typename I::Record& record, std::size_t key) {
    { implementation.holds(shared, record, key) } -> std::same_as<bool>;
};
template <class I>
concept WatchingImplementation = Implementation<I> &&
    requires(const I implementation, typename I::Shared& shared,
             Records<typename I::Record> records) {
    { implementation.watch(shared, records) } -> std::same_as<void>;
};
template <class I>
concept TellsWhatConcernsOthers = WatchingImplementation<I> &&
    requires(const I implementation, const typename I::Shared& shared,
             const typename I::Record& record) {
    { implementation.concerns_others(shared, record, shared, record) } -> std::same_as<bool>;
};
template <class I>
concept RestartableImplementation = Implementation<I> &&
    requires(const I implementation, typename I::Shared& shared, typename I::Record& record) {
    { implementation.can_restart(shared, record) } -> std::same_as<bool>;
    { implementation.on_restart(shared, record) } -> std::same_as<void>;
};
template <class I>
concept ServerImplementation = Implementation<I> &&
    requires(const I implementation, const typename I::Shared& shared, const typename I::Call& call,
             Records<const typename I::Record> records, const Operation& operation,
             std::size_t caller, unsigned fault, Action action) {
    {
        implementation.server_step(shared, records, caller, call, operation)
        } -> std::same_as<ServerAct>;
    { implementation.server_background(shared, records, action) } -> std::same_as<ServerAct>;
    { I::server_fault(fault) } -> std::same_as<ServerFault>;
};
template <class I>
concept ShowsServerRows = ServerImplementation<I> &&
    requires(const I implementation, const typename I::Shared& shared, std::size_t key) {
    { implementation.server_row(shared, key) } -> std::same_as<ServerRow>;
};
template <class I>
concept JudgingImplementation = Implementation<I> &&
    requires(const I implementation, typename I::Shared& shared,
             Records<typename I::Record> records,
             Records<const std::array<typename I::Size::Count, I::Size::kKeys>> held,
             Event& event) {
    { implementation.judge(shared, records, held, event) } -> std::same_as<void>;
};

// How large a compiled World is. A scenario that fits none of the compiled sizes is refused.
template <std::size_t Callers, std::size_t Keys, class PcType, class CountType,
          std::size_t Remembered, std::size_t Signals = 0>
struct WorldSize {
    static constexpr std::size_t kCallers = Callers;
    static constexpr std::size_t kKeys = Keys;
    // Locks of one key whose number of buckets a caller can remember (resizes in flight only).
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
template <class SizeType = BasicSize>
struct BasicImplementation {
    using Size = SizeType;
    struct Record {
        typename SizeType::Count unused;
    };
    static constexpr std::uint32_t kFeatures = kShowsCounters | kHasCapacity;

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
    void on_death(AnyShared&, AnyRecord&) const {}
    template <class AnyShared, class AnyRecord>
    bool idle(const AnyShared&, Records<const AnyRecord>) const {
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
};

}  // namespace lockkeeper
