#include "validate/servers/comparison.hpp"

#include <chrono>
#include <utility>

#include "scheduler/search/explore.hpp"
#include "scheduler/search/shrink_actions.hpp"

namespace lockkeeper::databases {
namespace {

using Clock = std::chrono::steady_clock;

class Shrinking {
  public:
    Shrinking(const DriveSchedule& drive, const ComparisonLimits& limits)
        : drive_(drive), limits_(limits) {}

    // Nothing where the difference does not come again: then it was none of model and server.
    std::optional<Difference> make_small(const Difference& found) {
        best_ = drive_(found.schedule).difference;
        if (best_) {
            constexpr ShrinkPass kPasses[] = {ShrinkPass::kSingleSteps};
            static_cast<void>(shrink_actions(
                best_->schedule.actions, kPasses, limits_.shrink_passes_max,
                {[this](const Actions& shorter) { return up_to_difference(shorter); },
                 [this] { return runs_ < limits_.shrinks_max && !interrupt_requested(); }}));
        }
        return best_;
    }

  private:
    std::optional<Actions> up_to_difference(const Actions& shorter) {
        ++runs_;
        try {
            auto difference = drive_({best_->schedule.seed, shorter}).difference;
            if (!difference || difference->steps.size() > best_->steps.size() ||
                difference->schedule.actions.size() >= best_->schedule.actions.size()) {
                return std::nullopt;
            }
            best_ = std::move(difference);
            return best_->schedule.actions;
        } catch (const TooSlow&) {  // one step more, then
            return std::nullopt;
        }
    }

    const DriveSchedule& drive_;
    const ComparisonLimits& limits_;
    std::optional<Difference> best_;
    std::size_t runs_ = 0;
};

std::string why_it_went_away() {
    return interrupt_requested() ? "interrupted" : "a difference that did not come again";
}

Comparison inconclusive(Comparison result, const std::string& reason) {
    result.verdict = Inconclusive{"", reason};
    return result;
}

}  // namespace

Comparison compare_schedules(const DriveSchedule& drive, const std::vector<Schedule>& given,
                             const std::function<Schedule()>& random,
                             const ComparisonLimits& limits) {
    Comparison result;
    const auto start = Clock::now();
    const std::uint64_t all = given.size() + limits.random_schedules;
    for (std::uint64_t number = 0; number < all; ++number) {
        if (interrupt_requested()) {
            return inconclusive(std::move(result), "interrupted");
        }
        if (std::chrono::duration<double>(Clock::now() - start).count() > limits.seconds_max) {
            return inconclusive(std::move(result), "the time limit was reached");
        }
        try {
            DrivenRun run = drive(number < given.size() ? given[number] : random());
            ++result.schedules;
            result.steps += run.steps;
            result.statements += run.statements;
            if (run.difference) {
                result.difference = Shrinking(drive, limits).make_small(*run.difference);
                result.verdict = Violated{};
                return result.difference ? result
                                         : inconclusive(std::move(result), why_it_went_away());
            }
        } catch (const TooSlow& slow) {
            return inconclusive(std::move(result), slow.what());
        }
    }
    return result.steps == 0 ? inconclusive(std::move(result), "no step was compared") : result;
}

}  // namespace lockkeeper::databases
