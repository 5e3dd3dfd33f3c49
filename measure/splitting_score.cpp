// SPDX-License-Identifier: Apache-2.0
#include "measure/splitting_score.hpp"

#include <algorithm>

namespace lockkeeper {
namespace {

constexpr std::uint32_t kReturns =
    kAcquired | kRefused | kReleased | kFailed | kDone | kCrashed | kCallerDied;
constexpr std::uint32_t kMishap =
    kCrashed | kWentWrong | kForcedRelease | kFoundFull | kNothingToRelease;

std::int64_t of_key(Score score, const KeyObservation& key) {
    const auto believed = static_cast<std::int64_t>(key.believed);
    std::int64_t highest = key.counted_most;
    for (const std::int32_t counter : key.counters) {
        highest = counter == kAbsentCounter ? highest : std::max<std::int64_t>(highest, counter);
    }
    switch (score) {
        case Score::kHighestCounter: return highest;
        case Score::kLowestCounter: return -key.lowest_counter();
        case Score::kHolders: return believed;
        case Score::kUncounted: return believed - key.counted_most;
        case Score::kLost: return key.counted_least - believed;
        case Score::kLongestCall:
        case Score::kMishaps: break;
    }
    return 0;
}

std::int64_t of_state(Score score, const Walker& walker, Observation& scratch) {
    walker.observe(scratch);
    std::int64_t most = 0;
    for (std::size_t key = 0; key < scratch.keys_count; ++key) {
        const std::int64_t here = of_key(score, scratch.keys[key]);
        most = key == 0 ? here : std::max(most, here);
    }
    return most;
}

}  // namespace

std::string_view name_of(Score score) {
    switch (score) {
        case Score::kLongestCall: return "steps of the longest call";
        case Score::kHighestCounter: return "highest counter";
        case Score::kLowestCounter: return "lowest counter";
        case Score::kHolders: return "holders";
        case Score::kUncounted: return "holders that are not counted";
        case Score::kLost: return "counted units that nobody holds";
        case Score::kMishaps: return "mishaps so far";
    }
    return "?";
}

std::int64_t ScoreKeeper::longest_call(const Event& event) {
    if (event.caller < kCallersMax && !event.passed_signal()) {
        std::uint16_t& steps = steps_of_call_[event.caller];
        if (event.is(kInvoked)) {
            steps = 0;
        }
        if (steps > 0 || event.is(kInvoked)) {
            steps = static_cast<std::uint16_t>(std::min(steps + 1, 0xFFFF));
        }
        if ((event.what & kReturns) != 0) {
            steps = 0;
        }
    }
    return *std::max_element(steps_of_call_.begin(), steps_of_call_.end());
}

std::int64_t ScoreKeeper::after(Score score, const Walker& walker, const Event& event,
                                Observation& scratch) {
    switch (score) {
        case Score::kLongestCall: return longest_call(event);
        case Score::kMishaps: mishaps_ += (event.what & kMishap) != 0 ? 1 : 0; return mishaps_;
        default: return of_state(score, walker, scratch);
    }
}

std::int64_t ScoreKeeper::at_begin(Score score, const Walker& walker, Observation& scratch) {
    *this = {};
    switch (score) {
        case Score::kLongestCall:
        case Score::kMishaps: return 0;
        default: return of_state(score, walker, scratch);
    }
}

}  // namespace lockkeeper
