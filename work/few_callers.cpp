// SPDX-License-Identifier: Apache-2.0
#include "work/few_callers.hpp"

#include <algorithm>

#include "scenarios/registry/vary.hpp"
#include "scheduler/auto_reduction.hpp"
#include "scheduler/erased_runner.hpp"
#include "work/jobs.hpp"

namespace lockkeeper {

using proofs::Scope;

namespace {

// An exploration leaves these parts of all the time, for a number of callers by record and for the
// proof.
constexpr double kLeftForRecord = 0.25;
constexpr double kLeftForProof = 0.5;

// Scripts that repeat come to new instants for ever: relative time, which keeps the lengths of
// runs, begins after so many states.
constexpr std::uint64_t kStatesBeforeRelativeTime = 1'000;

}  // namespace

std::variant<Job, InputError> FewCallers::job_of(const std::vector<std::size_t>& counts) const {
    // A scenario that is written checks what was searched for.
    auto scenario =
        replicated(job_.scenario, is_by_record_ ? asked_.by_record : asked_.properties, counts);
    if (const auto* error = std::get_if<InputError>(&scenario)) {
        return *error;
    }
    auto made = make_job(following_.desk.registry, std::get<Scenario>(std::move(scenario)));
    if (auto* job = std::get_if<Job>(&made)) {
        job->program = job_.program;
    }
    return made;
}

Scope FewCallers::explore(const std::vector<std::size_t>& counts) {
    const auto made = job_of(counts);
    const auto* job = std::get_if<Job>(&made);
    if (job == nullptr || deadline_.is_past()) {
        unexplored_ = job == nullptr ? std::get<InputError>(made).message : "time";
        return Scope::kUndecided;
    }
    return explore(*job, counts, length_for(*job));
}

Scope FewCallers::explore(const Job& job, const std::vector<std::size_t>& counts, Length length) {
    const auto result =
        explore(*job.runner, options_for(is_by_record_ ? asked_.by_record : job.check,
                                         kLeftForRecord + kLeftForProof, length));
    const auto by_record = [&] {
        const Scope found = explore_by_record(job, length);
        if (length == Length::kWhole) {
            return found == Scope::kPassed ? found : Scope::kUndecided;
        }
        if (found == Scope::kViolated) {  // then there is no proof to seek before
            return explore(job, counts, Length::kWhole);
        }
        was_short_ = true;
        return found;
    };
    if (!result) {
        return by_record();
    }
    reached_.insert(reached_.end(), result->reached.begin(), result->reached.end());
    // Stuck breaks none of the properties checked, but it is no pass, as in `explore`.
    if (!result->violations.empty() || is<Stuck>(result->verdict)) {
        violated_.insert_or_assign(counts, *result);
        return Scope::kViolated;
    }
    return result->complete ? Scope::kPassed : by_record();
}

// Where time is relative, only tokens grow without end.
FewCallers::Length FewCallers::length_for(const Job& job) const {
    const bool forgets_tokens =
        (job.system->features & ~job.system->features_by_record & kShowsTokens) != 0;
    const bool is_short =
        may_be_short_ && leaves_half_ && forgets_tokens &&
        is_in_relative_time(
            plan_of(*job.runner, options_for(job.check, 0, Length::kWhole)).further);
    return is_short ? Length::kShort : Length::kWhole;
}

double FewCallers::seconds_of_proof() const {
    const double kept = was_short_ ? kLeftForRecord * how_.seconds_max : 0;
    return std::max(0.0, deadline_.left() - kept);
}

bool FewCallers::begin_again() {
    may_be_short_ = false;
    is_by_record_ = is_by_record_ && !was_short_;
    return was_short_;
}

std::optional<ExploreResult> FewCallers::explore(const Runner& runner, ExploreOptions options) {
    if (is_in_relative_time(plan_of(runner, options).further)) {
        options.automatic.states_before = kStatesBeforeRelativeTime;
    }
    options.progress = [&](const ExploreProgress& progress) { following_.watcher.show(progress); };
    try {
        ExploreResult result = runner.explore(options);
        following_.watcher.wipe();
        unexplored_ = result.limit;
        return result;
    } catch (const LimitExceeded& reason) {  // something grows beyond the compiled size
        unexplored_ = reason.what();
        return std::nullopt;
    }
}

// Scripts that repeat may come to states without end, where by record they do not. Nothing happens
// there that does not happen by record: a pass of that is one of what it shows.
Scope FewCallers::explore_by_record(const Job& job, Length length) {
    if (!leaves_half_) {
        return Scope::kUndecided;
    }
    const std::string limit = unexplored_;
    const MadeSystem made = job.system->make_by_record(job.scenario);
    if (!std::holds_alternative<ErasedSystem>(made)) {
        return Scope::kUndecided;
    }
    ExploreOptions options = options_for(asked_.by_record, kLeftForProof, length);
    options.reach.clear();
    const auto result =
        explore(*make_erased_runner(std::get<ErasedSystem>(made), MakeWalker(), job.scenario.world,
                                    job.system->features_by_record),
                options);
    const bool is_violated = result && (!result->violations.empty() || is<Stuck>(result->verdict));
    const bool is_passed = result && result->complete && !is_violated;
    is_by_record_ = is_by_record_ || is_passed;
    unexplored_ = is_passed ? "" : limit;
    return is_passed ? Scope::kPassed : is_violated ? Scope::kViolated : Scope::kUndecided;
}

// `left`: of all the time, where another writing is proved as well: scripts that repeat may come to
// states without end. After the search for a proof, of what is left then.
ExploreOptions FewCallers::options_for(const std::vector<const Property*>& check, double left,
                                       Length length) const {
    ExploreOptions options = how_.explore;
    options.check = check;
    options.reach = asked_.goals;
    options.counting = Counting::kOff;
    options.stop_at_first = true;
    if (length == Length::kShort) {
        options.states_max = std::min(options.states_max, how_.states_first);
    }
    double kept = leaves_half_ ? left * how_.seconds_max : 0;
    if (is_proof_sought_) {
        kept = was_short_
                   ? std::max(0.0, left - kLeftForProof) / (1 - kLeftForProof) * deadline_.left()
                   : 0;
    }
    options.seconds_max = std::max(0.1, deadline_.left() - kept);
    return options;
}

std::string FewCallers::look_for_goals() {
    if (has_all(asked_.goals, reached_)) {
        return "";
    }
    const auto result = explore(*job_.runner, options_for(asked_.by_record, 0, Length::kWhole));
    if (!result) {
        return unexplored_;
    }
    reached_.insert(reached_.end(), result->reached.begin(), result->reached.end());
    return result->complete ? "" : result->limit;
}

}  // namespace lockkeeper
