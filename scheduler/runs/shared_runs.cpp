// SPDX-License-Identifier: Apache-2.0
#include "scheduler/runs/shared_runs.hpp"

#include <algorithm>

#include "scheduler/base/deadline.hpp"
#include "scheduler/ranks/fields.hpp"
#include "scheduler/runs/strategy.hpp"

namespace lockkeeper {

template <>
inline constexpr bool kIsPlain<RunSteps::Step> = true;

// All that a run depends on.
template <class Way>
void pass(const Way& way, FuzzOptions& options) {
    pass_all(way, options.check, options.reach, options.strategy, options.symmetry, options.seed,
             options.steps_max, options.jobs, options.stop_at_first);
}
template <class Way>
void pass(const Way& way, RunSteps& seen) {
    pass_all(way, seen.keys, seen.taken, seen.used_up, seen.ends, seen.last_state);
}
// The length says of a run that failed, too, whether it has to be made again.
template <class Way>
void pass(const Way& way, MadeRun& made, bool by_feedback) {
    pass(way, made.is);
    if (made.is != RunMade::kMade) {
        return;
    }
    pass_all(way, made.length, made.error);
    if (made.error) {
        return;
    }
    pass_all(way, made.seed, made.by, made.steps, made.run.actions, made.run.broken,
             made.run.reached, made.run.cut, made.run.deadlocked, made.nondeterminism);
    if (by_feedback) {
        pass(way, made.seen);
    }
}

namespace {

void hear_news(MessageReader& in, SeenSteps& seen) {
    RunSteps steps;
    for (auto left = in.value<std::uint64_t>(); left > 0; --left) {
        const RankMessage news = in.array<std::byte>();
        MessageReader reader(news);
        get(reader, steps);
        seen.add(steps);
    }
}

}  // namespace

SharedRuns::SharedRuns(const FuzzOptions& options)
    : goals_(options.reach.size()),
      uses_feedback_(options.strategy == kFeedback),
      task_(options.helpers, RankTaskKind::kFuzz, message_of(options)),
      heard_(task_.ranks_count()) {}

std::size_t SharedRuns::ask(std::uint64_t first, std::size_t runs, std::uint32_t length,
                            double seconds_left) {
    const std::size_t own =
        task_.ask_for_shares(first, runs, seconds_left, [&](std::size_t rank, MessageWriter& out) {
            out.value(length);
            write_news_for(rank, out);
        });
    if (std::all_of(heard_.begin() + 1, heard_.end(),
                    [&](std::size_t heard) { return heard == news_.size(); })) {
        news_.clear();
        heard_.assign(heard_.size(), 0);
    }
    return own;
}

// A rank that has no share in a round hears of it with its next one.
void SharedRuns::write_news_for(std::size_t rank, MessageWriter& out) {
    out.value(std::uint64_t{news_.size() - heard_[rank]});
    for (; heard_[rank] < news_.size(); ++heard_[rank]) {
        out.array(news_[heard_[rank]]);
    }
}

void SharedRuns::tell(const RunSteps& seen) {
    MessageWriter out(news_.emplace_back());
    put(out, seen);
}

void SharedRuns::take_answers(std::vector<MadeRun>& made) {
    task_.take_shares(made.size(), [&](std::size_t i, MessageReader& in) {
        pass(Inward{in}, made[i], uses_feedback_);
        LOCKKEEPER_CHECK(made[i].is != RunMade::kMade || made[i].error ||
                         made[i].run.reached.size() == goals_);
    });
}

void follow_runs(
    const std::function<std::unique_ptr<AnyRunMaker>(const FuzzOptions& options)>& make,
    FollowedTask& task) {
    MessageReader about(task.about());
    FuzzOptions options;
    get(about, options);
    RunCrew crew(options, [&] { return make(options); });
    std::vector<MadeRun> made;
    while (const auto question = task.next_question()) {
        MessageReader in(*question);
        const auto asked = in.value<PiecesAsked>();
        const auto length = in.value<std::uint32_t>();
        hear_news(in, crew.seen());
        const Deadline deadline(asked.seconds_left);
        made.resize(asked.count);
        crew.make(asked.first, length, made, [&] {
            return interrupt_requested() ? RunMade::kInterrupted
                   : deadline.is_past()  ? RunMade::kTimeUp
                                         : RunMade::kMade;
        });
        RankMessage answer;
        MessageWriter out(answer);
        for (MadeRun& one : made) {
            pass(Outward{out}, one, crew.uses_feedback());
        }
        task.answer(answer);
    }
}

}  // namespace lockkeeper
