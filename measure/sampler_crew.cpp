// SPDX-License-Identifier: Apache-2.0
#include "measure/sampler_crew.hpp"

#include <algorithm>

#include "measure/messages.hpp"
#include "scheduler/base/deadline.hpp"
#include "scheduler/search/explore.hpp"

namespace lockkeeper {

SamplerCrew::SamplerCrew(const MakeWalker& make_walker, const MeasureOptions& options)
    : options_(options), crew_(options.jobs) {
    for (std::size_t i = 0; i < crew_.size(); ++i) {
        samplers_.push_back(std::make_unique<RunSampler>(make_walker, options));
    }
}

RunTally SamplerCrew::nothing() const {
    RunTally tally;
    tally.properties.resize(options_.check.size());
    return tally;
}

Capacities SamplerCrew::look_for_capacities(std::uint64_t runs) {
    return samplers_.front()->look_for_capacities(runs);
}

void SamplerCrew::set_capacities(const Capacities& capacities) {
    for (const auto& sampler : samplers_) {
        sampler->set_capacities(capacities);
    }
}

void SamplerCrew::sample(std::uint64_t first, std::span<Batch> batches,
                         const WhyStopped& why_stopped) {
    crew_.run(batches.size(), [&](std::size_t worker, std::size_t piece) {
        sample_one(*samplers_[worker], first + piece * kRunsOfBatch, batches[piece], why_stopped);
    });
}

void SamplerCrew::sample_one(RunSampler& sampler, std::uint64_t first, Batch& batch,
                             const WhyStopped& why_stopped) const {
    batch.tally = nothing();
    const std::uint64_t end = std::min(first + kRunsOfBatch, options_.runs_max);
    const auto may_go_on = [&] {
        batch.limit = why_stopped();
        return batch.limit.empty();
    };
    try {
        for (std::uint64_t number = first; number < end; ++number) {
            if (!may_go_on() || !sampler.run(number, batch.tally, may_go_on)) {
                return;
            }
        }
    } catch (const LimitExceeded& limit) {
        batch.limit = limit.what();
    } catch (...) {
        batch.error = std::current_exception();
    }
}

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
