// SPDX-License-Identifier: Apache-2.0
#include "measure/sweep_run.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "measure/chosen_law.hpp"
#include "measure/messages.hpp"
#include "model/read_text.hpp"
#include "scenarios/registry/job.hpp"
#include "scheduler/base/deadline.hpp"
#include "scheduler/base/interrupt.hpp"
#include "scheduler/search/explore.hpp"

namespace lockkeeper {
namespace {

InputError at_point(const Sweep& sweep, const SweepPoint& point, const InputError& error) {
    return {name_in_messages(sweep.file), error.pointer,
            error.message + " (" + point_text(sweep, point) + ")"};
}

// More is not measured at once.
std::optional<InputError> too_many_checks(const Sweep& sweep, const Job& job) {
    const std::size_t count = measurable(job.check).size();
    if (!sweep.measuring || (count > 0 && count <= kExactPropertiesMax)) {
        return std::nullopt;
    }
    return InputError{"", "/scenario/check",
                      fmt::format("{} properties; from 1 to {} are measured at once", count,
                                  kExactPropertiesMax)};
}

// Nobody has begun with it: the time was over, or an interrupt came.
SweptPoint not_begun() {
    SweptPoint point;
    point.limit = interrupt_requested() ? "" : "time";
    return point;
}

}  // namespace

std::variant<Scenario, InputError> scenario_of(const Sweep& sweep, const SweepPoint& point,
                                               const VaryScenario& vary) {
    auto parsed = parse_scenario(point.scenario->dump(), sweep.file);
    if (const auto* error = std::get_if<InputError>(&parsed)) {
        return at_point(sweep, point, *error);
    }
    Scenario& scenario = std::get<Scenario>(parsed);
    scenario.source = nullptr;  // no text of the user's
    for (const auto& [name, value] : point.vary) {
        vary(name, value, scenario);
    }
    return std::move(scenario);
}

std::variant<std::vector<SweptPoint>, InputError> run_sweep(const Registry& registry,
                                                            const Sweep& sweep,
                                                            const std::vector<SweepPoint>& points,
                                                            const SweepLimits& limits,
                                                            const VaryScenario& vary) {
    const Deadline rest(limits.seconds_max);
    std::vector<PointWork> work;
    for (const SweepPoint& point : points) {
        if (interrupt_requested() || rest.is_past()) {
            return std::vector<SweptPoint>(points.size(), not_begun());
        }
        auto scenario = scenario_of(sweep, point, vary);
        if (const auto* error = std::get_if<InputError>(&scenario)) {
            return *error;
        }
        work.push_back({std::move(std::get<Scenario>(scenario)),
                        sweep.measuring ? std::optional(point.measuring) : std::nullopt});
        const auto job = make_job(registry, work.back().scenario);
        if (const auto* error = std::get_if<InputError>(&job)) {
            return at_point(sweep, point, *error);
        }
        if (const auto error = too_many_checks(sweep, std::get<Job>(job))) {
            return at_point(sweep, point, *error);
        }
    }
    std::mutex progress;
    std::uint64_t done = 0;
    const auto note_one = [&] {
        const std::lock_guard lock(progress);
        ++done;
        if (limits.progress) {
            limits.progress(done, rest.elapsed());
        }
    };
    std::vector<MadePoint> made(work.size());
    SweepLimits of_work = limits;
    of_work.seconds_max = rest.left();
    if (limits.helpers.ranks != nullptr) {
        work_with_others(registry, of_work, work, made, note_one);
    } else {
        SweepCrew(registry, of_work).work(work, made, note_one);
    }
    std::vector<SweptPoint> results;
    for (MadePoint& one : made) {
        if (one.error) {
            std::rethrow_exception(one.error);
        }
        results.push_back(std::move(one.point));
    }
    return results;
}

bool is_expected(const Sweep& sweep, const SweepPoint& point, const SweptViolation& violation) {
    return std::any_of(
        sweep.expected.begin(), sweep.expected.end(), [&](const ExpectedFindings& expected) {
            return holds(expected.of, point.chosen) &&
                   (expected.any ||
                    (violation.property != nullptr &&
                     expected.properties.contains(std::string(violation.property->name))));
        });
}

template <class Way>
void pass(const Way& way, SweepLimits& limits) {
    pass_all(way, limits.jobs, limits.states_max, limits.bytes_max);
}
template <class Way>
void pass(const Way& way, SweepMeasuring& measuring) {
    pass_all(way, measuring.method, measuring.runs);
}
template <class Way>
void pass(const Way& way, MadePoint& made) {
    pass_all(way, made.point, made.error);
}

namespace {

// Counts the steps of the schedule, and those of a look at the end that no schedule has.
std::uint64_t steps_of_violation(const Runner& runner, const FoundViolation& violation) {
    ReplayOptions options;
    options.describes = false;
    options.cycle_start = violation.cycle_start;
    if (violation.property != nullptr) {
        options.check = {violation.property};
    }
    const Trace trace = runner.replay(violation.schedule, options);
    return std::max(violation.schedule.actions.size(), trace.steps.size());
}

SweptPoint explored(const Job& job, const SweepLimits& limits) {
    ExploreOptions options = explore_options_of(job);
    options.automatic.every_state_for = "tables of sweeps have the number of states";
    options.counting = Counting::kOff;
    options.states_max = limits.states_max;
    options.seconds_max = std::min(options.seconds_max, limits.seconds_max);
    options.bytes_max = limits.bytes_max / limits.jobs;
    options.process_bytes_max = limits.bytes_max;
    const Runner& runner = *job.runner;
    const ExploreResult result = runner.explore(options);
    SweptPoint point{
        runner.world().callers.size(), result.states, result.complete, {}, {}, result.limit};
    for (const FoundViolation& violation : result.violations) {
        point.violations.push_back({violation.property, steps_of_violation(runner, violation)});
    }
    if (const auto* stuck = std::get_if<Stuck>(&result.verdict)) {
        point.violations.push_back(
            {nullptr, steps_of_violation(runner, {nullptr, stuck->schedule})});
    }
    const auto name = [](const SweptViolation& one) {
        return one.property != nullptr ? one.property->name : std::string_view("~");
    };
    std::sort(point.violations.begin(), point.violations.end(),
              [&](const SweptViolation& left, const SweptViolation& right) {
                  return name(left) < name(right);
              });
    return point;
}

SweptPoint measured(const Job& job, const SweepMeasuring& measuring, const SweepLimits& limits) {
    const Scenario& scenario = job.scenario;
    MeasureOptions options;
    options.law = law_for({}, scenario).law;
    options.check = measurable(job.check);
    options.method = measuring.method.value_or(options.method);
    options.runs_max = measuring.runs.value_or(options.runs_max);
    options.symmetry = scenario.symmetry;
    options.seed = scenario.seed;
    options.steps_max = scenario.limits.steps_max.value_or(options.steps_max);
    options.states_max = std::min(options.states_max, limits.states_max);
    options.seconds_max = std::min(options.seconds_max, limits.seconds_max);
    options.bytes_max = limits.bytes_max / limits.jobs;
    options.process_bytes_max = limits.bytes_max;
    const bool states_are_given = limits.states_max != SweepLimits().states_max;
    SweptPoint point{job.runner->world().callers.size(), 0, false, {}, {}, {}};
    point.measured = measure_point(*job.runner, scenario, options, states_are_given, 1);
    point.states = point.measured->result.states;
    point.complete = point.measured->result.complete;
    point.limit = point.measured->result.limit;
    return point;
}

SweptPoint worked_on(const Registry& registry, const PointWork& work, const SweepLimits& limits) {
    const Job job = std::get<Job>(make_job(registry, work.scenario));
    return work.measuring ? measured(job, *work.measuring, limits) : explored(job, limits);
}

// --- several ranks ------------------------------------------------------------------------------

RankMessage question_about(std::span<const PointWork> points) {
    RankMessage question;
    MessageWriter out(question);
    out.value(std::uint64_t{points.size()});
    for (const PointWork& point : points) {
        put(out, to_json_text(point.scenario), point.measuring);
    }
    return question;
}

std::vector<PointWork> points_in(const RankMessage& question) {
    MessageReader in(question);
    std::vector<PointWork> points(in.value<std::uint64_t>());
    for (PointWork& point : points) {
        std::string text;
        get(in, text, point.measuring);
        auto parsed = parse_scenario(text, "a point");
        LOCKKEEPER_CHECK(std::holds_alternative<Scenario>(parsed));
        point.scenario = std::move(std::get<Scenario>(parsed));
        point.scenario.source = nullptr;  // the first rank has judged what it says
    }
    return points;
}

RankMessage answer_with(std::span<const MadePoint> made) {
    RankMessage answer;
    MessageWriter out(answer);
    out.value(interrupt_requested());
    for (const MadePoint& one : made) {
        put(out, one);
    }
    return answer;
}

// The points that nobody has begun with.
class PointsLeft {
  public:
    explicit PointsLeft(std::size_t count) : count_(count) {}

