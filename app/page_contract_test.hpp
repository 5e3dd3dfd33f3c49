// SPDX-License-Identifier: Apache-2.0

// The document in a page keeps to rules beside its types (reports/web/src/data.ts, which the tests
// of the page check): every index names something, every step is one of the run's.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "model/json.hpp"

namespace lockkeeper::testing_app {

// Reads the data of a file that --report has written.
inline nlohmann::json page_data_of(const std::string& html) {
    const std::string begin = R"(<script type="application/json" id="data">)";
    const std::size_t from = html.find(begin);
    if (from == std::string::npos) {
        ADD_FAILURE() << "no data in the page";
        return {};
    }
    const std::size_t data = from + begin.size();
    return nlohmann::json::parse(html.substr(data, html.find("</script>", data) - data));
}

inline void expect_index(const nlohmann::json& index, const nlohmann::json& list) {
    EXPECT_LT(index.get<std::size_t>(), list.size()) << list;
}
// From 1; `least` 0: the state before the first step counts, too.
inline void expect_step(const nlohmann::json& number, const nlohmann::json& run,
                        std::size_t least = 1) {
    EXPECT_GE(number.get<std::size_t>(), least);
    EXPECT_LE(number.get<std::size_t>(), run["trace"].size());
}

inline void expect_whole_step(const nlohmann::json& step, const nlohmann::json& run) {
    expect_index(step["party"], run["parties"]);
    EXPECT_FALSE(step["action"].get<std::string>().empty());
    for (const auto& change : step.value("changes", nlohmann::json::array())) {
        expect_index(change[0], run["fields"]);
    }
    for (const auto& name : step.value("violates", nlohmann::json::array())) {
        const auto& known = run["properties"];
        EXPECT_TRUE(std::any_of(known.begin(), known.end(), [&](const auto& property) {
            return property["name"] == name;
        })) << name;
    }
}

inline void expect_whole_run(const nlohmann::json& run) {
    EXPECT_EQ(run["fields"].size(), run["initial_values"].size());
    for (const auto& field : run["fields"]) {
        if (field.contains("party")) {
            expect_index(field["party"], run["parties"]);
        }
        if (field.contains("key")) {
            expect_index(field["key"], run["keys"]);
        }
    }
    for (const auto& step : run["trace"]) {
        expect_whole_step(step, run);
    }
    for (const auto& operation : run["operations"]) {
        expect_index(operation["party"], run["parties"]);
        expect_step(operation["call"], run);
        if (operation.contains("return")) {
            expect_step(operation["return"], run, operation["call"].get<std::size_t>());
        }
    }
    for (const auto& message : run["messages"]) {
        expect_index(message["from"], run["parties"]);
        expect_index(message["to"], run["parties"]);
        expect_step(message["sent"], run);
        if (message.contains("arrives")) {
            expect_step(message["arrives"], run, message["sent"].get<std::size_t>());
        }
    }
    for (const auto& overlap : run["overlaps"]) {
        expect_step(overlap["first_step"], run, 0);
        expect_step(overlap["last_step"], run, overlap["first_step"].get<std::size_t>());
    }
    if (run.contains("nearest")) {
        expect_step(run["nearest"]["differs_at"], run);
        expect_whole_run(run["nearest"]);
    }
}

// The document of results. The runs in it have words.
inline void expect_whole_page(const nlohmann::json& document) {
    EXPECT_EQ(1, document["result_version"]);
    for (const auto& violation : document["violations"]) {
        expect_whole_run(violation);
    }
    for (const auto& file : document["files"]) {
        if (!file["trace"].is_null()) {
            expect_whole_run(file);
        }
    }
}

}  // namespace lockkeeper::testing_app
