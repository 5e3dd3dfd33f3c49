// SPDX-License-Identifier: Apache-2.0
#include "measure/shared_splitting.hpp"

#include "measure/messages.hpp"
#include "scheduler/base/deadline.hpp"
#include "scheduler/search/explore.hpp"

namespace lockkeeper {

template <class Way>
void pass(const Way& way, SplittingTask& task) {
    pass_all(way, task.place, task.plan, task.runs_of_stage);
}
template <class Way>
void pass(const Way& way, LearnedPlan& learned) {
    pass_all(way, learned.error, learned.plan);
}
template <class Way>
void pass(const Way& way, MadeEstimate& made) {
    pass_all(way, made.estimate, made.error);
}

namespace {

template <class Answer>
RankMessage message_of_all(const std::vector<Answer>& answers) {
    RankMessage message;
    MessageWriter out(message);
    for (const Answer& one : answers) {
        put(out, one);
    }
    return message;
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
    : task_(options.helpers, RankTaskKind::kSplit, message_of(options, asked)) {}

std::size_t SharedSplitting::ask(std::uint64_t first, std::size_t estimates, double seconds_left) {
    return task_.ask_for_shares(first, estimates, seconds_left);
}

void SharedSplitting::take_answers(std::vector<MadeEstimate>& made) {
    task_.take_shares(made.size(), [&](std::size_t i, MessageReader& in) { get(in, made[i]); });
}

std::optional<SplittingPlan> learn_plan(SplittingCrew& crew, std::uint64_t steps_max,
                                        double seconds_left, const MayGoOn& may_go_on) {
    std::vector<LearnedPlan> learned(kScores.size());
    const Helpers& helpers = crew.options().helpers;
    if (helpers.ranks == nullptr) {
        crew.learn(0, learned, steps_max, may_go_on);
    } else {
        RankTask task(helpers, RankTaskKind::kLearn,
                      message_of(crew.options(), crew.place(), steps_max));
        const std::size_t own = task.ask_for_shares(0, learned.size(), seconds_left);
        crew.learn(0, {learned.data(), own}, steps_max, may_go_on);
        task.take_shares(learned.size(),
                         [&](std::size_t i, MessageReader& in) { get(in, learned[i]); });
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
    MeasureOptions options;
    std::size_t place = 0;
    std::uint64_t steps_max = 0;
    get(about, options, place, steps_max);
    SplittingCrew crew(make_walker, options, place);
    while (const auto question = task.next_question()) {
        const auto what = MessageReader(*question).value<PiecesAsked>();
        const Deadline deadline(what.seconds_left);
        std::vector<LearnedPlan> learned(what.count);
        crew.learn(what.first, learned, steps_max,
                   [&] { return !interrupt_requested() && !deadline.is_past(); });
        task.answer(message_of_all(learned));
    }
}

void follow_splitting(const MakeWalker& make_walker, FollowedTask& task) {
    MessageReader about(task.about());
    MeasureOptions options;
    SplittingTask asked;
    get(about, options, asked);
    SplittingCrew crew(make_walker, options, asked.place);
    while (const auto question = task.next_question()) {
        const auto what = MessageReader(*question).value<PiecesAsked>();
        const Deadline deadline(what.seconds_left);
        std::vector<MadeEstimate> made(what.count);
        crew.estimate(asked, what.first, made,
                      [&] { return !interrupt_requested() && !deadline.is_past(); });
        task.answer(message_of_all(made));
    }
}

}  // namespace lockkeeper
