// SPDX-License-Identifier: Apache-2.0

// The search over what may happen at the wire. Real clients cannot be copied, so each schedule is
// run from the beginning: depth first, complete where the scope is finite, and drawn schedules by
// seed for what that does not finish: random choices and PCT (scheduler/runs/strategy.hpp) in turn.
// What is found is shrunk and replayed.
//
// Reduction: source sets with sleep sets (Abdulla, Aronis, Jonsson, Sagonas 2014). Of two steps
// that commute (wire_run.hpp) only one order is looked at; what a step touches is known from the
// run that took it. A run whose next steps have all been looked at in another order is cut, and is
// no schedule of its own. Source sets (wire_sources.cpp) save most of the runs that would be cut.
//
// The same clients, scope and options give the same result, time limits apart: words and bytes of
// every step that is repeated are compared, and DifferentAnswer says where they differ.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "validate/programs/stepped_search.hpp"
#include "validate/wire/wire_run.hpp"

namespace lockkeeper::wire {

enum class Drawn : std::uint8_t { kRandom, kPct };

struct WireSearchOptions : SteppedOptions {
    bool reduces = true;
    Freshness freshness = Freshness::kKept;  // while it searches
    // Tests: the end of every run that was looked at, with all that it has violated; then nothing
    // is a finding, and no run ends early.
    std::function<void(const std::string& outcome)> on_outcome;
    // Tests: what was chosen in each run.
    std::function<void(const std::vector<Action>& actions)> on_schedule = nullptr;
    // Tests: only the drawn schedules of one kind.
    std::optional<Drawn> only = std::nullopt;
    // Where it reduces; tests: sleep sets alone.
    bool uses_source_sets = true;
};

class WireSearch final : public OutsideSearch {
  public:
    WireSearch(Wire& wire, const OutsideWorld& world, const WireScope& scope,
               WireSearchOptions options);

    [[nodiscard]] SteppedResult search() override;
    [[nodiscard]] SteppedTrace replay(const std::vector<Action>& actions) override;
    [[nodiscard]] SteppedTrace show(const SteppedFinding& finding) override;
    [[nodiscard]] std::string repeated_difference(const SteppedFinding& finding,
                                                  const SteppedTrace& trace) override;

  private:
    struct Taken {
        Action action;
        StepEffect effect;
    };
    // One decision of the depth-first search.
    struct Frame {
        std::vector<Action> enabled;  // as the run had it
        std::string seen;             // what everybody had under way then
        std::vector<Action> choices;
        std::size_t chosen = 0;
        std::string shown;  // the step that was chosen, in words; empty: not yet taken
        std::uint64_t bytes = 0;
        StepEffect effect;          // of it
        std::vector<Taken> asleep;  // looked at before, in another order
        std::vector<Taken> done;    // looked at from here
        std::vector<bool> before;   // of the steps up to here, those that this one depends on
        std::optional<Action> last;
        std::uint32_t preemptions = 0;
    };
    enum class AtEnd : std::uint8_t { kNo, kYes };

    void explore();
    [[nodiscard]] bool explore_round();
    void take_known();
    void run_drawn(std::uint64_t number);
    void run_random(std::uint64_t number);
    void run_pct(std::uint64_t number);
    void run_frames();
    void go_on();
    [[nodiscard]] Frame make_frame(std::vector<Action> enabled);
    void take_in_frame(Frame& frame);
    [[nodiscard]] bool next_choice();
    // wire_sources.cpp
    [[nodiscard]] bool has_sources() const {
        return options_.reduces && options_.uses_source_sets && !options_.preemptions_max;
    }
    void choose_source(Frame& frame);
    void find_races();
    void reverse_race(std::size_t first);
    static void add_steps_of(std::uint8_t caller, Frame& frame);
    AtEnd look(std::size_t depth, const std::vector<Action>& enabled);
    WireRun::Step take(Action action);
    void guarded(const std::function<void()>& run);
    void found(const Property* property);
    [[nodiscard]] bool should_stop();
    [[nodiscard]] double seconds() const;
    [[nodiscard]] ChildProcess::Deadline deadline() const override {
        return ChildProcess::after(options_.seconds_max, started_);
    }
    void stop_by(const ChildProcess::StopRule& rule) override { wire_.stop_by(rule); }
    void begin_run() override;
    [[nodiscard]] std::vector<Action> possible() override { return run_.enabled(); }
    void go(Action action) override { static_cast<void>(run_.take(action)); }
    void look_at_end() override { run_.probe(false); }
    [[nodiscard]] bool at_rest() override { return run_.at_rest(); }
    [[nodiscard]] bool is_finished() override { return run_.finished(); }
    [[nodiscard]] ActionClass class_of(Action action) const override {
        return run_.class_of(action);
    }
    [[nodiscard]] OutsideTally take_tally() override { return run_.take_tally(); }
    [[nodiscard]] const std::vector<const Property*>& violated() const override {
        return run_.violated();
    }
    [[nodiscard]] const std::vector<const Property*>& broken(
        const std::vector<Action>& enabled) override;
    // Everybody fresh: after something that nobody knows the end of.
    void give_up() override;
    [[nodiscard]] SteppedTrace run_exactly(const std::vector<Action>& actions, bool stops_at_end);
    void take_into(SteppedTrace& trace, const std::vector<Action>& actions);

    Wire& wire_;
    WireRun run_;
    WireSearchOptions options_;
    SteppedResult result_;
    std::vector<Frame> frames_;
    std::vector<Action> actions_;     // of the run under way
    std::vector<std::string> shown_;  // its steps in words
    SteppedFinding first_;            // the first run, whatever it came to
    std::string found_by_;
    std::string outcome_;
    bool is_warm_ = false;
    bool is_probing_ = false;
    bool shares_ = false;
    bool stopped_ = false;  // in the middle of a run
    bool pruned_ = false;
    bool was_cut_ = false;       // the run under way
    double began_ = 0;           // the run under way, in seconds
    std::uint32_t longest_ = 1;  // drawn run so far, in steps
    ChildProcess::Deadline started_ = ChildProcess::Clock::now();
};

}  // namespace lockkeeper::wire