    // Up to so many; none after an interrupt.
    RankShare take(std::size_t most) {
        const std::size_t first =
            interrupt_requested() ? count_ : std::min(count_, next_.fetch_add(most));
        return {first, std::min(count_, first + most)};
    }
    void take_all() { next_.store(count_); }

  private:
    std::size_t count_;
    std::atomic<std::size_t> next_{0};
};

// This process's workers beside the thread that talks to the others.
class OwnWork {
  public:
    OwnWork(PointsLeft& left, const std::function<void()>& work) : left_(left), thread_(work) {}
    OwnWork(const OwnWork&) = delete;
    OwnWork& operator=(const OwnWork&) = delete;
    ~OwnWork() {
        if (thread_.joinable()) {
            left_.take_all();  // nobody wants the rest
            thread_.join();
        }
    }

    void finish() { thread_.join(); }

  private:
    PointsLeft& left_;
    std::thread thread_;
};

}  // namespace

void SweepCrew::work(std::span<const PointWork> points, std::span<MadePoint> made,
                     const std::function<void()>& done) {
    crew_.run(points.size(), [&](std::size_t, std::size_t piece) {
        if (interrupt_requested() || rest_.is_past()) {
            made[piece].point = not_begun();
            return;
        }
        try {
            SweepLimits rest = limits_;
            rest.seconds_max = rest_.left();
            made[piece].point = worked_on(registry_, points[piece], rest);
            done();
        } catch (...) {
            made[piece].error = std::current_exception();
        }
    });
}

void work_with_others(const Registry& registry, const SweepLimits& limits,
                      std::span<const PointWork> points, std::span<MadePoint> made,
                      const std::function<void()>& done) {
    RankTask task(limits.helpers, RankTaskKind::kSweep, message_of(limits));
    PointsLeft left(points.size());
    std::vector<RankShare> given(task.ranks_count());
    const auto give = [&](std::size_t rank) {
        const RankShare share = left.take(limits.jobs);
        if (share.size() > 0) {
            given[rank] = share;
            task.ask(rank, question_about(points.subspan(share.first, share.size())));
        }
    };
    const auto note = [&](const RankLetter& letter) {
        MessageReader in(letter.message);
        if (in.value<bool>()) {
            request_interrupt();  // one of them was told to stop: the sweep is not whole
        }
        const RankShare share = given[letter.from];
        for (std::size_t i = share.first; i < share.end; ++i) {
            get(in, made[i]);
            done();
        }
    };
    OwnWork own(left, [&] {
        SweepCrew crew(registry, limits);
        for (RankShare share = left.take(limits.jobs); share.size() > 0;
             share = left.take(limits.jobs)) {
            crew.work(points.subspan(share.first, share.size()),
                      made.subspan(share.first, share.size()), done);
        }
    });
    for (std::size_t rank = 1; rank < task.ranks_count(); ++rank) {
        give(rank);
    }
    while (task.is_owed()) {
        if (const auto letter = task.any_answer()) {
            note(*letter);
            give(letter->from);
        }
    }
    own.finish();
}

void follow_sweep(const Registry& registry, FollowedTask& task) {
    MessageReader about(task.about());
    SweepLimits limits;
    get(about, limits);
    SweepCrew crew(registry, limits);
    while (const auto question = task.next_question()) {
        const std::vector<PointWork> points = points_in(*question);
        std::vector<MadePoint> made(points.size());
        crew.work(points, made, [] {});
        task.answer(answer_with(made));
    }
}

}  // namespace lockkeeper
