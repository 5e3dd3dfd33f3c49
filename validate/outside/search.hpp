// SPDX-License-Identifier: Apache-2.0

// The search over the interleavings of outside code: one for programs of the protocol and for
// unmodified clients at the wire. The code cannot be copied, so each schedule is run from the
// beginning (stateless search by re-execution): depth first, complete where the scope is finite,
// and drawn schedules by seed (draws.cpp has the three kinds) for what that does not finish.
// Findings are shrunk, explained and replayed. Used by reports/ and tests.
//
//   OutsideSearch search(source, options);
//   const OutsideResult result = search.search();       judge_search (verdict.hpp) does the rest
//
// Exploring skips runs according to what the source can say (source.hpp):
//   known states   the search continues once from each state, which it stores as a whole, not as a
//                  fingerprint
//   effects        source sets with sleep sets (Abdulla, Aronis, Jonsson, Sagonas 2014) explore one
//                  order of two commuting steps. A run whose next steps were all explored in
//                  another order is cut and is no schedule of its own. Few faults come first
//   neither        few interruptions of an operation by others come first: none, one, any number
// A time limit or an interrupt can end a search, or a shrinking, in the middle of a run. That run
// does not count as a schedule.
// The same code, world and options give the same result, time limits apart. The search compares
// repeated steps, and DifferentAnswer says where the code is not deterministic.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/runs/fuzz.hpp"
#include "validate/outside/known_states.hpp"
#include "validate/outside/result.hpp"
#include "validate/outside/seen_places.hpp"
#include "validate/outside/shown_run.hpp"
#include "validate/outside/source.hpp"

namespace lockkeeper {

enum class Drawn : std::uint8_t { kRandom, kPct, kByFeedback };
// Drawn schedules take these kinds in turn.
inline constexpr Drawn kDrawn[] = {Drawn::kRandom, Drawn::kPct, Drawn::kByFeedback};
[[nodiscard]] constexpr const char* name_of(Drawn kind) {
    constexpr const char* kNames[] = {"random", "pct", "feedback"};
    return kNames[static_cast<std::size_t>(kind)];
}

// The number of times that a finding is run again before it counts.
inline constexpr int kConfirmations = 10;

struct OutsideOptions {
    OutsideMethod method = OutsideMethod::kBoth;
    std::uint64_t seed = 1;
    std::uint64_t schedules_max = 10'000;
    std::uint64_t steps_max = 1'000;  // of one schedule
    double seconds_max = 1e18;
    std::optional<std::uint32_t> preemptions_max = {};
    std::vector<Schedule> corpus = {};  // tried before anything else
    std::function<void(const FuzzProgress&)> progress = nullptr;
    std::function<bool()> stop = nullptr;  // asked now and then, as an interrupt is
    // Reduces where steps say what they touch. Tests: without source sets, by sleep sets alone.
    bool reduces = true;
    bool uses_source_sets = true;
    // Tests: receives the end of every run explored, with all that it has violated. Then nothing
    // is a finding, and no run ends early.
    std::function<void(const std::string& outcome)> on_outcome = nullptr;
    // Tests: receives the actions of each run.
    std::function<void(const std::vector<Action>& actions)> on_schedule = nullptr;
    // Tests: only the drawn schedules of one kind.
    std::optional<Drawn> only = std::nullopt;
    int confirmations = kConfirmations;  // tests: fewer, as each starts all processes anew
};

// After a finding that may follow from another one, the search runs this many schedules more to
// find the other. Room for too many callers follows from something that callers do. A history that
// no order explains often follows from a lock that two callers had.
inline constexpr std::uint64_t kVisibleSchedulesMax = 1'000;
[[nodiscard]] bool may_follow_from_others(const OutsideFinding& finding, const OutsideWorld& world);

inline constexpr std::uint64_t kShrinkReplaysMax = 2'000;
inline constexpr std::uint64_t kShorterSchedulesMax = 2'000;
// The most steps that a run may take beyond its given actions, where it continues to an end.
inline constexpr std::size_t kGoneOnStepsMax = 1'000;
// The least time for showing a finding, however little the search has left.
inline constexpr double kShowSeconds = 0.5;

// The place that a person reaches who walks by hand.
struct OutsidePlace {
    OutsideTrace trace;  // as far as the actions are possible, also beyond a violation
    // The state before the first step and after each: equal for equal states. Empty: unknown.
    std::vector<std::string> states;
    std::vector<Action> possible;
    std::vector<std::string>
        look;  // where the walk ends at rest: what fresh clients meet, in words
};
// Chooses each step after the given actions; nothing: the walk ends.
using NextStep = std::function<std::optional<Action>(const std::vector<Action>& possible)>;

class DrawnSteps;  // random_steps.hpp

class OutsideSearch {
  public:
    static constexpr std::uint32_t kNoBound = UINT32_MAX;

