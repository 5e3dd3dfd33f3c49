// SPDX-License-Identifier: Apache-2.0

// The search of all executions by execution graphs: TruSt (Kokologiannakis, Marmanis, Gladstein,
// Vafeiadis: Truly stateless, optimal dynamic partial order reduction, POPL 2022). Each consistent
// graph is met once, in whatever order its threads ran.
//
// The owner runs a program once for each begin() that says true, always from the same first state:
//   - pick() says whose turn it is; kNobody: the run is over, and finish() says how it ended;
//   - a thread that runs does its events by load(), store() and so on. kWait: others have to go on
//     first; pick() again, and ask the same again later. kBlocked: the thread does nothing more in
//     this run. kDropped: the run is of no use, begin() the next. kDiverged: the program did not do
//     what it did before from the same values: it is not a function of them.
// Between two events a thread may do what it likes with memory that is its own or is ordered by
// what happens-before: the order in which threads run respects it.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "validate/threads/graph/choices.hpp"
#include "validate/threads/graph/graph.hpp"

namespace lockkeeper::threads {

enum class Outcome : std::uint8_t { kDone, kWait, kBlocked, kDropped, kDiverged };
struct Answer {
    Outcome outcome = Outcome::kDone;
    std::uint64_t value = 0;
};

// The thread leaves the value that it has read, writes another one, or waits for a change.
struct Change {
    enum class Way : std::uint8_t { kLeave, kWrite, kBlock } way = Way::kLeave;
    std::uint64_t value = 0;  // kWrite
};

// An access, from the thread's side.
struct Access {
    Location location = 0;
    Order order = Order::kSeqCst;
    std::uint64_t initial = 0;  // what memory holds, asked for at the first access of a run
    std::uint64_t site = 0;
    Order order_left = Order::kSeqCst;  // of a read-modify-write that leaves the value as it is
    // A load of a loop that only waits: behind a load of the same place and site it reads the same
    // store, for what it would do with a newer one, that other load has done with it already.
    bool waits_in_loop = false;
};

enum class Ending : std::uint8_t {
    kComplete,      // every thread has ended, or the first has and the others go no further
    kStuck,         // threads wait for what nobody will do
    kUnfinished,    // a thread waits for a value that another graph gives it
    kInconsistent,  // the order of sequentially consistent accesses is impossible
};

struct Counts {
    std::uint64_t complete = 0;
    std::uint64_t stuck = 0;
    std::uint64_t unfinished = 0;
    std::uint64_t inconsistent = 0;
    std::uint64_t dropped = 0;
    std::uint64_t events = 0;
};

class Search {
  public:
    // The decision must be a function of the value.
    using Decide = Change (*)(std::uint64_t value, const void* context);

    explicit Search(Model model) : model_(model) {}

    // Not all executions, but one for each begin() of the choices, which have to stay.
    void follow(Choices* choices) { choices_ = choices; }

    [[nodiscard]] bool begin();
    // The same run again, from the beginning.
    void repeat() {
        repeats_ = true;
        start_run();
    }
    // The run of this graph alone, which is of the same program. The search ends with it.
    void repeat(const Graph& graph);
    [[nodiscard]] Thread pick();
    [[nodiscard]] Ending finish();

    [[nodiscard]] Answer load(Thread thread, const Access& access);
    [[nodiscard]] Answer store(Thread thread, const Access& access, std::uint64_t value);
    // Gives the value that was read.
    [[nodiscard]] Answer modify(Thread thread, const Access& access, Decide decide,
                                const void* context);
    [[nodiscard]] Answer fence(Thread thread, Order order, std::uint64_t site);
    // Gives the number of the new thread.
    [[nodiscard]] Answer spawn(Thread thread, std::uint64_t site);
    // The first and the last that a thread does; the first thread only ends.
    [[nodiscard]] Answer start(Thread thread);
    [[nodiscard]] Answer end(Thread thread);
    [[nodiscard]] Answer join(Thread thread, Thread target, std::uint64_t site);
    // One of 0 to count - 1; 0 is the usual.
    [[nodiscard]] Answer choose(Thread thread, std::uint64_t count, std::uint64_t site);
    // The thread is where it was `reads` loads ago, and has changed nothing since: it spins. kWait
    // with 1: the load is as if it had not been, and the thread is where it was before it.
    // This is so for one load only, if nothing else that it has done would stay (`is_pure`).
    [[nodiscard]] Answer spin(Thread thread, std::uint16_t reads, bool is_pure);

    // Others may go on first. It is no event.
    [[nodiscard]] Answer pause(Thread thread);

