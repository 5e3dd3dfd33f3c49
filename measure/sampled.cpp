// SPDX-License-Identifier: Apache-2.0
#include "measure/sampled.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "measure/sampler_crew.hpp"
#include "measure/sampling_result.hpp"
#include "measure/shared_sampling.hpp"
#include "scheduler/search/explore.hpp"

namespace lockkeeper {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kRunsForCapacities = 16;
constexpr double kSecondsOfRound = 0.05;
constexpr std::size_t kBatchesOfRound = 1024;  // per worker, at most

void check_options(const MeasureOptions& options) {
    LOCKKEEPER_CHECK(options.confidence > 0 && options.confidence < 1);
    LOCKKEEPER_CHECK(!options.below || (*options.below > 0 && *options.below < 1));
    LOCKKEEPER_CHECK(options.relative_width >= 0 && options.steps_max > 0);
}

class Sampling {
  public:
    Sampling(const MakeWalker& make_walker, const MeasureOptions& options)
        : options_(options), crew_(make_walker, options), sum_(crew_.nothing()) {
        check_options(options);
    }

    MeasureResult run() {
        const bool is_sequential = options_.relative_width > 0 || options_.below.has_value();
        try {
            const Capacities capacities = crew_.look_for_capacities(kRunsForCapacities);
            crew_.set_capacities(capacities);
            if (options_.helpers.ranks != nullptr) {
                shared_.emplace(options_, capacities);
            }
            sample();
        } catch (const LimitExceeded& limit) {
            limit_ = limit.what();
        }
        MeasureResult result = result_of(sum_, options_, is_sequential);
        result.method = MeasureMethod::kSampled;
        result.is_below = is_below_;
        result.complete = is_sequential ? reached_ : has_made_all_;
        result.limit = result.complete ? "" : limit_;
        result.seconds = seconds();
        return result;
    }

  private:
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(Clock::now() - began_).count();
    }
    // Rounds of batches. How many there are in a round depends on the clock, and who does which on
    // chance; what is merged, and when it is enough, on neither.
    void sample() {
        const std::size_t workers = crew_.size() * (shared_ ? shared_->ranks_count() : 1);
        std::size_t batches = workers;
        while (limit_.empty() && !reached_) {
            const std::uint64_t left = options_.runs_max - sum_.runs;
            if (left == 0) {
                limit_ = "runs";
                has_made_all_ = true;
                break;
            }
            const auto needed = static_cast<std::size_t>(std::min<std::uint64_t>(
                (left + kRunsOfBatch - 1) / kRunsOfBatch, kBatchesOfRound * workers));
            const double began = seconds();
            round(std::min(batches, needed));
            if (seconds() - began < kSecondsOfRound) {
                batches *= 2;
            }
            if (options_.progress) {
                options_.progress(sum_.runs, seconds());
            }
        }
    }

    void round(std::size_t count) {
        std::vector<Batch> batches(count);
        const std::uint64_t first = sum_.runs;
        const std::size_t own =
            shared_ ? shared_->ask(first, count, options_.seconds_max - seconds()) : count;
        crew_.sample(first, {batches.data(), own}, [this]() -> std::string {
            return interrupt_requested()               ? "interrupted"
                   : seconds() >= options_.seconds_max ? "time"
                                                       : "";
        });
        if (shared_) {
            shared_->take_answers(batches);
        }
        for (const Batch& batch : batches) {
            if (batch.error) {
                std::rethrow_exception(batch.error);
            }
            sum_.merge(batch.tally);
            if (!batch.limit.empty()) {
                limit_ = batch.limit;
                return;
            }
            decide();
            if (reached_) {
                return;
            }
        }
    }

    // --- is it enough? ------------------------------------------------------------------------

    void decide() {
        if (options_.below) {
            decide_below();
        }
        const bool is_narrow = options_.relative_width > 0 && narrow();
        reached_ = is_below_.has_value() || is_narrow;
    }

    // Below: all of them are, each tested at the whole error (who is wrong about "all" is wrong
    // about one that is not). Not below: one of them is not, each at its share of the error.
    void decide_below() {
        const double error = 1 - options_.confidence;
        const auto count = static_cast<double>(options_.check.size());
        bool all = !options_.check.empty();
        for (std::size_t i = 0; i < options_.check.size(); ++i) {
            if (!is_seen_in_runs(*options_.check[i])) {
                all = false;
                continue;
            }
            const PropertyTally& sums = sum_.properties[i];
            if (evidence_above(sums.hits, sum_.runs, *options_.below) >= std::log(count / error)) {
                is_below_ = false;
                return;
            }
            // A run that was cut may have met it later.
            const std::uint64_t at_most = sums.hits + sums.cut_before;
            all = all && evidence_below(at_most, sum_.runs, *options_.below) >= -std::log(error);
        }
        if (all) {
            is_below_ = true;
        }
    }

    [[nodiscard]] bool narrow() const {
        const auto is_narrow = [&](const PropertyTally& sums) {
            // Cheap first: the interval is never narrower than 2 standard errors.
            const double target = options_.relative_width;
            const auto hits = static_cast<double>(sums.hits);
            const double miss = 1 - hits / static_cast<double>(sum_.runs);
            return sums.hits > 0 && target * target * hits >= 4 * miss &&
                   relative_width(anytime_interval(sums.hits, sum_.runs, options_.confidence)) <=
                       target;
        };
        return !sum_.properties.empty() &&
               std::all_of(sum_.properties.begin(), sum_.properties.end(), is_narrow);
    }

    const MeasureOptions& options_;
    Clock::time_point began_ = Clock::now();
    SamplerCrew crew_;
    std::optional<SharedSampling> shared_;  // where others help
    RunTally sum_;
    std::string limit_;
    bool has_made_all_ = false;  // of the runs that were asked for
    bool reached_ = false;
    std::optional<bool> is_below_;
};

}  // namespace

MeasureResult measure_by_sampling(const MakeWalker& make_walker, const MeasureOptions& options) {
    return Sampling(make_walker, options).run();
}

}  // namespace lockkeeper
