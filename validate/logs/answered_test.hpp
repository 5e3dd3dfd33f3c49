// SPDX-License-Identifier: Apache-2.0

// Shared by tests of logs: reads texts as logs, and asks whether a correct lock explains them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "validate/logs/explain.hpp"
#include "validate/logs/read_log.hpp"

namespace lockkeeper::logs {

struct NamedLog {
    std::string name;
    std::string text;
};

inline ReadLogs read_named(const std::vector<NamedLog>& logs) {
    static const Mapping kMapping;
    std::vector<std::string> names;
    names.reserve(logs.size());
    for (const NamedLog& log : logs) {
        names.push_back(log.name);
    }
    LogsReader reader(kMapping, names);
    for (const NamedLog& log : logs) {
        reader.read_text(log.text, log.name, Format::kByFirstLine);
    }
    return reader.end();
}
// Their names are 0.log, 1.log and so on.
inline ReadLogs read_texts(const std::vector<std::string>& texts, const std::string& ending) {
    std::vector<NamedLog> logs;
    logs.reserve(texts.size());
    for (const std::string& text : texts) {
        logs.push_back({std::to_string(logs.size()) + ending, text});
    }
    return read_named(logs);
}

inline std::string refusal_of_texts(const std::vector<std::string>& texts,
                                    const std::string& ending) {
    try {
        static_cast<void>(read_texts(texts, ending));
        return "not refused";
    } catch (const LogError& error) {
        return error.what();
    }
}

// For the first of the locks.
inline Answer answer_to(const Logs& logs, const char* model_name = "owner-aware-mutex",
                        std::optional<std::uint32_t> lost_max = 0) {
    const auto model = make_model(model_of_logs(model_name));
    const SearchBudget budget({});
    Question question;
    question.lost_max = lost_max;
    question.model = model.get();
    question.budget = &budget;
    return explain(by_lock(logs).at(0).second, question).answer;
}

}  // namespace lockkeeper::logs
