// SPDX-License-Identifier: Apache-2.0
#include "measure/shared_sampling.hpp"

#include "measure/measure_message.hpp"
#include "scheduler/base/deadline.hpp"
#include "scheduler/ranks/rank_error.hpp"
#include "scheduler/search/explore.hpp"

namespace lockkeeper {
namespace {

RankMessage about_sampling(const MeasureOptions& options, const Capacities& capacities) {
    RankMessage about;
    MessageWriter out(about);
    write_options(options, out);
    out.value(capacities);
    return about;
}

RankMessage answer_with(const std::vector<Batch>& batches) {
    RankMessage answer;
    MessageWriter out(answer);
    for (const Batch& batch : batches) {
        write_tally(batch.tally, out);
        out.text(batch.limit);
        write_error(batch.error, out);
    }
    return answer;
}

}  // namespace

SharedSampling::SharedSampling(const MeasureOptions& options, const Capacities& capacities)
    : task_(options.helpers, RankTaskKind::kSample, about_sampling(options, capacities)) {}

std::size_t SharedSampling::ask(std::uint64_t first, std::size_t batches, double seconds_left) {
    LOCKKEEPER_CHECK(first % kRunsOfBatch == 0);
    return task_.ask_for_shares(first / kRunsOfBatch, batches, seconds_left);
}

void SharedSampling::take_answers(std::vector<Batch>& batches) {
    task_.take_shares(batches.size(), [&](std::size_t i, MessageReader& in) {
        batches[i].tally = read_tally(in);
        batches[i].limit = in.text();
        batches[i].error = read_error(in);
    });
}

void follow_sampling(const MakeWalker& make_walker, FollowedTask& task) {
    MessageReader about(task.about());
    const MeasureOptions options = read_measure_options(about);
    SamplerCrew crew(make_walker, options);
    crew.set_capacities(about.value<Capacities>());
    while (const auto question = task.next_question()) {
        const auto asked = MessageReader(*question).value<PiecesAsked>();
        const Deadline deadline(asked.seconds_left);
        std::vector<Batch> batches(asked.count);
        crew.sample(asked.first * kRunsOfBatch, batches, [&]() -> std::string {
            return interrupt_requested() ? "interrupted" : deadline.is_past() ? "time" : "";
        });
        task.answer(answer_with(batches));
    }
}

}  // namespace lockkeeper
