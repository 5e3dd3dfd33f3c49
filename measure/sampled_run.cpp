// SPDX-License-Identifier: Apache-2.0
#include "measure/sampled_run.hpp"

#include <algorithm>

#include "measure/run.hpp"

namespace lockkeeper {

void Waits::note(const Event& event) {
    if (event.caller >= waits_.size()) {
        return;
    }
    Wait& wait = waits_[event.caller];
    if (event.is(kInvoked)) {
        const bool goes_on = event.invoked == Verb::kAcquire && wait.key == event.key;
        wait.began = goes_on ? wait.began : 0;
        if (event.invoked == Verb::kAcquire) {
            wait = {wait.began != 0 ? wait.began : ++calls_, event.key, true};
        }
    }
    if (event.is(kAcquired) && wait.is_asking) {
        serve(wait);
        wait = {};
    }
    if ((event.what & (kCallerDied | kCrashed)) != 0) {
        wait = {};
    }
    if ((event.what & (kRefused | kFailed | kLost)) != 0) {
        wait.is_asking = false;
    }
}

void Waits::serve(const Wait& granted) {
    std::uint64_t asking = 0;
    std::uint64_t older = 0;
    for (const Wait& wait : waits_) {
        if (wait.is_asking && wait.key == granted.key) {
            ++asking;
            older += wait.began < granted.began ? 1U : 0U;
        }
    }
    if (asking < 2) {
        return;
    }
    ++served_.contended;
    served_.to_longest += older == 0 ? 1U : 0U;
    served_.to_newest += older + 1 == asking ? 1U : 0U;
    served_.by_equal_chances += 1.0 / static_cast<double>(asking);
}

namespace {

constexpr std::uint64_t kStepsBetweenLooks = 1U << 16U;  // at the clock

std::uint64_t bit(std::size_t place) { return std::uint64_t{1} << place; }

// Finalizer of splitmix64: all bits of the result depend on all of the argument.
std::uint64_t mixed(std::uint64_t value) {
    value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    value = (value ^ (value >> 27U)) * 0x94D049BB133111EBULL;
    return value ^ (value >> 31U);
}

}  // namespace

Random random_of(std::uint64_t seed, Stream stream, std::uint64_t number) {
    const std::uint64_t of_stream =
        mixed(seed + 0x9E3779B97F4A7C15ULL * (static_cast<std::uint64_t>(stream) + 1));
    return Random(mixed(of_stream ^ mixed(number + 0x632BE59BD9B4E019ULL)));
}

void RunTally::merge(const RunTally& other) {
    runs += other.runs;
    steps += other.steps;
    cut_runs += other.cut_runs;
    seized_runs += other.seized_runs;
    cut_unseized += other.cut_unseized;
    has_virtual_time = has_virtual_time || other.has_virtual_time;
    acquires.merge(other.acquires);
    lost.merge(other.lost);
    seconds.merge(other.seconds);
    seconds_to_seizure.merge(other.seconds_to_seizure);
    contended.merge(other.contended);
    to_longest.merge(other.to_longest);
    to_newest.merge(other.to_newest);
    by_equal_chances.merge(other.by_equal_chances);
    for (std::size_t i = 0; i < properties.size(); ++i) {
        properties[i].hits += other.properties[i].hits;
        properties[i].cut_before += other.properties[i].cut_before;
        properties[i].has_time = properties[i].has_time || other.properties[i].has_time;
        properties[i].count.merge(other.properties[i].count);
        properties[i].seconds_until.merge(other.properties[i].seconds_until);
        properties[i].violating_seconds.merge(other.properties[i].violating_seconds);
        properties[i].share_of_time.merge(other.properties[i].share_of_time);
        properties[i].overlap_lasts.merge(other.properties[i].overlap_lasts);
    }
}

bool is_seen_in_runs(const Property& property) {
    return property.kind != PropertyKind::kEventually || property.is(PropertyNumber::kDeadlock);
}

// --- what is violated ---------------------------------------------------------------------------

Violations::Violations(const std::vector<const Property*>& check) : judge_(check) {
    LOCKKEEPER_CHECK(check.size() <= kSampledPropertiesMax);
    if (const auto deadlock = judge_.index_of(PropertyNumber::kDeadlock)) {
        deadlock_ = bit(*deadlock);
    }
}

std::uint64_t Violations::of_step(const Walker& walker, const Event& event) {
    std::uint64_t violated = 0;
    bool observed = false;
    for (std::size_t i = 0; i < judge_.properties().size(); ++i) {
        const Property& property = *judge_.properties()[i];
        if ((property.triggers & event.what) == 0 || property.holds_not == nullptr) {
            continue;
        }
        if (property.needs_observation && !observed) {
            walker.observe(observation_);
            observed = true;
        }
        violated |= property.holds_not(observation_, event) ? bit(i) : 0;
    }
    return violated;
}

std::uint64_t Violations::at_rest(const Walker& walker) {
    std::uint64_t violated = 0;
    walker.observe(observation_);
    for (std::size_t i = 0; i < judge_.properties().size(); ++i) {
        const Property& property = *judge_.properties()[i];
        if (property.kind == PropertyKind::kAtQuiescence &&
            property.holds_not(observation_, Event{})) {
            violated |= bit(i);
        }
    }
    return violated;
}

std::uint64_t Violations::of_end(WalkStop stop) const {
    return stop == WalkStop::kDeadlock ? deadlock_ : 0;
}

// --- one run ----------------------------------------------------------------------------------

RunSampler::RunSampler(const MakeWalker& make_walker, const MeasureOptions& options)
    : options_(options),
      walker_(make_walker(options.law)),
      violations_(options.check),
      of_(options.check.size()) {
    for (std::size_t i = 0; i < options.check.size(); ++i) {
        const Property& property = *options.check[i];
        if (property.is(PropertyNumber::kOverAllocation)) {
            over_held_ |= bit(i);
        } else if (property.is(PropertyNumber::kBeliefOverlap)) {
            beliefs_overlap_ |= bit(i);
        } else if (property.is(PropertyNumber::kGrantOverlap)) {
            grants_overlap_ |= bit(i);
        } else if (property.kind == PropertyKind::kAtQuiescence) {
            rest_ |= bit(i);
        }
    }
    watches_time_ = options.law.kind == LawKind::kRates;
    watches_overlaps_ = (beliefs_overlap_ | grants_overlap_) != 0;
    judged_in_time_ = watches_time_ ? over_held_ | beliefs_overlap_ | grants_overlap_ | rest_ : 0;
}

Capacities RunSampler::look_for_capacities(std::uint64_t runs) {
    Capacities found{};
    for (std::uint64_t number = 0; number < runs; ++number) {
        walker_->begin();
        Walk walk;
        walk.random = random_of(options_.seed, Stream::kPilot, number);
        walk.triggers = kAcquired | kRefused | kGranted | kInvoked;
        walk.steps_end = std::min<std::uint64_t>(options_.steps_max, kStepsBetweenLooks);
        while (walker_->walk(walk) == WalkStop::kShown) {
            if (walk.event.key < kKeysMax) {
                std::uint32_t& capacity = found[walk.event.key];
                capacity = std::max(capacity, walk.event.capacity);
            }
        }
    }
    return found;
}

void RunSampler::begin(std::uint64_t number) {
    walker_->begin();
    walk_ = Walk{};
    walk_.random = random_of(options_.seed, Stream::kRuns, number);
    walk_.triggers = violations_.judge().triggers() | (options_.ages ? Waits::kTriggers : 0U);
    if (options_.ages) {
        waits_ = {};
    }
    walk_.stops_at_rest = violations_.judge().judges_rest();
    is_over_ = false;
    is_cut_ = false;
    is_seized_ = false;
    seizure_seconds_ = 0;
    late_seconds_ = 0;
    violating_now_ = 0;
    overlapping_now_ = 0;
    now_ = 0;
    std::fill(of_.begin(), of_.end(), OfProperty{});
    if (walk_.stops_at_rest && walker_->quiescent()) {
        note(violations_.at_rest(*walker_));
    }
    if (watches_time_) {
        look_at_state();
    }
}

void RunSampler::note(std::uint64_t violated) {
    for (std::size_t i = 0; violated != 0; ++i, violated >>= 1U) {
        if ((violated & 1U) != 0) {
            OfProperty& of = of_[i];
            of.first_seconds = of.count == 0 ? walk_.seconds : of.first_seconds;
            ++of.count;
        }
    }
}

bool RunSampler::go_on() {
    const std::uint64_t look = std::min(options_.steps_max, walk_.steps + kStepsBetweenLooks);
    for (;;) {
        // Time is watched state by state.
        const bool by_steps = watches_time_ || watches_overlaps_;
        walk_.steps_end = by_steps ? std::min(look, walk_.steps + 1) : look;
        const double before = walk_.seconds;
        const std::uint64_t steps_before = walk_.steps;
        const WalkStop stop = walker_->walk(walk_);
        if (walk_.steps > steps_before && watches_time_) {
            pass_time(walk_.seconds - before);
        }
        if (walk_.steps > steps_before && watches_overlaps_) {
            look_at_overlaps();
        }
        if (stop == WalkStop::kFinished || stop == WalkStop::kDeadlock) {
            end(stop);
            return false;
        }
        if (stop != WalkStop::kSteps) {
            std::uint64_t violated = 0;
            if (stop == WalkStop::kShown) {
                if (options_.ages) {
                    waits_.note(walk_.event);
                }
                violated = violations_.of_step(*walker_, walk_.event);
            }
            if (walk_.stops_at_rest && walker_->quiescent()) {
                violated |= violations_.at_rest(*walker_);
            }
            note(violated);
        }
        if (watches_time_) {
            look_at_state();
        }
        if (stop == WalkStop::kSteps && walk_.steps >= look) {
            is_cut_ = walk_.steps >= options_.steps_max;
            return !is_cut_;
        }
    }
}

void RunSampler::end(WalkStop stop) {
    is_over_ = true;
    // A deadlock is violated by the step that led to it; all other properties of it were judged.
    note(violations_.of_end(stop));
}

void RunSampler::pass_time(double seconds) {
    const bool is_late = walk_.steps * 2 > options_.steps_max;
    late_seconds_ += is_late ? seconds : 0;
    for (std::size_t i = 0; i < of_.size(); ++i) {
        if ((violating_now_ >> i & 1U) != 0) {
            of_[i].violating_seconds += seconds;
            of_[i].late_seconds += is_late ? seconds : 0;
        }
    }
}

// An overlap before the step lasted while the step let time pass.
void RunSampler::look_at_overlaps() {
    walker_->observe(observation_);
    for (std::size_t i = 0; i < of_.size(); ++i) {
        if ((overlapping_now_ >> i & 1U) != 0) {
            of_[i].overlap_lasts += observation_.now - now_;
        }
    }
    now_ = observation_.now;
    overlapping_now_ = (observation_.grants_overlap ? grants_overlap_ : 0) |
                       (observation_.beliefs_overlap ? beliefs_overlap_ : 0);
}

void RunSampler::look_at_state() {
    walker_->observe(observation_);
    violating_now_ = (observation_.grants_overlap ? grants_overlap_ : 0) |
                     (observation_.beliefs_overlap ? beliefs_overlap_ : 0);
    const bool at_rest = walker_->quiescent();
    if (at_rest && rest_ != 0) {
        violating_now_ |= violations_.at_rest(*walker_) & rest_;
    }
    for (std::size_t key = 0; key < observation_.keys_count; ++key) {
        const std::uint32_t capacity = capacities_[key];
        if (capacity == 0) {
            continue;
        }
        if (observation_.keys[key].believed > capacity) {
            violating_now_ |= over_held_;
        }
        if (at_rest && !is_seized_ && units_lost(observation_, key) >= capacity) {
            is_seized_ = true;
            seizure_seconds_ = walk_.seconds;
        }
    }
}

void RunSampler::finish(RunTally& tally) {
    ++tally.runs;
    tally.steps += walk_.steps;
    tally.cut_runs += is_cut_ ? 1 : 0;
    tally.acquires.add(static_cast<double>(walk_.grants));
    if (options_.ages) {
        const ServedByAge& served = waits_.served();
        tally.contended.add(static_cast<double>(served.contended));
        tally.to_longest.add(static_cast<double>(served.to_longest));
        tally.to_newest.add(static_cast<double>(served.to_newest));
        tally.by_equal_chances.add(served.by_equal_chances);
    }
    if (is_over_ || walker_->quiescent()) {
        walker_->observe(observation_);
        tally.lost.add(units_lost(observation_));
    }
    if (watches_time_) {
        tally.seconds.add(walk_.seconds);
        tally.seized_runs += is_seized_ ? 1 : 0;
        tally.cut_unseized += is_cut_ && !is_seized_ ? 1 : 0;
        tally.seconds_to_seizure.add(is_seized_ ? seizure_seconds_ : walk_.seconds);
    }
    tally.has_virtual_time = tally.has_virtual_time || now_ > 0;
    for (std::size_t i = 0; i < of_.size(); ++i) {
        const OfProperty& of = of_[i];
        PropertyTally& sums = tally.properties[i];
        sums.overlap_lasts.add(of.overlap_lasts);
        sums.hits += of.count > 0 ? 1 : 0;
        sums.cut_before += is_cut_ && of.count == 0 ? 1 : 0;
        sums.has_time = (judged_in_time_ >> i & 1U) != 0;
        sums.count.add(static_cast<double>(of.count));
        if (!watches_time_) {
            continue;
        }
        sums.seconds_until.add(of.count > 0 ? of.first_seconds : walk_.seconds);
        sums.violating_seconds.add(of.violating_seconds);
        if (is_over_) {
            sums.share_of_time.add((violating_now_ >> i & 1U) != 0 ? 1 : 0);
        } else if (late_seconds_ > 0) {
            sums.share_of_time.add(of.late_seconds / late_seconds_);
        }
    }
}

}  // namespace lockkeeper
