// SPDX-License-Identifier: Apache-2.0

// The schedules that are drawn. Three kinds in turn:
//   random  every step is as likely as another one; how readily callers are interrupted, and how
//           late they release, differs
//   feedback  the same, among the steps that no such run has taken there, or that may lead to one
//   pct     the caller with the highest priority goes on; priorities are drawn, and at a few drawn
//           steps the caller that is about to go on becomes the last one. A bug that needs few such
//           decisions is found however long the rest of the run is. Faults come at drawn steps.
#include <algorithm>
#include <iterator>

#include "scheduler/base/random.hpp"
#include "scheduler/runs/strategy.hpp"
#include "validate/outside/random_steps.hpp"
#include "validate/outside/search.hpp"

namespace lockkeeper {
namespace {

constexpr std::uint64_t kPctSeeds = 0xD1B54A32D192ED03ULL;  // others than those of random ones
constexpr std::uint32_t kPctDepths[] = {2, 3, 4, 5};        // decisions, the first one included
constexpr std::uint32_t kPctFaultsMax = 3;

// The action is nobody's next step, but may happen instead of one at a moment of its own.
bool is_chance(Action action) {
    return (is_fault(action) && !is_restart(action)) || action.kind == ActionKind::kTime;
}

Action drawn(Random& random, const std::vector<Action>& actions) {
    return actions[random.below(static_cast<std::uint32_t>(actions.size()))];
}

// Leads another strategy away from the places of the runs so far.
class FeedbackDraws final : public DrawnSteps {
  public:
    FeedbackDraws(DrawnSteps& steps, Source& source, SeenPlaces& seen)
        : steps_(steps), source_(source), seen_(seen) {}

    void begin() override {
        steps_.begin();
        has_key_ = source_.knows_states();
        seen_.begin(place());
    }
    Action choose(const std::vector<Action>& enabled) override {
        return steps_.choose(seen_.offered(enabled));
    }
    void took(Action action, const OutsideStep& step) override {
        steps_.took(action, step);
        if (!has_key_) {
            past_.add(action, step);
        }
        seen_.took(action, place());
    }
    void end(bool is_whole) override {
        steps_.end(is_whole);
        seen_.end(is_whole);
    }

  private:
    [[nodiscard]] std::uint64_t place() const {
        return has_key_ ? place_of(source_.key()) : past_.fingerprint();
    }

    DrawnSteps& steps_;
    Source& source_;
    SeenPlaces& seen_;
    bool has_key_ = false;
    PastOfParties past_;
};

class PctDraws final : public DrawnSteps {
  public:
    PctDraws(std::uint64_t seed, std::uint64_t number, std::uint32_t longest)
        : random_((seed ^ kPctSeeds) + number * kGoldenRatio),
          priorities_(kPctDepths[random_.below(std::size(kPctDepths))], longest) {
        priorities_.begin(random_.next());
        moments_.resize(random_.below(kPctFaultsMax + 1));
        for (std::uint32_t& moment : moments_) {
            moment = random_.below(longest);
        }
    }

    Action choose(const std::vector<Action>& enabled) override {
        std::vector<Action> chances;
        ActionList steps;
        for (const Action action : enabled) {
            if (is_chance(action)) {
                chances.push_back(action);
            } else if (steps.size() < ActionList::kCapacity) {
                steps.add(action);
            }
        }
        // A drawn moment at which no fault is possible is kept until one is.
        const auto moment = std::find_if(moments_.begin(), moments_.end(),
                                         [&](std::uint32_t at) { return at <= depth_; });
        const bool happens = !chances.empty() && (steps.empty() || moment != moments_.end());
        if (happens && moment != moments_.end()) {
            moments_.erase(moment);
        }
        ++depth_;
        return happens ? drawn(random_, chances) : steps[priorities_.choose(steps)];
    }

  private:
    Random random_;
    PctStrategy priorities_;
    std::vector<std::uint32_t> moments_;
    std::size_t depth_ = 0;
};

}  // namespace

void OutsideSearch::draw() {
    for (std::uint64_t number = 0; !should_stop(); ++number) {
        const Drawn kind = options_.only.value_or(kDrawn[number % std::size(kDrawn)]);
        const std::uint64_t of_kind = options_.only ? number : number / std::size(kDrawn);
        found_by_ = name_of(kind);
        RandomSteps random(options_.seed, of_kind, source_);
        FeedbackDraws feedback(random, source_, seen_places_);
        PctDraws pct(options_.seed, of_kind, longest_);
        switch (kind) {
            case Drawn::kRandom: run_drawn(random); break;
            case Drawn::kByFeedback: run_drawn(feedback); break;
            case Drawn::kPct: run_drawn(pct); break;
        }
        longest_ = std::max(longest_, static_cast<std::uint32_t>(actions_.size()));
    }
}

void OutsideSearch::run_drawn(DrawnSteps& steps) {
    bool is_whole = false;
    guarded([&] {
        steps.begin();
        for (std::size_t depth = 0;; ++depth) {
            const std::vector<Action> enabled = source_.enabled();
            if (is_over(depth, enabled) == AtEnd::kYes) {
                is_whole = enabled.empty() || !source_.violated().empty();
                return;
            }
            const Action action = steps.choose(enabled);
            steps.took(action, take(action));
        }
    });
    steps.end(is_whole);
}

}  // namespace lockkeeper
