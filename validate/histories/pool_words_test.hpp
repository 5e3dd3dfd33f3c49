// SPDX-License-Identifier: Apache-2.0

// Histories of pools, written as words or as lines, for the tests of `pool:N`; nothing else
// includes it.
#pragma once

#include <sstream>
#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "validate/histories/order_records.hpp"
#include "validate/histories/random_history_test.hpp"

namespace lockkeeper::testing_pools {

using namespace testing_histories;

inline HistoryCheck checked_pool(const RecordedHistory& history, const std::string& model) {
    const auto checked = check_history(history, model_of(model));
    const auto* error = std::get_if<HistoryError>(&checked);
    EXPECT_EQ(nullptr, error) << error->message << "\n" << write_history(history);
    return error == nullptr ? std::get<HistoryCheck>(checked) : HistoryCheck{};
}

inline RecordedHistory pool_history(const std::string& lines) {
    auto read = parse_history(lines, "pool");
    EXPECT_TRUE(std::holds_alternative<RecordedHistory>(read))
        << std::get<HistoryError>(read).to_text();
    RecordedHistory history = std::get<RecordedHistory>(std::move(read));
    EXPECT_FALSE(order_records(history, {}));
    return history;
}

// One record a word, as in "A+ R!A A=c1 R.A A-c1": A calls acquire (+, or * with a time-out of 50)
// and gets c1 (=), gets nothing (/ and why), waits (?) or is not heard of again (%). A calls
// release
// (-), destroy (~) or close (^), which return at once, or cancel (!), which returns at `R.A`.
// With a time-out there are times: the positions.
inline std::string pool_record(const std::string& word, const std::string& time,
                               const std::string& key) {
    const std::string process = word.substr(0, 1);
    const std::string rest = word.substr(2);
    const auto record = [&](const char* type, const char* f, const std::string& more = "") {
        return "{" + (time.empty() ? "" : R"("time":)" + time + ",") + R"("process":")" + process +
               R"(","type":")" + type + R"(","f":")" + f + "\"" +
               (key.empty() ? "" : R"(,"key":")" + key + "\"") + more + "}\n";
    };
    const auto value = [&](const char* name) {
        return R"(,"value":{")" + std::string(name) + R"(":")" + rest + R"("})";
    };
    const auto call = [&](const char* f, const std::string& more) {
        return record("invoke", f, more) + record("ok", f, more);
    };
    switch (word[1]) {
        case '+': return record("invoke", "acquire");
        case '*': return record("invoke", "acquire", R"(,"value":{"timeout":50})");
        case '=': return record("ok", "acquire", value("connection"));
        case '/': return record("fail", "acquire", R"(,"error":")" + rest + "\"");
        case '?': return record("info", "acquire", R"(,"error":"still waiting")");
        case '%': return record("info", "acquire");
        case '-': return call("release", value("connection"));
        case '~': return call("destroy", value("connection"));
        case '!': return record("invoke", "cancel", value("client"));
        case '.': return record("ok", "cancel", value("client"));
        default: return call("close", "");
    }
}
inline std::string pool_records(const std::string& words, const std::string& key = "") {
    std::string lines;
    std::istringstream in(words);
    std::string word;
    for (std::size_t time = 0; in >> word; ++time) {
        const bool has_times = words.find('*') != std::string::npos;
        lines += pool_record(word, has_times ? std::to_string(time) : "", key);
    }
    return lines;
}
}  // namespace lockkeeper::testing_pools
