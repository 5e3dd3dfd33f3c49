// SPDX-License-Identifier: Apache-2.0

// Checking recorded histories: many keys, one long key, and the rate of the search where nothing
// helps. docs/understanding/speed.md has figures with the machine they were measured on.
#include <benchmark/benchmark.h>

#include "validate/histories/check_history.hpp"

namespace lockkeeper::bench {
namespace {

void add(RecordedHistory& history, std::size_t process, HistoryType type, std::size_t key,
         const char* f, const char* mode) {
    Record record;
    record.type = type;
    record.process = std::to_string(process);
    record.f = f;
    record.key = std::to_string(key);
    record.value = Datum::of(std::string(mode));
    record.time = static_cast<std::int64_t>(history.records.size());
    history.records.push_back(std::move(record));
}

// Sixteen processes; while one holds, another waits for the same key.
RecordedHistory correct_history(std::size_t operations, std::size_t keys) {
    RecordedHistory history;
    for (std::size_t i = 0; i + 3 < operations; i += 4) {
        const std::size_t key = i / 4 % keys;
        const std::size_t one = i % 16;
        const std::size_t other = (i + 1) % 16;
        add(history, one, HistoryType::kInvoke, key, "acquire", "");
        add(history, other, HistoryType::kInvoke, key, "acquire", "");
        add(history, one, HistoryType::kOk, key, "acquire", "");
        add(history, one, HistoryType::kInvoke, key, "release", "");
        add(history, other, HistoryType::kOk, key, "acquire", "");
        add(history, one, HistoryType::kOk, key, "release", "");
        add(history, other, HistoryType::kInvoke, key, "release", "");
        add(history, other, HistoryType::kOk, key, "release", "");
    }
    return history;
}

// A history of `readers` readers at once, then a writer that no order explains.
RecordedHistory worst_case(std::size_t readers) {
    RecordedHistory history;
    for (const HistoryType type : {HistoryType::kInvoke, HistoryType::kOk}) {
        for (std::size_t reader = 0; reader < readers; ++reader) {
            add(history, reader, type, 0, "acquire", "read");
        }
    }
    add(history, readers, HistoryType::kInvoke, 0, "acquire", "write");
    add(history, readers, HistoryType::kOk, 0, "acquire", "write");
    return history;
}

void check(benchmark::State& state, const RecordedHistory& history, const char* model,
           bool climbs) {
    const ModelChoice choice = std::get<ModelChoice>(parse_model(model));
    CheckLimits limits;
    limits.ladder = climbs;
    std::uint64_t operations = 0;
    std::uint64_t configurations = 0;
    for ([[maybe_unused]] auto iteration : state) {
        const auto checked = check_history(history, choice, limits);
        operations += std::get<HistoryCheck>(checked).operations;
        configurations += std::get<HistoryCheck>(checked).states;
    }
    using benchmark::Counter;
    state.counters["operations/s"] = Counter(static_cast<double>(operations), Counter::kIsRate);
    state.counters["configurations/s"] =
        Counter(static_cast<double>(configurations), Counter::kIsRate);
}

void register_all() {
    using benchmark::kMillisecond;
    const auto add_one = [](const char* name, RecordedHistory history, const char* model,
                            bool climbs) {
        benchmark::RegisterBenchmark(name, [history = std::move(history), model,
                                            climbs](benchmark::State& state) {
            check(state, history, model, climbs);
        })->Unit(kMillisecond);
    };
    add_one("history_10000_operations_100_keys", correct_history(10'000, 100), "owner-aware-mutex",
            false);
    add_one("history_10000_operations_100_keys_with_ladder", correct_history(10'000, 100),
            "owner-aware-mutex", true);
    add_one("history_100000_operations_1_key", correct_history(100'000, 1), "mutex", false);
    add_one("history_worst_case_16_readers", worst_case(16), "read-write-lock", false);
}

[[maybe_unused]] const bool kRegistered = (register_all(), true);

}  // namespace
}  // namespace lockkeeper::bench