    // The source must outlive it.
    OutsideSearch(Source& source, OutsideOptions options)
        : source_(source), options_(std::move(options)) {}
    OutsideSearch(const OutsideSearch&) = delete;
    OutsideSearch& operator=(const OutsideSearch&) = delete;

    [[nodiscard]] OutsideResult search();
    // Once more from the beginning, in what is left of the time.
    [[nodiscard]] OutsideResult search_again();
    // The shortest run with the same end that the limits allow to find: kShrinkReplaysMax runs that
    // leave something out, kShorterSchedulesMax schedules that explore shorter runs where states
    // are known, and the search's time.
    [[nodiscard]] OutsideFinding shrink(const OutsideFinding& finding);
    // The steps that the finding's end needs. For each step, the run takes another decision there,
    // keeps all others and continues. Empty: no step alone is needed, or the time was over.
    [[nodiscard]] std::vector<std::size_t> causes_of(const OutsideFinding& finding);
    // Runs exactly these actions, up to the first violation or impossible action, for at most the
    // time of a search.
    [[nodiscard]] OutsideTrace replay(const std::vector<Action>& actions);
    // The same for a finding, in what is left of the search's time and at least kShowSeconds,
    // interrupted or not. Does not wait again where the code hangs: the trace ends there.
    [[nodiscard]] OutsideTrace show(const OutsideFinding& finding);
    // Shows the finding several times more. Returns how a run differs from `trace`, as the two
    // answers; empty: none does. Does not wait for a hang again.
    [[nodiscard]] std::string repeated_difference(const OutsideFinding& finding,
                                                  const OutsideTrace& trace);

    // Runs once, by the processes that are there, for at most the time of a search. Fresh processes
    // replay only the way that the person keeps in the end.
    [[nodiscard]] OutsidePlace walk(const std::vector<Action>& actions,
                                    const NextStep& next = nullptr);

    [[nodiscard]] Source& source() { return source_; }
    [[nodiscard]] Moment deadline() const { return moment_after(options_.seconds_max, started_); }

  private:
    struct Taken {
        Action action;
        StepEffect effect;
    };
    // One decision of the depth-first search.
    struct Frame {
        std::vector<Action> enabled;  // as the run had it
        std::string seen;             // what was asked and stored then
        std::size_t fingerprint = 0;
        std::vector<Action> choices;  // within the bound, the preferred first
        std::size_t chosen = 0;
        std::string shown;  // the step that was chosen, in words; empty: not yet taken
        std::uint64_t bytes = 0;
        std::optional<Action> last;  // the step before, faults and time apart
        bool interrupts = false;     // a step of another party than that of `last`
        std::uint32_t preemptions = 0;
        // Where steps say what they touch:
        StepEffect effect;          // of the one that was chosen
        std::vector<Taken> asleep;  // looked at before, in another order
        std::vector<Taken> done;    // looked at from here
        std::vector<bool> before;   // of the steps up to here, those that this one depends on

        [[nodiscard]] Action taken() const { return choices[chosen]; }
        [[nodiscard]] bool sleeps(Action action) const;
    };
    // The limits of one round of exploring.
    struct Bounds {
        std::uint32_t preemptions = 0;
        std::uint32_t faults = 0;
    };
    enum class AtEnd : std::uint8_t { kNo, kYes };
    enum class Goes : std::uint8_t { kToItsEnd, kOn };

    // search.cpp
    void begin_search();
    void take_known();
    void guarded(const std::function<void()>& run);
    OutsideStep take(Action action);
    void look();
    [[nodiscard]] AtEnd is_over(std::size_t depth, const std::vector<Action>& enabled);
    [[nodiscard]] AtEnd end_run(const std::vector<Action>& enabled);
    [[nodiscard]] bool should_stop();
    [[nodiscard]] bool is_interrupted() const;
    [[nodiscard]] double seconds() const;
    [[nodiscard]] std::string where_it_happens() const;
    [[nodiscard]] OutsideFinding run_until_now(const Property* property) const;
    void take_finding(OutsideFinding finding);
    void take_hidden();
    void recheck();