    // Where not everything is tried, or a run is repeated: the thread spins, and goes on with its
    // loads all the same, for what it has read is not the newest.
    // `reads`: of each thread that goes round, by its number.
    using Rounds = std::array<std::uint16_t, kThreadsMax>;
    [[nodiscard]] bool leaves_spin(Thread thread, const Rounds& reads) const;

    // The thread, which has been blocked, would go on in time: it is not stuck.
    void expect_time_out(Thread thread) { run_.times_out[thread] = true; }

    // Whether the run as it is now is possible: asked before a finding is reported.
    [[nodiscard]] bool is_consistent() const;
    // The events that happen before the thread's next step. An access that the thread makes now
    // happens before another's next step if that has at least `next_epoch` events of this thread in
    // it.
    [[nodiscard]] const Clock& happens_before(Thread thread) const { return run_.known[thread]; }
    [[nodiscard]] std::uint16_t next_epoch(Thread thread) const {
        return static_cast<std::uint16_t>(run_.done[thread] + 1);
    }
    [[nodiscard]] const Graph& graph() const { return frames_.back()->graph; }
    // The events of this run in the order in which they were done.
    [[nodiscard]] const std::vector<EventId>& done() const { return run_.order; }
    // The load of the thread that waits, kInitial if it does not wait for a value.
    [[nodiscard]] EventId waits_at(Thread thread) const;
    // The event that so many last loads of the thread begin with.
    [[nodiscard]] std::uint16_t round_of(Thread thread, std::uint16_t loads) const;
    [[nodiscard]] Thread joins(Thread thread) const { return run_.joins[thread]; }
    [[nodiscard]] bool has_ended(Thread thread) const { return run_.ended[thread]; }
    [[nodiscard]] bool is_known(Thread thread) const { return run_.path[thread] != kNoPath; }
    [[nodiscard]] const Counts& counts() const { return counts_; }
    [[nodiscard]] Model model() const { return model_; }
    // A run was dropped because it had more threads or events than a graph has room for.
    [[nodiscard]] bool has_too_many() const { return has_too_many_; }

  private:
    static constexpr std::uint64_t kNoPath = std::numeric_limits<std::uint64_t>::max();

    enum class Alternative : std::uint8_t { kRead, kPlace, kChoose, kRevisit };
    struct Item {
        Alternative what;
        EventId event;        // the one that is otherwise; kRevisit: the load
        EventId other;        // kRead, kPlace: the store; kRevisit: the store
        std::uint64_t value;  // kChoose
    };
    struct Frame {
        Graph graph;
        std::vector<Item> items;
    };
    struct Run {
        std::array<std::uint16_t, kThreadsMax> done{};
        std::array<bool, kThreadsMax> ended{};
        std::array<bool, kThreadsMax> blocked{};
        std::array<bool, kThreadsMax> times_out{};
        Rounds awaited{};  // loads that a blocked one waits for
        std::array<Thread, kThreadsMax> joins{};
        std::array<std::uint64_t, kThreadsMax> path{};  // orders threads as they were spawned
        std::array<std::uint8_t, kThreadsMax> children{};
        std::array<EventId, kThreadsMax> spawned{};
        Thread threads = 1;                         // so many: their numbers are less
        std::array<Clock, kThreadsMax> known{};     // what happens before the next step
        std::array<Clock, kThreadsMax> promised{};  // messages that an acquire fence would take
        std::array<Clock, kThreadsMax> fenced{};    // what happens before the last release fence
        std::array<Clock, kThreadsMax> causes{};
        std::vector<EventId> order;
        Thread turn = kNobody;  // with choices
        // How many events there were, and one, when the thread found nothing to go on with.
        std::array<std::size_t, kThreadsMax> waited{};
        bool is_last = false;      // none can go on: each that waits says for what
        std::uint32_t left = 0;    // events of the graph that are still to be done
        std::size_t repeated = 0;  // so many events of the run were in the graph before
        std::array<bool, kThreadsMax> has_spun{};  // it waits for a newer store than this one
        std::array<EventId, kThreadsMax> spun_at{};
        std::array<bool, kThreadsMax> pauses{};
        std::array<bool, kThreadsMax> spins{};  // its load stays: nobody else could go on
    };

