// SPDX-License-Identifier: Apache-2.0
#include "validate/programs/black_box.hpp"

#include <algorithm>
#include <filesystem>

#include "validate/processes/watched_child.hpp"
#include "validate/programs/black_box_run.hpp"
#include "validate/programs/program_scenario.hpp"

namespace lockkeeper {
namespace {

bool has_until(const RecordedHistory& history) {
    return std::any_of(history.records.begin(), history.records.end(),
                       [](const Record& record) { return record.value.find("until") != nullptr; });
}

void add_counts(const BlackBoxRun& run, const BlackBoxOptions& options, BlackBoxResult& result) {
    result.operations += run.operations();
    result.crashes += run.crashes();
    result.tally += run.tally();
    ++result.tally.answers.runs;
    result.tally.answers.cut_runs += run.operations() >= options.operations_max ? 1U : 0U;
}

bool excludes_others(const ModelChoice& model) {
    return !has_readers(model.kind) && model.kind != ModelKind::kMultiLock &&
           model.kind != ModelKind::kFencedResource;
}

// Whether the acquires of the scenario ask for as many places as the model has.
bool has_places_of(const ModelChoice& model, const OutsideWorld& world) {
    const bool counts = model.kind == ModelKind::kSemaphore || model.kind == ModelKind::kPool;
    const std::uint32_t places = counts ? model.permits : 1;
    return model.kind == ModelKind::kResizableSemaphore || places_asked_for(world.world) == places;
}

bool is_of_beliefs(const Property& property) {
    return property.is(PropertyNumber::kBeliefOverlap) ||
           property.is(PropertyNumber::kOverAllocation) ||
           property.is(PropertyNumber::kUnderAllocation);
}

// A person who chooses a model decides by it what is right for readers, places and tokens.
bool counts(const BlackBoxFinding& finding, const OutsideWorld& world,
            const BlackBoxOptions& options) {
    if (!options.model_is_chosen || finding.property == nullptr) {
        return true;
    }
    return is_of_beliefs(*finding.property)
               ? excludes_others(options.model) && has_places_of(options.model, world)
               : !finding.property->is(PropertyNumber::kTokenOrder);
}

// Returns the finding that explains most: overlapping beliefs first, the order of tokens last.
std::optional<BlackBoxFinding> first_finding(const std::vector<BlackBoxFinding>& findings,
                                             const OutsideWorld& world,
                                             const BlackBoxOptions& options) {
    const BlackBoxFinding* first = nullptr;
    const auto rank = [](const BlackBoxFinding& finding) {
        return finding.property == nullptr                         ? 1
               : is_of_beliefs(*finding.property)                  ? 0
               : finding.property->is(PropertyNumber::kTokenOrder) ? 2
                                                                   : 1;
    };
    for (const BlackBoxFinding& finding : findings) {
        if (counts(finding, world, options) && (first == nullptr || rank(finding) < rank(*first))) {
            first = &finding;
        }
    }
    return first == nullptr ? std::nullopt : std::optional(*first);
}

// Runs one schedule. False: time or an interrupt stopped it before its end.
bool run_one(const ProgramOptions& options, const OutsideWorld& world, std::uint64_t seed,
             const BlackBoxOptions& limits, Moment deadline, BlackBoxResult& result) {
    bool ended = true;
    const WatchedDirectory directory(
        (std::filesystem::temp_directory_path() / "lockkeeper_data_").string());
    ProgramOptions own = options;
    own.stepped = false;
    own.data_dir = directory.path();
    ProgramGroup programs(own, limits.process_per_caller);
    programs.stop_by({deadline});
    BlackBoxRun run(programs, world, seed, {limits.operations_max, limits.recovery_seconds});
    try {
        run.run();
        run.probe();
    } catch (const Misbehaved& error) {
        programs.kill();
        if (is_input(error.kind())) {
            throw Misbehaved(error.kind(), error.what(), programs.last_words());
        }
        result.misbehaviour = error.kind();
        result.detail = error.what();
        result.last_words = programs.last_words();
    } catch (const Stopped&) {
        programs.kill();
        ended = false;
    }
    add_counts(run, limits, result);
    result.finding = first_finding(run.findings(), world, limits);
    result.judged_by_tokens =
        result.judged_by_tokens ||
        (!limits.model_is_chosen && run.tally().decided.count(PropertyNumber::kTokenOrder) > 0);
    result.history = run.take_history();
    result.history.file = "the recorded history";
    return ended;
}

// The check may use the time that is left. It always gets a little, for the part of a history that
// a run recorded before its time was over.
CheckLimits limits_of_check(const BlackBoxOptions& options, Moment deadline) {
    constexpr double kLeast = 0.5;
    const double left = std::chrono::duration<double>(deadline - SteadyClock::now()).count();
    CheckLimits limits = options.check;
    limits.seconds_max = std::min(limits.seconds_max, std::max(left, kLeast));
    return limits;
}

// Judges the history by the model. False: the model does not know such histories.
bool judge(const BlackBoxOptions& options, Moment deadline, BlackBoxResult& result) {
    const bool until = has_until(result.history);
    result.has_until = result.has_until || until;
    if (!options.model_is_chosen && until) {
        return true;
    }
    auto checked = check_history(result.history, options.model, limits_of_check(options, deadline));
    if (const auto* error = std::get_if<HistoryError>(&checked)) {
        result.refused = error->to_text();
        return false;
    }
    result.check = std::get<HistoryCheck>(std::move(checked));
    if (result.check->operations == 0) {  // nothing was granted in this run: others decide
        return true;
    }
    result.judged_by_model = true;
    result.tally.decide(PropertyNumber::kUnexplainedHistory);
    if (!is<Violated>(result.verdict) && !is<Passed>(result.check->verdict)) {
        result.verdict = result.check->verdict;
    }
    return true;
}

}  // namespace

bool is_judged_in_records(const Property& property) {
    return is_judged_outside(property) && !property.is(PropertyNumber::kDoubleRelease);
}

BlackBoxResult run_black_box(const ProgramOptions& program, const OutsideWorld& world,
                             const BlackBoxOptions& options) {
    using Clock = SteadyClock;
    const Clock::time_point start = Clock::now();
    const Clock::time_point deadline = moment_after(options.seconds_max, start);
    const auto seconds = [&] {
        return std::chrono::duration<double>(Clock::now() - start).count();
    };
    BlackBoxResult result;
    while (result.schedules < options.schedules_max) {
        if (interrupt_requested() || seconds() >= options.seconds_max) {
            result.limit = interrupt_requested() ? "interrupted" : "time";
            break;
        }
        if (options.is_full && options.is_full()) {
            result.limit = "memory";
            break;
        }
        const bool ended =
            run_one(program, world, options.seed + result.schedules, options, deadline, result);
        ++result.schedules;
        if (options.progress) {
            options.progress({result.schedules, result.operations, seconds()});
        }
        if (result.misbehaviour) {
            break;
        }
        if (!judge(options, deadline, result) || result.finding || is<Violated>(result.verdict)) {
            break;
        }
        if (!ended) {  // also where it was the last one: not all of it was seen
            result.limit = interrupt_requested() ? "interrupted" : "time";
            break;
        }
    }
    result.seconds = seconds();
    return result;
}

}  // namespace lockkeeper
