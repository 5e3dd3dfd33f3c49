// SPDX-License-Identifier: Apache-2.0

// The search over the interleavings of a program at the stepped level. The program cannot be
// copied, so each schedule is run from the beginning (stateless search by re-execution): depth
// first, with a bound on how often an operation is interrupted that grows from 0 on, and random
// schedules by seed for what that does not finish. What is found is shrunk and replayed. Used by
// app/.
//
// Where the program is stateless, a state (stored as a whole, not as a fingerprint) is gone on from
// once; then the search can be complete. Where it is not, the number of interleavings is the limit.
// A time limit or an interrupt ends a search, or a shrinking, in the middle of a run, which then is
// no schedule that was looked at.
// The same program, world and options give the same result, time limits apart: the program's
// determinism is checked at every step that is repeated, and DifferentAnswer says where it ends.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "scheduler/runner.hpp"
#include "validate/programs/outside_search.hpp"
#include "validate/programs/stepped_run.hpp"

namespace lockkeeper {

enum class SteppedMethod : std::uint8_t { kExplore, kRandom, kBoth };
// In the order of SteppedMethod.
inline constexpr const char* kSteppedMethods[] = {"explore", "random", "both"};
[[nodiscard]] constexpr const char* name_of(SteppedMethod method) {
    return kSteppedMethods[static_cast<std::size_t>(method)];
}

struct SteppedOptions {
    SteppedMethod method = SteppedMethod::kBoth;
    std::uint64_t seed = 1;
    std::uint64_t schedules_max = 10'000;
    std::uint64_t steps_max = 1'000;  // of one schedule
    double seconds_max = 1e18;
    std::optional<std::uint32_t> preemptions_max;
    std::vector<Schedule> corpus = {};  // tried before anything else
    std::function<void(const FuzzProgress&)> progress;
};

class SteppedSearch final : public OutsideSearch {
  public:
    SteppedSearch(Program& program, const OutsideWorld& world, SteppedOptions options);

    [[nodiscard]] SteppedResult search() override;
    [[nodiscard]] SteppedTrace replay(const std::vector<Action>& actions) override;
    [[nodiscard]] SteppedTrace show(const SteppedFinding& finding) override;
    [[nodiscard]] std::string repeated_difference(const SteppedFinding& finding,
                                                  const SteppedTrace& trace) override;

  private:
    // One decision of the depth-first search.
    struct Frame {
        std::vector<Action> enabled;  // as the run had it
        std::string seen;             // what was asked and stored then
        std::size_t fingerprint = 0;  // of everything
        std::vector<Action> choices;  // within the bound, the preferred first
        std::size_t chosen = 0;
        std::string shown;           // the step that was chosen, in words; empty: not yet taken
        std::optional<Action> last;  // the step before, faults and time apart
        std::uint32_t preemptions = 0;
    };
    struct Left {
        std::uint32_t preemptions = 0;
        std::uint64_t steps = 0;
    };
    enum class AtEnd : std::uint8_t { kNo, kYes };

    bool explore(std::uint32_t bound);
    void take_known();
    void run_random(std::uint64_t number);
    void run_frames();
    void go_on(std::uint32_t bound);
    AtEnd look(std::size_t depth, const std::vector<Action>& enabled);
    const std::string& take(Action action);
    void probe();
    void recheck();
    // stateless_promise.cpp. Of two runs that came to the same: how they differ afterwards; empty:
    // nowhere.
    struct MetAgain {
        std::vector<Action> first;
        std::vector<Action> then;
    };
    void note_first(const std::string& key);
    void note_again(const std::string& key);
    [[nodiscard]] std::vector<std::string> futures(const std::vector<Action>& path,
                                                   std::vector<Action>& rest, std::uint64_t number,
                                                   bool is_first);
    [[nodiscard]] std::string difference_after(const MetAgain& met, std::uint64_t number);
    [[nodiscard]] std::string broken_promise();
    [[nodiscard]] bool was_seen(std::uint32_t bound);
    [[nodiscard]] Frame make_frame(std::vector<Action> enabled, std::uint32_t bound);
    [[nodiscard]] static bool next_choice(std::vector<Frame>& frames);
    [[nodiscard]] std::string where_it_happens() const;
    void guarded(const std::function<void()>& run);
    void found(const Property* property);
    [[nodiscard]] bool should_stop();
    [[nodiscard]] double seconds() const;
    [[nodiscard]] ChildProcess::Deadline deadline() const override {
        return ChildProcess::after(options_.seconds_max, started_);
    }
    void stop_by(const ChildProcess::StopRule& rule) override { program_.stop_by(rule); }
    void begin_run() override { run_.begin(); }
    [[nodiscard]] std::vector<Action> possible() override { return run_.enabled(); }
    void go(Action action) override { run_.take(action); }
    void look_at_end() override { run_.probe(); }
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
    void give_up() override { program_.kill(); }
    [[nodiscard]] SteppedTrace run_exactly(const std::vector<Action>& actions);
    [[nodiscard]] SteppedTrace run_to_hang(const SteppedFinding& finding);
    void take_into(SteppedTrace& trace, const std::vector<Action>& actions);
    void probe_into(SteppedTrace& trace, const std::vector<Action>& actions);
    [[nodiscard]] bool shows_with_one_pause(const std::vector<Action>& actions);

    Program& program_;
    SteppedRun run_;
    SteppedOptions options_;
    SteppedResult result_;
    std::vector<Frame> frames_;
    std::vector<Action> actions_;     // of the run under way
    std::vector<std::string> shown_;  // its steps in words
    SteppedFinding first_;            // the first run, whatever it came to
    // See may_follow_from_others.
    std::string found_by_;
    bool pruned_ = false;
    bool shares_ = false;
    bool is_probing_ = false;
    bool stopped_ = false;  // in the middle of a run
    std::unordered_map<std::string, Left> seen_;
    std::uint64_t seen_bytes_ = 0;
    // By the hash of the key: how it was first come to.
    std::unordered_map<std::size_t, std::vector<Action>> first_paths_;
    std::uint64_t path_bytes_ = 0;
    std::uint64_t cuts_ = 0;
    std::vector<MetAgain> met_again_;
    ChildProcess::Deadline started_ = ChildProcess::Clock::now();
};

// So often a finding is run again before it counts.
inline constexpr int kConfirmations = 10;
// The steps of a trace in words, each with what came of it.
[[nodiscard]] std::vector<std::string> shown_steps(const SteppedTrace& trace);
// "step 3: first X, then Y"; empty: the same.
[[nodiscard]] std::string step_difference(const std::vector<std::string>& first,
                                          const std::vector<std::string>& then);
// A step as a report has it: what is done, and what comes of it.
[[nodiscard]] std::string shown_step(const std::string& text, const std::string& result);
inline constexpr double kShowSeconds = 0.5;
inline constexpr std::uint64_t kSeenBytesMax = std::uint64_t{1} << 30U;

}  // namespace lockkeeper