    // explore.cpp
    void explore();
    [[nodiscard]] std::vector<Bounds> rounds();
    [[nodiscard]] bool explore_round(const Bounds& bounds);
    void run_frames();
    void go_on(const Bounds& bounds);
    [[nodiscard]] bool was_seen(const Bounds& bounds);
    [[nodiscard]] Frame make_frame(std::vector<Action> enabled, const Bounds& bounds);
    void follow(const Frame& before, Frame& frame) const;
    void take_in_frame(Frame& frame);
    [[nodiscard]] bool next_choice();

    // source_sets.cpp
    [[nodiscard]] bool may_reduce() const;
    [[nodiscard]] bool has_sources() const { return may_reduce() && options_.uses_source_sets; }
    void choose_source(Frame& frame);
    void find_races();
    void reverse_race(std::size_t first);
    static void add_steps_of(std::uint8_t caller, Frame& frame);

    // draws.cpp
    void draw();
    void run_drawn(DrawnSteps& steps);

    // stateless_promise.cpp
    [[nodiscard]] std::vector<std::string> futures(const std::vector<Action>& path,
                                                   std::vector<Action>& rest, std::uint64_t number,
                                                   bool is_first);
    [[nodiscard]] std::string difference_after(const KnownStates::MetAgain& met,
                                               std::uint64_t number);
    [[nodiscard]] std::string broken_promise();

    // replay.cpp
    [[nodiscard]] OutsideTrace run_exactly(const std::vector<Action>& actions);
    [[nodiscard]] OutsideTrace run_to_hang(const OutsideFinding& finding);
    void take_into(OutsideTrace& trace, const std::vector<Action>& actions);
    void look_into(OutsideTrace& trace, const std::vector<Action>& actions);
    [[nodiscard]] bool shows_in_short(const std::vector<Action>& actions);
    [[nodiscard]] TraceStep take_shown(Action action);
    template <class Run>
    void replayed(OutsideTrace& trace, Run run);
    template <class Run>
    void shown(OutsideTrace& trace, Run run);
    void note_broken(OutsideTrace& trace);
    void walk_into(OutsidePlace& place, const std::vector<Action>& actions, const NextStep& next);

    // shrink.cpp. `finding`: null is any.
    [[nodiscard]] std::optional<OutsideFinding> try_known();
    void leave_out(OutsideFinding& finding);
    void look_for_shorter(OutsideFinding& finding);
    [[nodiscard]] std::optional<std::vector<Action>> ends_so(const std::vector<Action>& actions,
                                                             const OutsideFinding* finding,
                                                             Goes goes);
    [[nodiscard]] const std::vector<const Property*>& broken(const std::vector<Action>& enabled);
    [[nodiscard]] bool may_go_on(Moment last) const;
    [[nodiscard]] std::vector<std::vector<Action>> possible_in(const std::vector<Action>& actions);

    Source& source_;
    OutsideOptions options_;
    OutsideResult result_;
    Moment started_ = SteadyClock::now();
    bool shares_ = false;   // exploring leaves half of the budget to drawn schedules
    bool stopped_ = false;  // in the middle of a run
    std::string found_by_;
    // The run under way, and its steps in words.
    std::vector<Action> actions_;
    std::vector<std::string> shown_;
    bool is_looking_ = false;
    bool was_cut_ = false;
    double began_ = 0;      // in seconds
    std::string outcome_;   // see OutsideOptions::on_outcome
    OutsideFinding first_;  // the first run, whatever it came to
    // The round of exploring under way.
    std::vector<Frame> frames_;
    bool pruned_ = false;      // a bound on preemptions left something out
    bool ends_early_ = false;  // a run came to a limit of steps or of time
    KnownStates known_;
    std::uint32_t longest_ = 1;  // drawn run so far, in steps
    SeenPlaces seen_places_;
    // See may_follow_from_others.
    std::optional<OutsideFinding> hidden_;
    std::uint64_t hidden_until_ = 0;  // schedules
    std::uint64_t replays_ = 0;
    const Property* only_ = nullptr;     // nothing else is a finding
    std::optional<ShownRun> shown_run_;  // the one under way, where it is shown
};

// Owns the run that a search drives: a class that makes both derives from it before OutsideSearch.
template <class Run>
struct OwnRun {
    template <class... Of>
    explicit OwnRun(Of&&... of) : run(std::forward<Of>(of)...) {}
    Run run;
};

}  // namespace lockkeeper
