// SPDX-License-Identifier: Apache-2.0
#include "validate/programs/black_box.hpp"

#include <algorithm>
#include <filesystem>

#include "validate/histories/beliefs.hpp"
#include "validate/processes/watched_child.hpp"
#include "validate/programs/black_box_run.hpp"

namespace lockkeeper {
namespace {

bool has_until(const RecordedHistory& history) {
    return std::any_of(history.records.begin(), history.records.end(),
                       [](const Record& record) { return record.value.find("until") != nullptr; });
}

void add_counts(const BlackBoxRun& run, const BlackBoxOptions& options, BlackBoxResult& result) {
    result.operations += run.operations();
    result.crashes += run.crashes();
    result.unprobed_keys += run.unprobed_keys();
    result.tally += run.tally();
    ++result.tally.answers.runs;
    result.tally.answers.cut_runs += run.operations() >= options.operations_max ? 1U : 0U;
}

// False: the time was over, or somebody interrupted, before its end.
bool run_one(const ProgramOptions& options, const OutsideWorld& world, std::uint64_t seed,
             const BlackBoxOptions& limits, ChildProcess::Deadline deadline,
             BlackBoxResult& result) {
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
    if (!run.findings().empty()) {
        result.finding = run.findings().front();
    }
    result.history = run.take_history();
    result.history.file = "the recorded history";
    return ended;
}

// The time that is left is the check's, too. A little is always there: for the part of a history
// that a run has recorded when its time was over.
CheckLimits limits_of_check(const BlackBoxOptions& options, ChildProcess::Deadline deadline) {
    constexpr double kLeast = 0.5;
    const double left =
        std::chrono::duration<double>(deadline - ChildProcess::Clock::now()).count();
    CheckLimits limits = options.check;
    limits.seconds_max = std::min(limits.seconds_max, std::max(left, kLeast));
    return limits;
}

// How many may believe to hold at once; nothing: no model that was chosen says it.
std::optional<std::uint32_t> capacity_of(const BlackBoxOptions& options) {
    if (!options.model_is_chosen || options.model.kind == ModelKind::kResizableSemaphore) {
        return std::nullopt;
    }
    return options.model.kind == ModelKind::kSemaphore ? options.model.permits : 1;
}

bool excludes_others(const ModelChoice& model) {
    return !has_readers(model.kind) && model.kind != ModelKind::kMultiLock &&
           model.kind != ModelKind::kFencedResource;
}

// The beliefs by "until" before what the run has seen by itself: an overlap explains most.
void judge_beliefs(const OutsideWorld& world, const BlackBoxOptions& options,
                   BlackBoxResult& result) {
    if (options.model_is_chosen && !excludes_others(options.model)) {
        return;
    }
    const BeliefRules rules{kUntilError, kNanosecondsPerMillisecond, capacity_of(options)};
    auto overlap = find_overlap(result.history, rules);
    if (!overlap) {
        return;
    }
    const Property* property = world.checked(
        overlap->capacity == 1 ? PropertyNumber::kBeliefOverlap : PropertyNumber::kOverAllocation);
    if (property != nullptr) {
        result.finding =
            finding_of(*property, std::move(overlap->reason), std::move(overlap->records));
    }
}

// After beliefs that overlap, which explain most.
void judge_tokens(const OutsideWorld& world, const BlackBoxOptions& options,
                  BlackBoxResult& result) {
    const Property* property = world.checked(PropertyNumber::kTokenOrder);
    if (property == nullptr || options.model_is_chosen || !has_tokens(result.history)) {
        return;
    }
    result.judged_by_tokens = true;
    if (!result.finding) {
        result.finding = find_token_fault(result.history, *property);
    }
}

// The finding of the run, or the model's verdict. False: the model does not know such histories.
bool judge(const OutsideWorld& world, const BlackBoxOptions& options,
           ChildProcess::Deadline deadline, BlackBoxResult& result) {
    const bool until = has_until(result.history);
    result.has_until = result.has_until || until;
    if (until) {
        judge_beliefs(world, options, result);
    }
    judge_tokens(world, options, result);
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
    if (!is<Violated>(result.verdict) && !is<Passed>(result.check->verdict)) {
        result.verdict = result.check->verdict;
    }
    return true;
}

}  // namespace

BlackBoxResult run_black_box(const ProgramOptions& program, const OutsideWorld& world,
                             const BlackBoxOptions& options) {
    using Clock = ChildProcess::Clock;
    const Clock::time_point start = Clock::now();
    const Clock::time_point deadline = ChildProcess::after(options.seconds_max, start);
    const auto seconds = [&] {
        return std::chrono::duration<double>(Clock::now() - start).count();
    };
    BlackBoxResult result;
    while (result.schedules < options.schedules_max) {
        if (interrupt_requested() || seconds() >= options.seconds_max) {
            result.limit = interrupt_requested() ? "interrupted" : "time";
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
        if (!judge(world, options, deadline, result) || result.finding ||
            is<Violated>(result.verdict)) {
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
