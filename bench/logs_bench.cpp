// SPDX-License-Identifier: Apache-2.0

// Explaining logs: complete logs, logs with lost lines, and many workers around one incident.
// docs/decisions/methods/explain.md has figures.
#include <random>

#include <benchmark/benchmark.h>

#include "validate/logs/explain.hpp"

namespace lockkeeper::bench {
namespace {

using logs::Observation;
using logs::Outcome;
using logs::Seen;
using logs::Source;

// Workers of a mutex, one source each, until about so many lines are written. Some write to the
// resource; who finds it held is refused.
class Night {
  public:
    Night(std::size_t workers, std::size_t lines, std::uint64_t seed)
        : sources_(workers), random_(seed) {
        for (std::size_t i = 0; i < workers; ++i) {
            sources_[i].name = sources_[i].file = "w" + std::to_string(i);
        }
        go_on(lines);
    }

    void go_on(std::size_t lines) {
        while (count_ < lines) {
            step(random_() % sources_.size());
        }
    }

    std::vector<Source>& sources() { return sources_; }

    // Lines of answers that nobody has any more.
    void lose(std::size_t lines) {
        while (lines > 0) {
            auto& some = sources_[random_() % sources_.size()].observations;
            const std::size_t place = random_() % some.size();
            if (some[place].seen == Seen::kAnswer && some[place].code == LockCode::kRelease) {
                some.erase(some.begin() + static_cast<std::ptrdiff_t>(place));
                --lines;
            }
        }
    }

    // The last line: a worker that does not hold writes.
    void write_unheld() { write((holder_ + 1) % sources_.size(), Seen::kEffect, LockCode::kWrite); }

    // Another worker is granted what is held, for a second.
    void grant_twice() {
        while (!is_held_) {
            step(random_() % sources_.size());
        }
        const std::size_t other = (holder_ + 1) % sources_.size();
        constexpr std::int64_t kSecond = 1'000'000'000;
        for (const LockCode code : {LockCode::kAcquire, LockCode::kRelease}) {
            write(other, Seen::kCall, code);
            write(other, Seen::kAnswer, code);
            now_ += kSecond;
        }
    }

  private:
    void write(std::size_t worker, Seen seen, LockCode code, Outcome outcome = Outcome::kOk) {
        Observation line;
        line.seen = seen;
        line.code = code;
        line.outcome = outcome;
        line.caller = sources_[worker].name;
        line.earliest = line.latest = now_;
        now_ += 1'000'000 + static_cast<std::int64_t>(random_() % 1'000'000);
        sources_[worker].observations.push_back(std::move(line));
        ++count_;
    }

    void step(std::size_t worker) {
        const bool holds = is_held_ && holder_ == worker;
        if (holds && random_() % 2 == 0) {
            write(worker, Seen::kEffect, LockCode::kWrite);
            return;
        }
        const LockCode code = holds ? LockCode::kRelease : LockCode::kAcquire;
        const bool is_refused = !holds && is_held_;
        write(worker, Seen::kCall, code);
        write(worker, Seen::kAnswer, code, is_refused ? Outcome::kRefused : Outcome::kOk);
        holder_ = is_refused ? holder_ : worker;
        is_held_ = !holds || is_refused;
    }

    std::vector<Source> sources_;
    std::mt19937_64 random_;
    std::int64_t now_ = 0;
    std::size_t count_ = 0;
    std::size_t holder_ = 0;
    bool is_held_ = false;
};

void explain(benchmark::State& state, const std::vector<Source>& sources,
             std::optional<std::uint32_t> lost_max, logs::Answer expected,
             bool knows_clocks = true) {
    const auto model = make_model(logs::model_of_logs("owner-aware-mutex"));
    std::uint64_t states = 0;
    for (auto _ : state) {
        CheckLimits limits;
        limits.seconds_max = 600;
        limits.bytes_max = std::uint64_t{500} << 20U;
        const SearchBudget budget(limits);
        logs::Question question;
        question.lost_max = lost_max;
        question.clock_errors.assign(knows_clocks ? sources.size() : 0, 0);
        question.model = model.get();
        question.budget = &budget;
        const logs::LockAnswer answer = logs::explain(sources, question);
        states = answer.states;
        if (answer.answer != expected) {
            state.SkipWithError("another answer");
            return;
        }
    }
    state.counters["states"] = static_cast<double>(states);
}

// The bar: 2 s.
void explain_4_workers_50000_lines(benchmark::State& state) {
    Night night(4, 50'000, 1);
    explain(state, night.sources(), 0, logs::Answer::kExplained);
}
BENCHMARK(explain_4_workers_50000_lines)->Unit(benchmark::kMillisecond);

// The bar: 60 s.
void explain_8_workers_1000_lines_4_lost(benchmark::State& state) {
    Night night(8, 1'000, 2);
    night.lose(4);
    explain(state, night.sources(), 4, logs::Answer::kExplained);
}
BENCHMARK(explain_8_workers_1000_lines_4_lost)->Unit(benchmark::kMillisecond);

// The bar: 60 s.
void explain_16_workers_10000_lines_1_incident(benchmark::State& state) {
    Night night(16, 10'000, 3);
    night.write_unheld();
    explain(state, night.sources(), 0, logs::Answer::kBroken);
}
BENCHMARK(explain_16_workers_10000_lines_1_incident)->Unit(benchmark::kMillisecond);

// The bar: 60 s. Nobody says how wrong the clocks of 16 machines may be.
void explain_16_workers_10000_lines_1_incident_any_clocks(benchmark::State& state) {
    Night night(16, 10'000, 3);
    night.write_unheld();
    explain(state, night.sources(), 0, logs::Answer::kBroken, false);
}
BENCHMARK(explain_16_workers_10000_lines_1_incident_any_clocks)->Unit(benchmark::kMillisecond);

// The bar: 60 s. Nobody says how wrong the clocks may be, nor how many lines are missing.
void explain_16_workers_10000_lines_2_holders_unasked(benchmark::State& state) {
    Night night(16, 6'000, 3);
    night.grant_twice();
    night.go_on(10'000);
    explain(state, night.sources(), std::nullopt, logs::Answer::kNotExplained, false);
}
BENCHMARK(explain_16_workers_10000_lines_2_holders_unasked)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lockkeeper::bench