    [[nodiscard]] Graph& the_graph() { return frames_.back()->graph; }
    void push(Item item) { frames_.back()->items.push_back(item); }
    void start_run();
    // Makes the graph of the item; false: there is none.
    [[nodiscard]] bool apply(const Item& item);
    [[nodiscard]] bool apply_revisit(const Item& item);
    [[nodiscard]] bool is_repeating(Thread thread) const {
        return run_.done[thread] < frames_.back()->graph.length(thread);
    }
    [[nodiscard]] bool can_repeat(Thread thread) const;
    [[nodiscard]] bool can_go_on(Thread thread) const;
    [[nodiscard]] bool has_paused(Thread thread) const {
        return run_.pauses[thread] && can_go_on(thread);
    }
    [[nodiscard]] bool waits(Thread thread) const {
        return run_.waited[thread] == run_.order.size() + 1;
    }
    [[nodiscard]] bool is_ready(Thread thread) const { return can_go_on(thread) && !waits(thread); }
    void wait_for_event(Thread thread) { run_.waited[thread] = run_.order.size() + 1; }
    // The thread would do nothing with the newest value but wait for another one.
    [[nodiscard]] bool would_wait(Thread thread, const Access& access, Decide decide,
                                  const void* context);
    // The last load of the thread is taken out of the graph. False: it has to stay.
    [[nodiscard]] bool take_back(Thread thread, std::uint16_t loads);
    void take_out(EventId load);
    [[nodiscard]] EventId newest(Location location) const {
        return graph().before_place(location,
                                    static_cast<std::uint32_t>(graph().stores(location).size()));
    }
    [[nodiscard]] bool is_done(EventId event) const {
        return event == kInitial || event.index < run_.done[event.thread];
    }
    // The next event of the thread, as the graph has it; null: none or another.
    [[nodiscard]] bool repeats(Thread thread, const Event& event) const;
    void set_clocks(EventId id);
    void finish_event(EventId id, bool is_new);
    [[nodiscard]] bool is_full(Thread thread);

    [[nodiscard]] Choices* choices() const { return repeats_ ? nullptr : choices_; }
    [[nodiscard]] Thread drawn();
    // The place behind which the load reads; nothing: it waits.
    [[nodiscard]] std::optional<std::uint32_t> drawn_place(const Access& access,
                                                           std::uint32_t least, Decide decide,
                                                           const void* context);
    // The first place of the location's modification order behind which the thread may read or
    // write.
    [[nodiscard]] std::uint32_t first_place(Thread thread, Location location) const;
    [[nodiscard]] bool has_turn(Thread thread);
    [[nodiscard]] Thread first_thread(bool (Search::*may)(Thread) const) const;
    [[nodiscard]] bool is_open_and_ready(Thread thread) const;
    // The events that an event at the end of its thread may not pass.
    [[nodiscard]] Clock seen_before(EventId event) const;
    [[nodiscard]] Answer read(Thread thread, const Access& access, Decide decide,
                              const void* context);
    [[nodiscard]] bool is_same_again(Thread thread, const Access& access) const;
    // Nothing: the thread waits until something happens.
    std::optional<EventId> new_load(Thread thread, const Access& access, Decide decide,
                                    const void* context);
    [[nodiscard]] Outcome write(Thread thread, const Access& access, bool is_rmw,
                                std::uint64_t value);
    [[nodiscard]] Outcome new_store(Thread thread, const Access& access, bool is_rmw,
                                    std::uint64_t value);
    void find_revisits(EventId store);
    [[nodiscard]] bool may_revisit(EventId load, EventId store) const;
    // Places it at the last place that is allowed; the others are for later. False: there is none.
    [[nodiscard]] bool place(EventId store, std::uint32_t least);
    [[nodiscard]] Answer block(Thread thread, std::uint16_t reads);
    [[nodiscard]] Answer simple(Thread thread, const Event& event);
    [[nodiscard]] std::uint64_t value_of(Location location, EventId store) const;
    void know_initial(const Access& access);
    [[nodiscard]] Order order_of(Order order) const {
        return model_ == Model::kSc ? Order::kSeqCst : order;
    }
    // The last loads of the thread have read what stays. Those of others are their rounds.
    [[nodiscard]] bool is_final(Thread thread, const Rounds& loads) const;

    Model model_;
    Choices* choices_ = nullptr;
    bool repeats_ = false;
    std::vector<std::unique_ptr<Frame>> frames_;
    std::vector<std::unique_ptr<Frame>> spare_;
    Run run_;
    Counts counts_;
    bool has_begun_ = false;
    bool has_too_many_ = false;
    // The value before any store, and in which run it was told.
    struct Initial {
        std::uint64_t value = 0;
        std::uint64_t run = 0;
    };
    std::vector<Initial> initial_;
    std::uint64_t runs_ = 0;
    std::vector<std::uint32_t> places_;  // among which one is drawn
};

}  // namespace lockkeeper::threads
