// SPDX-License-Identifier: Apache-2.0

// Makes one run after another, and counts: the part of sampling that workers do at the same time.
// sampled.cpp merges and judges; splitting.cpp has runs of its own.
//
// Run `number` of a seed is the same run whoever makes it. Errors: what the system throws.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "measure/intervals.hpp"
#include "measure/measure.hpp"
#include "model/event.hpp"
#include "model/observation.hpp"
#include "scheduler/runs/walker.hpp"
#include "scheduler/search/judge.hpp"

namespace lockkeeper {

// The order in which waits are served: for `measure --ages`, called by RunSampler with each event.
//
// A wait begins when a caller asks for a key, and goes on while the caller is refused and asks for
// the same key again. A grant ends it, and so does any other call, or the caller's death. A grant
// is contended where others ask for the same key at that moment. Numbers of grants; no errors.
// Limit: where one call may return before an earlier grant does, the order of returns counts.

struct ServedByAge {
    std::uint64_t contended = 0;
    std::uint64_t to_longest = 0;  // of these, to the caller who waits longest
    std::uint64_t to_newest = 0;   // to the last one who came
    double by_equal_chances = 0;  // of these, expected for either, if all who ask had equal chances
};

class Waits {
  public:
    // The bits of the events that note() has to be told.
    static constexpr std::uint32_t kTriggers =
        kInvoked | kAcquired | kRefused | kFailed | kLost | kCallerDied | kCrashed;

    void note(const Event& event);
    [[nodiscard]] const ServedByAge& served() const { return served_; }

  private:
    struct Wait {
        std::uint64_t began = 0;  // the number of the first call; 0: does not wait
        std::uint8_t key = 0;
        bool is_asking = false;
    };
    void serve(const Wait& granted);

    std::array<Wait, kCallersMax> waits_{};
    std::uint64_t calls_ = 0;
    ServedByAge served_;
};

// By key, the largest capacity that callers see. Known to a sampler from some runs of its own.
using Capacities = std::array<std::uint32_t, kKeysMax>;

struct PropertyTally {
    std::uint64_t hits = 0;
    std::uint64_t cut_before = 0;  // runs that were cut and might have met it later
    bool has_time = false;         // kRates: time in violation means something
    Spread count;
    Spread seconds_until;      // the first, or the end of the run, or where it was cut
    Spread violating_seconds;  // kRates
    Spread share_of_time;      // kRates: of the second half of a run that was cut
    Spread overlap_lasts;      // virtual time
};
struct RunTally {
    std::uint64_t runs = 0;
    std::uint64_t steps = 0;
    std::uint64_t cut_runs = 0;
    std::uint64_t seized_runs = 0;
    std::uint64_t cut_unseized = 0;
    Spread acquires;
    Spread lost;
    Spread seconds;
    Spread seconds_to_seizure;  // or as far as the run went
    Spread contended;           // and below: where `ages` asked for it (ServedByAge)
    Spread to_longest;
    Spread to_newest;
    Spread by_equal_chances;
    bool has_virtual_time = false;
    std::vector<PropertyTally> properties;

    void merge(const RunTally& other);
};

// Random numbers of one run, a function of its arguments. Streams are different uses of a seed.
enum class Stream : std::uint64_t { kRuns, kPilot, kSplitting, kLevels };
[[nodiscard]] Random random_of(std::uint64_t seed, Stream stream, std::uint64_t number);

// Finds what a run violated at one step. Shared by plain runs and splitting.
class Violations {
  public:
    explicit Violations(const std::vector<const Property*>& check);

    [[nodiscard]] const Judge& judge() const { return judge_; }
    // Bits by place in `check`, of the step that was taken last; `ends`: how the run ended, if so.
    [[nodiscard]] std::uint64_t of_step(const Walker& walker, const Event& event);
    [[nodiscard]] std::uint64_t at_rest(const Walker& walker);
    [[nodiscard]] std::uint64_t of_end(WalkStop stop) const;

  private:
    Judge judge_;
    std::uint64_t deadlock_ = 0;
    Observation observation_{};
};
inline constexpr std::size_t kSampledPropertiesMax = 64;

// Not the properties of the graph, deadlock apart.
[[nodiscard]] bool is_seen_in_runs(const Property& property);

class RunSampler {
  public:
    RunSampler(const MakeWalker& make_walker, const MeasureOptions& options);

    // Before any run that counts: so many runs show the capacities.
    [[nodiscard]] Capacities look_for_capacities(std::uint64_t runs);
    void set_capacities(const Capacities& capacities) { capacities_ = capacities; }

    // Adds one run to the tally; false: `may_go_on` said no in the midst of it, nothing is added.
    template <class MayGoOn>
    bool run(std::uint64_t number, RunTally& tally, MayGoOn may_go_on) {
        begin(number);
        while (go_on()) {
            if (!may_go_on()) {
                return false;
            }
        }
        finish(tally);
        return true;
    }

  private:
    struct OfProperty {
        std::uint64_t count = 0;
        double first_seconds = 0;
        double violating_seconds = 0;
        double late_seconds = 0;  // the same, in the second half
        double overlap_lasts = 0;
    };
    void begin(std::uint64_t number);
    bool go_on();  // some thousand steps; false: the run is over
    void note(std::uint64_t violated);
    void end(WalkStop stop);
    void pass_time(double seconds);
    void look_at_state();
    void look_at_overlaps();
    void finish(RunTally& tally);

    const MeasureOptions& options_;
    std::unique_ptr<Walker> walker_;
    Violations violations_;
    Capacities capacities_{};
    bool watches_time_ = false;
    std::uint64_t judged_in_time_ = 0;
    bool watches_overlaps_ = false;
    std::uint64_t over_held_ = 0;
    std::uint64_t beliefs_overlap_ = 0;
    std::uint64_t grants_overlap_ = 0;
    std::uint64_t rest_ = 0;
    // of the run
    Walk walk_;
    Waits waits_;
    bool is_over_ = false;
    bool is_cut_ = false;
    bool is_seized_ = false;
    double seizure_seconds_ = 0;
    double late_seconds_ = 0;
    std::uint64_t violating_now_ = 0;
    std::uint64_t overlapping_now_ = 0;
    std::int32_t now_ = 0;
    std::vector<OfProperty> of_;
    Observation observation_{};
};

}  // namespace lockkeeper
