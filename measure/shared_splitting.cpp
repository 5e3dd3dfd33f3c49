// SPDX-License-Identifier: Apache-2.0
#include "measure/shared_splitting.hpp"

#include "measure/measure_message.hpp"
#include "scheduler/base/deadline.hpp"
#include "scheduler/ranks/rank_error.hpp"
#include "scheduler/search/explore.hpp"

namespace lockkeeper {
namespace {

RankMessage about_splitting(const MeasureOptions& options, const SplittingTask& asked) {
    RankMessage about;
    MessageWriter out(about);
    write_options(options, out);
    out.value(asked.place);
    write_plan(asked.plan, out);
    out.value(asked.runs_of_stage);
    return about;
}

SplittingTask read_splitting(MessageReader& in) {
    SplittingTask task;
    task.place = in.value<std::size_t>();
    task.plan = read_plan(in);
    task.runs_of_stage = in.value<std::uint64_t>();
    return task;
}

RankMessage about_learning(const MeasureOptions& options, std::size_t place,
                           std::uint64_t steps_max) {
    RankMessage about;
    MessageWriter out(about);
    write_options(options, out);
    out.value(place);
    out.value(steps_max);
    return about;
}

RankMessage answer_with(const std::vector<LearnedPlan>& learned) {
    RankMessage answer;
    MessageWriter out(answer);
    for (const LearnedPlan& one : learned) {
        write_error(one.error, out);
        out.value(one.plan.has_value());
        if (one.plan) {
            write_plan(*one.plan, out);
        }
    }
    return answer;
}

void read_learned(MessageReader& in, LearnedPlan& learned) {
    learned.error = read_error(in);
    if (in.value<bool>()) {
        learned.plan = read_plan(in);
    }
}

RankMessage answer_with(const std::vector<MadeEstimate>& made) {
    RankMessage answer;
    MessageWriter out(answer);
    for (const MadeEstimate& one : made) {
        write_estimate(one.estimate, out);
        write_error(one.error, out);
    }
    return answer;
}

}  // namespace

SplittingCrew::SplittingCrew(const MakeWalker& make_walker, const MeasureOptions& options,
                             std::size_t place)
    : options_(options), place_(place), crew_(options.jobs) {
    for (std::size_t i = 0; i < crew_.size(); ++i) {
        workers_.push_back(std::make_unique<Splitting>(make_walker, options, place));
    }
}

void SplittingCrew::learn(std::uint64_t first, std::span<LearnedPlan> learned,
                          std::uint64_t steps_max, const MayGoOn& may_go_on) {
    crew_.run(learned.size(), [&](std::size_t worker, std::size_t piece) {
        try {
            learned[piece].plan =
                workers_[worker]->learn(kScores.at(first + piece), steps_max, may_go_on);
        } catch (...) {
            learned[piece].error = std::current_exception();
        }
    });
}

void SplittingCrew::estimate(const SplittingTask& task, std::uint64_t first,
                             std::span<MadeEstimate> made, const MayGoOn& may_go_on) {
    crew_.run(made.size(), [&](std::size_t worker, std::size_t piece) {
        try {
            SplittingEstimate& estimate = made[piece].estimate;
            estimate =
                workers_[worker]->estimate(task.plan, first + piece, task.runs_of_stage, may_go_on);
            if (!estimate.limit.empty()) {
                estimate.limit = interrupt_requested() ? "interrupted" : "time";
            }
        } catch (...) {
            made[piece].error = std::current_exception();
        }
    });
}

SharedSplitting::SharedSplitting(const MeasureOptions& options, const SplittingTask& asked)
    : task_(options.helpers, RankTaskKind::kSplit, about_splitting(options, asked)) {}

std::size_t SharedSplitting::ask(std::uint64_t first, std::size_t estimates, double seconds_left) {
    return task_.ask_for_shares(first, estimates, seconds_left);
}

void SharedSplitting::take_answers(std::vector<MadeEstimate>& made) {
    task_.take_shares(made.size(), [&](std::size_t i, MessageReader& in) {
        made[i].estimate = read_estimate(in);
        made[i].error = read_error(in);
    });
}

std::optional<SplittingPlan> learn_plan(SplittingCrew& crew, std::uint64_t steps_max,
                                        double seconds_left, const MayGoOn& may_go_on) {
    std::vector<LearnedPlan> learned(kScores.size());
    const Helpers& helpers = crew.options().helpers;
    if (helpers.ranks == nullptr) {
        crew.learn(0, learned, steps_max, may_go_on);
    } else {
        RankTask task(helpers, RankTaskKind::kLearn,
                      about_learning(crew.options(), crew.place(), steps_max));
        const std::size_t own = task.ask_for_shares(0, learned.size(), seconds_left);
        crew.learn(0, {learned.data(), own}, steps_max, may_go_on);
        task.take_shares(learned.size(),
                         [&](std::size_t i, MessageReader& in) { read_learned(in, learned[i]); });
    }
    std::optional<SplittingPlan> best;
    for (LearnedPlan& one : learned) {
        if (one.error) {
            std::rethrow_exception(one.error);
        }
        if (one.plan && (!best || one.plan->work() < best->work())) {
            best = std::move(one.plan);
        }
    }
    return best;
}

void follow_learning(const MakeWalker& make_walker, FollowedTask& task) {
    MessageReader about(task.about());
    const MeasureOptions options = read_measure_options(about);
    const auto place = about.value<std::size_t>();
    const auto steps_max = about.value<std::uint64_t>();
    SplittingCrew crew(make_walker, options, place);
    while (const auto question = task.next_question()) {
        const auto what = MessageReader(*question).value<PiecesAsked>();
        const Deadline deadline(what.seconds_left);
        std::vector<LearnedPlan> learned(what.count);
        crew.learn(what.first, learned, steps_max,
                   [&] { return !interrupt_requested() && !deadline.is_past(); });
        task.answer(answer_with(learned));
    }
}

void follow_splitting(const MakeWalker& make_walker, FollowedTask& task) {
    MessageReader about(task.about());
    const MeasureOptions options = read_measure_options(about);
    const SplittingTask asked = read_splitting(about);
    SplittingCrew crew(make_walker, options, asked.place);
    while (const auto question = task.next_question()) {
        const auto what = MessageReader(*question).value<PiecesAsked>();
        const Deadline deadline(what.seconds_left);
        std::vector<MadeEstimate> made(what.count);
        crew.estimate(asked, what.first, made,
                      [&] { return !interrupt_requested() && !deadline.is_past(); });
        task.answer(answer_with(made));
    }
}

}  // namespace lockkeeper
