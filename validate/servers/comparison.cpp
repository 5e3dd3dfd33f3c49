#include "validate/servers/comparison.hpp"

#include <chrono>
#include <utility>

#include "scheduler/search/explore.hpp"

namespace lockkeeper::databases {
namespace {

using Clock = std::chrono::steady_clock;

class Shrinking {
  public:
    Shrinking(const DriveSchedule& drive, const ComparisonLimits& limits)
        : drive_(drive), limits_(limits) {}

    // Nothing where the difference does not come again: then it was none of model and server.
    std::optional<Difference> make_small(const Difference& found) {
        std::optional<Difference> best = drive_(found.schedule).difference;
        for (std::size_t pass = 0; best && pass < limits_.shrink_passes_max; ++pass) {
            if (!leave_out_steps(*best)) {
                break;
            }
        }
        return best;
    }

  private:
    // From the end backwards, one at a time. True: some step was not needed.
    bool leave_out_steps(Difference& best) {
        bool shrinks = false;
        for (std::size_t at = best.schedule.actions.size();
             at-- > 0 && runs_ < limits_.shrinks_max;) {
            if (at >= best.schedule.actions.size() || interrupt_requested()) {
                continue;
            }
            Schedule shorter = best.schedule;
            shorter.actions.erase(shorter.actions.begin() + static_cast<std::ptrdiff_t>(at));
            ++runs_;
            try {
                auto difference = drive_(shorter).difference;
                if (difference && difference->steps.size() <= best.steps.size() &&
                    difference->schedule.actions.size() < best.schedule.actions.size()) {
                    best = std::move(*difference);
                    shrinks = true;
                }
            } catch (const TooSlow&) {  // one step more, then
            }
        }
        return shrinks;
    }

    const DriveSchedule& drive_;
    const ComparisonLimits& limits_;
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
