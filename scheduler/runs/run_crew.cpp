// SPDX-License-Identifier: Apache-2.0
#include "scheduler/runs/run_crew.hpp"

#include <algorithm>
#include <atomic>

#include "scheduler/runs/strategy.hpp"

namespace lockkeeper {

RunCrew::RunCrew(const FuzzOptions& options,
                 const std::function<std::unique_ptr<AnyRunMaker>()>& new_maker)
    : options_(options), uses_feedback_(options.strategy == kFeedback), crew_(options.jobs) {
    for (std::size_t i = 0; i < crew_.size(); ++i) {
        makers_.push_back(new_maker());
    }
}

// Once it is taken, unless it is made again.
bool RunCrew::ends_the_search(const MadeRun& made) const {
    return made.error || made.nondeterminism ||
           (options_.stop_at_first && !made.run.broken.empty());
}

// Runs by feedback cost more than to be told of: each is a piece. They are not made again, and none
// is left out: what comes behind one that ends the search is not asked for.
void RunCrew::make(std::uint64_t first, std::uint32_t length, std::span<MadeRun> made,
                   const WhyNoRun& why_not) {
    constexpr std::size_t kRunsOfPieceMost = 16;
    constexpr std::size_t kPiecesOfWorker = 4;
    const std::size_t of_piece =
        uses_feedback_ ? 1
                       : std::clamp<std::size_t>(made.size() / (kPiecesOfWorker * crew_.size()), 1,
                                                 kRunsOfPieceMost);
    std::atomic<std::size_t> last{made.size()};  // that is worth being made
    const auto make_one = [&](std::size_t worker, std::size_t i) {
        MadeRun& run = made[i];
        run.is = i == 0 ? RunMade::kMade : i > last ? RunMade::kSkipped : why_not();
        if (run.is != RunMade::kMade) {
            return;
        }
        if (uses_feedback_) {
            makers_[worker]->make(first + i, seen_, run);
            return;
        }
        makers_[worker]->make(first + i, length, run);
        if (ends_the_search(run)) {
            std::size_t known = last;
            while (i < known && !last.compare_exchange_weak(known, i)) {
            }
        }
    };
    if (made.size() == 1) {
        make_one(0, 0);
        return;
    }
    crew_.run((made.size() + of_piece - 1) / of_piece, [&](std::size_t worker, std::size_t piece) {
        const std::size_t end = std::min((piece + 1) * of_piece, made.size());
        for (std::size_t i = piece * of_piece; i < end; ++i) {
            make_one(worker, i);
        }
    });
}

}  // namespace lockkeeper
