// SPDX-License-Identifier: Apache-2.0

// A history and the same history as a log: `validate --history` and `explain` say the same.
#include <filesystem>
#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include "validate/histories/check_history.hpp"
#include "validate/histories/order_records.hpp"
#include "validate/histories/random_history_test.hpp"
#include "validate/logs/explain.hpp"
#include "validate/logs/read_log.hpp"

namespace lockkeeper::logs {
namespace {

// Nothing: there was nothing to judge.
std::optional<bool> is_passed(const RecordedHistory& history, const std::string& model) {
    const auto result = check_history(history, std::get<ModelChoice>(parse_model(model)));
    if (std::holds_alternative<HistoryError>(result)) {
        return std::nullopt;
    }
    const Verdict& verdict = std::get<HistoryCheck>(result).verdict;
    return is<Inconclusive>(verdict) ? std::nullopt : std::optional(is<Passed>(verdict));
}

// Nothing: the log cannot be read, or there is nothing to judge.
std::optional<Answer> answer_of(const std::string& text, const std::string& model_name) {
    const Mapping mapping;
    LogsReader reader(mapping);
    try {
        reader.read_text(text, "history", Format::kHistory);
    } catch (const LogError&) {
        return std::nullopt;
    }
    const auto model = make_model(model_of_logs(model_name));
    const SearchBudget budget({});
    Question question;
    question.lost_max = 0;
    question.has_all_callers = true;
    question.model = model.get();
    question.budget = &budget;
    Answer all = Answer::kExplained;
    bool is_empty = true;
    for (const auto& [key, sources] : by_lock(reader.end().logs)) {
        const LockAnswer lock = explain(sources, question);
        is_empty = is_empty && lock.doubts.is_empty;
        const Answer one = lock.doubts.is_empty ? Answer::kExplained : lock.answer;
        all = one == Answer::kExplained ? all : one;
    }
    return is_empty ? std::nullopt : std::optional(all);
}

TEST(HistoriesAgree, ARandomHistoryPassesExactlyWhereItIsExplained) {
    constexpr std::pair<const char*, ModelKind> kKinds[] = {
        {"mutex", ModelKind::kMutex},
        {"owner-aware-mutex", ModelKind::kOwnerAwareMutex},
        {"reentrant-mutex:depth=2", ModelKind::kReentrantMutex}};
    std::uint32_t random = 5;
    std::size_t passed = 0;
    std::size_t violated = 0;
    for (std::size_t i = 0; i < 1500; ++i) {
        const auto& [name, kind] = kKinds[i % 3];
        testing_histories::HistoryMaker maker(kind, i % 2 == 0);
        const RecordedHistory history =
            maker.make(testing_histories::pseudo_random_numbers(4 + i % 20, random));
        const auto answer = answer_of(write_history(history), name);
        if (!answer) {
            continue;
        }
        const auto is_right = is_passed(history, name);
        ASSERT_TRUE(is_right) << write_history(history);
        ASSERT_EQ(*answer == Answer::kExplained, *is_right) << i << " " << name << "\n"
                                                            << write_history(history);
        (*is_right ? passed : violated) += 1;
    }
    EXPECT_GT(passed, 100U);
    EXPECT_GT(violated, 200U);
}

// Every file of examples/histories by every model that explains logs: the two commands have one
// verdict, or one of them says why it has none.
TEST(HistoriesAgree, NoShippedHistoryHasTwoVerdicts) {
    std::size_t passed = 0;
    std::size_t violated = 0;
    std::set<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator("examples/histories")) {
        const std::string file = entry.path().string();
        const auto read = read_history(file);
        if (entry.path().extension() == ".md" || std::holds_alternative<HistoryError>(read)) {
            continue;
        }
        RecordedHistory history = std::get<RecordedHistory>(read);
        if (order_records(history, {})) {
            OrderChoice choice;
            choice.sorts_by_time = true;
            history = std::get<RecordedHistory>(read);
            ASSERT_FALSE(order_records(history, choice)) << file;
        }
        std::ifstream in(file);
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        for (const char* model : {"mutex", "owner-aware-mutex", "reentrant-mutex",
                                  "reentrant-mutex:depth=2", "semaphore:1", "semaphore:2"}) {
            const auto is_right = is_passed(history, model);
            const auto answer = answer_of(text, model);
            if (is_right && answer) {
                EXPECT_EQ(*answer == Answer::kExplained, *is_right) << file << " " << model;
                EXPECT_NE(*answer, Answer::kUndecided) << file << " " << model;
                (*is_right ? passed : violated) += 1;
                files.insert(file);
            }
        }
    }
    EXPECT_GE(passed, 25U);
    EXPECT_GE(violated, 20U);
    EXPECT_GE(files.size(), 10U);
    EXPECT_EQ(files.count("examples/histories/worker_logs.jsonl"), 1U);
}

// Workers' histories one behind the other: their order is that of the times, for both.
TEST(HistoriesAgree, HistoriesPutTogetherAreSortedByTimeAndAreNotExplainedByTheirOrderInTheFile) {
    std::string text;
    const auto add = [&](int time, int process, const char* type, const char* f) {
        text += "{\"time\": " + std::to_string(time) + ", \"process\": " + std::to_string(process) +
                ", \"type\": \"" + type + "\", \"f\": \"" + f + "\"}\n";
    };
    const auto worker = [&](int process, int from) {
        add(from, process, "invoke", "acquire");
        add(from + 10, process, "ok", "acquire");
        add(from + 300, process, "invoke", "release");
        add(from + 310, process, "ok", "release");
    };
    worker(0, 100);
    worker(1, 200);  // while the first one holds
    EXPECT_EQ(answer_of(text, "mutex"), Answer::kNotExplained);
    text.clear();
    worker(1, 500);
    worker(0, 100);
    EXPECT_EQ(answer_of(text, "mutex"), Answer::kExplained);
}

}  // namespace
}  // namespace lockkeeper::logs
