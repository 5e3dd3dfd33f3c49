// SPDX-License-Identifier: Apache-2.0

// A history and the same history as a log: `validate --history` and `explain` say the same.
#include <gtest/gtest.h>

#include "validate/histories/check_history.hpp"
#include "validate/histories/random_history_test.hpp"
#include "validate/logs/explain.hpp"
#include "validate/logs/read_log.hpp"

namespace lockkeeper::logs {
namespace {

// Nothing: there was nothing to judge.
std::optional<bool> is_passed(const RecordedHistory& history, const std::string& model) {
    const auto result = check_history(history, std::get<ModelChoice>(parse_model(model)));
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

TEST(HistoriesAgree, ShippedHistoriesHaveOneVerdict) {
    std::size_t judged = 0;
    for (const char* name : {"mutex", "owner_aware_mutex", "reentrant_mutex"}) {
        for (const char* kind : {"good", "bad"}) {
            std::string file = std::string("examples/histories/") + name;
            file += std::string("_") + kind + ".jsonl";
            std::string model = name;
            std::replace(model.begin(), model.end(), '_', '-');
            model += model == "reentrant-mutex" && std::string(kind) == "bad" ? ":depth=2" : "";
            const auto history = std::get<RecordedHistory>(read_history(file));
            const auto answer = answer_of(write_history(history), model);
            if (answer) {
                ++judged;
                EXPECT_EQ(*answer == Answer::kExplained, is_passed(history, model).value_or(false))
                    << file;
            }
        }
    }
    EXPECT_GE(judged, 5U);
}

}  // namespace
}  // namespace lockkeeper::logs
