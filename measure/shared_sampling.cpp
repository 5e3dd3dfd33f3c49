// SPDX-License-Identifier: Apache-2.0
#include "measure/shared_sampling.hpp"

#include "measure/messages.hpp"
#include "scheduler/base/deadline.hpp"
#include "scheduler/search/explore.hpp"

namespace lockkeeper {
namespace {

RankMessage answer_with(const std::vector<Batch>& batches) {
    RankMessage answer;
    MessageWriter out(answer);
    for (const Batch& batch : batches) {
        put(out, batch.tally, batch.limit, batch.error);
    }
    return answer;
}

}  // namespace

SharedSampling::SharedSampling(const MeasureOptions& options, const Capacities& capacities)
    : task_(options.helpers, RankTaskKind::kSample, message_of(options, capacities)) {}

std::size_t SharedSampling::ask(std::uint64_t first, std::size_t batches, double seconds_left) {
    LOCKKEEPER_CHECK(first % kRunsOfBatch == 0);
    return task_.ask_for_shares(first / kRunsOfBatch, batches, seconds_left);
}

void SharedSampling::take_answers(std::vector<Batch>& batches) {
    task_.take_shares(batches.size(), [&](std::size_t i, MessageReader& in) {
        get(in, batches[i].tally, batches[i].limit, batches[i].error);
    });
}

void follow_sampling(const MakeWalker& make_walker, FollowedTask& task) {
    MessageReader about(task.about());
    MeasureOptions options;
    Capacities capacities{};
    get(about, options, capacities);
    SamplerCrew crew(make_walker, options);
    crew.set_capacities(capacities);
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
