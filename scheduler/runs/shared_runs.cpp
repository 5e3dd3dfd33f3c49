// SPDX-License-Identifier: Apache-2.0
#include "scheduler/runs/shared_runs.hpp"

#include <algorithm>

#include "scheduler/base/deadline.hpp"
#include "scheduler/ranks/property_message.hpp"
#include "scheduler/ranks/rank_error.hpp"
#include "scheduler/runs/strategy.hpp"

namespace lockkeeper {
namespace {

// Writes everything that a run depends on.
RankMessage about_runs(const FuzzOptions& options) {
    RankMessage about;
    MessageWriter out(about);
    write_properties(options.check, out);
    write_properties(options.reach, out);
    out.text(options.strategy);
    out.value(options.symmetry);
    out.value(options.seed);
    out.value(options.steps_max);
    out.value(options.jobs);
    out.value(options.stop_at_first);
    return about;
}

FuzzOptions options_in(const RankMessage& about) {
    MessageReader in(about);
    FuzzOptions options;
    options.check = read_properties(in);
    options.reach = read_properties(in);
    options.strategy = in.text();
    options.symmetry = in.value<bool>();
    options.seed = in.value<std::uint64_t>();
    options.steps_max = in.value<std::uint64_t>();
    options.jobs = in.value<std::size_t>();
    options.stop_at_first = in.value<bool>();
    return options;
}

void write_seen(const RunSteps& seen, MessageWriter& out) {
    out.array(seen.keys);
    out.array(seen.taken);
    out.array(seen.used_up);
    out.value(seen.ends);
    out.value(seen.last_state);
}

void read_seen(MessageReader& in, RunSteps& seen) {
    seen.keys = in.array<std::uint64_t>();
    seen.taken = in.array<RunSteps::Step>();
    seen.used_up = in.array<RunSteps::Step>();
    seen.ends = in.value<bool>();
    seen.last_state = in.value<std::uint64_t>();
}

void hear_news(MessageReader& in, SeenSteps& seen) {
    RunSteps steps;
    for (auto left = in.value<std::uint64_t>(); left > 0; --left) {
        const RankMessage news = in.array<std::byte>();
        MessageReader reader(news);
        read_seen(reader, steps);
        seen.add(steps);
    }
}

void write_run(const MadeRun& made, bool by_feedback, MessageWriter& out) {
    out.value(made.is);
    if (made.is != RunMade::kMade) {
        return;
    }
    out.value(made.length);  // says of a run that failed, too, whether it has to be made again
    write_error(made.error, out);
    if (made.error) {
        return;
    }
    out.value(made.seed);
    out.text(made.by);
    out.value(made.steps);
    out.array(made.run.actions);
    out.array(made.run.broken);
    for (const bool reached : made.run.reached) {
        out.value(reached);
    }
    out.value(made.run.cut);
    out.value(made.run.deadlocked);
    out.value(made.nondeterminism);
    if (by_feedback) {
        write_seen(made.seen, out);
    }
}

void read_run(MessageReader& in, bool by_feedback, std::size_t goals, MadeRun& made) {
    made.is = in.value<RunMade>();
    if (made.is != RunMade::kMade) {
        return;
    }
    made.length = in.value<std::uint32_t>();
    made.error = read_error(in);
    if (made.error) {
        return;
    }
    made.seed = in.value<std::uint64_t>();
    made.by = in.text();
    made.steps = in.value<std::uint64_t>();
    made.run.actions = in.array<Action>();
    made.run.broken = in.array<std::size_t>();
    made.run.reached.resize(goals);
    for (std::size_t i = 0; i < goals; ++i) {
        made.run.reached[i] = in.value<bool>();
    }
    made.run.cut = in.value<bool>();
    made.run.deadlocked = in.value<bool>();
    made.nondeterminism = in.value<std::optional<std::size_t>>();
    if (by_feedback) {
        read_seen(in, made.seen);
    }
}

}  // namespace

SharedRuns::SharedRuns(const FuzzOptions& options)
    : goals_(options.reach.size()),
      uses_feedback_(options.strategy == kFeedback),
      task_(options.helpers, RankTaskKind::kFuzz, about_runs(options)),
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
    write_seen(seen, out);
}

void SharedRuns::take_answers(std::vector<MadeRun>& made) {
    task_.take_shares(made.size(), [&](std::size_t i, MessageReader& in) {
        read_run(in, uses_feedback_, goals_, made[i]);
    });
}

void follow_runs(
    const std::function<std::unique_ptr<AnyRunMaker>(const FuzzOptions& options)>& make,
    FollowedTask& task) {
    const FuzzOptions options = options_in(task.about());
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
        for (const MadeRun& one : made) {
            write_run(one, crew.uses_feedback(), out);
        }
        task.answer(answer);
    }
}

}  // namespace lockkeeper
