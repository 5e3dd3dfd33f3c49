// SPDX-License-Identifier: Apache-2.0
#include "measure/splitting.hpp"

#include <algorithm>

namespace lockkeeper {
namespace {

constexpr std::uint32_t kReturns =
    kAcquired | kRefused | kReleased | kFailed | kDone | kCrashed | kCallerDied;
constexpr std::uint32_t kMishap =
    kCrashed | kWentWrong | kForcedRelease | kFoundFull | kNothingToRelease;

std::int64_t of_key(Score score, const KeyObservation& key) {
    const auto believed = static_cast<std::int64_t>(key.believed);
    std::int64_t highest = key.counted_most;
    for (const std::int32_t counter : key.counters) {
        highest = counter == kAbsentCounter ? highest : std::max<std::int64_t>(highest, counter);
    }
    switch (score) {
        case Score::kHighestCounter: return highest;
        case Score::kLowestCounter: return -key.lowest_counter();
        case Score::kHolders: return believed;
        case Score::kUncounted: return believed - key.counted_most;
        case Score::kLost: return key.counted_least - believed;
        case Score::kLongestCall:
        case Score::kMishaps: break;
    }
    return 0;
}

std::int64_t of_state(Score score, const Walker& walker, Observation& scratch) {
    walker.observe(scratch);
    std::int64_t most = 0;
    for (std::size_t key = 0; key < scratch.keys_count; ++key) {
        const std::int64_t here = of_key(score, scratch.keys[key]);
        most = key == 0 ? here : std::max(most, here);
    }
    return most;
}

}  // namespace

std::string_view name_of(Score score) {
    switch (score) {
        case Score::kLongestCall: return "steps of the longest call";
        case Score::kHighestCounter: return "highest counter";
        case Score::kLowestCounter: return "lowest counter";
        case Score::kHolders: return "holders";
        case Score::kUncounted: return "holders that are not counted";
        case Score::kLost: return "counted units that nobody holds";
        case Score::kMishaps: return "mishaps so far";
    }
    return "?";
}

std::int64_t ScoreKeeper::longest_call(const Event& event) {
    if (event.caller < kCallersMax && !event.passed_signal()) {
        std::uint16_t& steps = steps_of_call_[event.caller];
        if (event.is(kInvoked)) {
            steps = 0;
        }
        if (steps > 0 || event.is(kInvoked)) {
            steps = static_cast<std::uint16_t>(std::min(steps + 1, 0xFFFF));
        }
        if ((event.what & kReturns) != 0) {
            steps = 0;
        }
    }
    return *std::max_element(steps_of_call_.begin(), steps_of_call_.end());
}

std::int64_t ScoreKeeper::after(Score score, const Walker& walker, const Event& event,
                                Observation& scratch) {
    switch (score) {
        case Score::kLongestCall: return longest_call(event);
        case Score::kMishaps: mishaps_ += (event.what & kMishap) != 0 ? 1 : 0; return mishaps_;
        default: return of_state(score, walker, scratch);
    }
}

std::int64_t ScoreKeeper::at_begin(Score score, const Walker& walker, Observation& scratch) {
    *this = {};
    switch (score) {
        case Score::kLongestCall:
        case Score::kMishaps: return 0;
        default: return of_state(score, walker, scratch);
    }
}

namespace {

constexpr std::uint64_t kPilotRuns = 200;
constexpr std::size_t kStagesMax = 200;
// The next level is the furthest point that one in five pilot runs reaches.
constexpr std::size_t kCrossing = kPilotRuns / 5;
// The search for levels ends at so many violations.
constexpr std::uint64_t kViolationsEnough = kPilotRuns / 10;

bool may(const MayGoOn& may_go_on) { return !may_go_on || may_go_on(); }

}  // namespace

Splitting::Splitting(const MakeWalker& make_walker, const MeasureOptions& options,
                     std::size_t place)
    : options_(options),
      target_(std::uint64_t{1} << place),
      walker_(make_walker(options.law)),
      violations_(options.check) {}

// --- one run ------------------------------------------------------------------------------------

Splitting::Particle Splitting::first(Score score) {
    walker_->begin();
    Particle particle;
    particle.state.resize(walker_->state_bytes());
    walker_->save(particle.state.data());
    particle.score = particle.keeper.at_begin(score, *walker_, scratch_);
    if (violations_.judge().judges_rest() && walker_->quiescent() &&
        (violations_.at_rest(*walker_) & target_) != 0) {
        particle.score = kViolated;
    }
    return particle;
}

// False: the run is over. The walker stands where the particle does; its state is not saved.
bool Splitting::step(Particle& particle, Score score, Walk& walk) {
    if (particle.steps >= options_.steps_max) {
        return false;
    }
    walk.steps = particle.steps;
    walk.steps_end = particle.steps + 1;
    const WalkStop stop = walker_->walk(walk);
    if (stop == WalkStop::kFinished || stop == WalkStop::kDeadlock) {
        if ((violations_.of_end(stop) & target_) != 0) {
            particle.score = kViolated;
        }
        return false;
    }
    particle.steps = walk.steps;
    std::uint64_t violated = 0;
    if (stop == WalkStop::kShown) {
        violated = violations_.of_step(*walker_, walk.event);
    }
    if (walk.stops_at_rest && walker_->quiescent()) {
        violated |= violations_.at_rest(*walker_);
    }
    particle.score = particle.keeper.after(score, *walker_, walk.event, scratch_);
    if ((violated & target_) != 0) {
        particle.score = kViolated;
    }
    return true;
}

std::int64_t Splitting::go_on(Particle& particle, Score score, std::int64_t level, Random& random,
                              double& count) {
    std::int64_t furthest = particle.score;
    if (furthest >= level && level != kViolated) {
        return furthest;
    }
    Walk walk;
    walk.random = random;
    walk.triggers = violations_.judge().triggers();
    walk.stops_at_rest = violations_.judge().judges_rest();
    walker_->load(particle.state.data());
    count += particle.score == kViolated ? 1 : 0;
    for (bool goes_on = true; goes_on;) {
        goes_on = step(particle, score, walk);
        const bool violates = particle.score == kViolated;
        // Once it has violated, the end of a run that violates nothing more brings nothing.
        if (goes_on || (violates && furthest != kViolated)) {
            count += violates ? 1 : 0;
        }
        furthest = std::max(furthest, particle.score);
        if (level != kViolated && furthest >= level) {
            walker_->save(particle.state.data());
            break;
        }
    }
    random = walk.random;
    return furthest;
}

// --- stages -------------------------------------------------------------------------------------

// Each run of the stage before goes on as often as any other, one time more or less: which, chance
// decides.
Splitting::Stage Splitting::stage(const std::vector<Particle>& from, Score score,
                                  std::int64_t level, std::uint64_t runs, Random& random,
                                  const MayGoOn& may_go_on) {
    Stage stage;
    const auto per_run = static_cast<double>(from.size()) / static_cast<double>(runs);
    const double offset = random.unit();
    for (std::uint64_t i = 0; i < runs; ++i) {
        if (!may(may_go_on)) {
            stage.is_whole = false;
            return stage;
        }
        const auto at = static_cast<std::size_t>((static_cast<double>(i) + offset) * per_run);
        Particle particle = from[std::min(at, from.size() - 1)];
        const std::uint64_t before = particle.steps;
        const std::int64_t furthest = go_on(particle, score, level, random, stage.count);
        stage.steps += particle.steps - before;
        if (furthest >= level) {
            stage.crossed.push_back(std::move(particle));
        }
    }
    return stage;
}

SplittingEstimate Splitting::estimate(const SplittingPlan& plan, std::uint64_t number,
                                      std::uint64_t runs_of_stage, const MayGoOn& may_go_on) {
    SplittingEstimate estimate;
    Random random = random_of(options_.seed, Stream::kSplitting, number);
    std::vector<Particle> from{first(plan.score)};
    double reached = 1;
    for (std::size_t i = 0; i <= plan.levels.size(); ++i) {
        const bool is_last = i == plan.levels.size();
        Stage now = stage(from, plan.score, is_last ? kViolated : plan.levels[i], runs_of_stage,
                          random, may_go_on);
        estimate.runs += runs_of_stage;
        estimate.steps += now.steps;
        if (!now.is_whole) {
            estimate.limit = "stopped";
            return estimate;
        }
        if (i == 0) {
            estimate.crossed_first = now.crossed.size();
            estimate.runs_of_first = runs_of_stage;
        }
        const auto runs = static_cast<double>(runs_of_stage);
        if (is_last) {
            estimate.per_run = reached * static_cast<double>(now.crossed.size()) / runs;
            estimate.count = reached * now.count / runs;
        }
        reached *= static_cast<double>(now.crossed.size()) / runs;
        from = std::move(now.crossed);
        if (from.empty()) {
            break;
        }
    }
    return estimate;
}

// --- what to split by ---------------------------------------------------------------------------

std::vector<std::int64_t> Splitting::furthest(const std::vector<Particle>& from, Score score,
                                              Random& random, std::uint64_t& steps,
                                              std::uint64_t steps_max, const MayGoOn& may_go_on) {
    std::vector<std::int64_t> points;
    for (std::uint64_t i = 0; i < kPilotRuns && steps < steps_max && may(may_go_on); ++i) {
        Particle particle = from[i % from.size()];
        const std::uint64_t before = particle.steps;
        double ignored = 0;
        // No level is as far as this one, and a violation is behind it.
        points.push_back(go_on(particle, score, kViolated, random, ignored));
        steps += particle.steps - before;
    }
    std::sort(points.begin(), points.end());
    return points;
}

std::optional<SplittingPlan> Splitting::learn(Score score, std::uint64_t steps_max,
                                              const MayGoOn& may_go_on) {
    Random random = random_of(options_.seed, Stream::kLevels, static_cast<std::uint64_t>(score));
    SplittingPlan plan;
    plan.score = score;
    std::vector<Particle> from{first(score)};
    std::int64_t level = from.front().score;
    std::uint64_t steps = 0;
    while (plan.levels.size() < kStagesMax) {
        const std::uint64_t steps_before = steps;
        const auto points = furthest(from, score, random, steps, steps_max, may_go_on);
        if (points.size() < kPilotRuns) {
            return std::nullopt;  // it takes too long
        }
        const auto violations =
            static_cast<std::uint64_t>(std::count(points.begin(), points.end(), kViolated));
        std::int64_t next = points[kPilotRuns - kCrossing];
        if (next <= level) {
            const auto above = std::upper_bound(points.begin(), points.end(), level);
            next = above == points.end() ? level : *above;
        }
        if (violations >= kViolationsEnough || (next == kViolated && violations > 0)) {
            const double share = static_cast<double>(violations) / kPilotRuns;
            plan.variance += (1 - share) / share;
            plan.steps += static_cast<double>(steps - steps_before) / kPilotRuns;
            return plan;
        }
        if (next <= level || next == kViolated) {
            return std::nullopt;  // nobody comes any further
        }
        Stage now = stage(from, score, next, kPilotRuns, random, may_go_on);
        steps += now.steps;
        if (!now.is_whole || now.crossed.empty()) {
            return std::nullopt;
        }
        const double share = static_cast<double>(now.crossed.size()) / kPilotRuns;
        plan.variance += (1 - share) / share;
        plan.steps += static_cast<double>(now.steps) / kPilotRuns;
        plan.levels.push_back(next);
        from = std::move(now.crossed);
        level = next;
    }
    return std::nullopt;
}

}  // namespace lockkeeper
