// SPDX-License-Identifier: Apache-2.0

// Small scenarios for the tests of this folder, and what requests answer to them.
#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "model/json.hpp"
#include "scenarios/registry/shipped_systems.hpp"
#include "serve/api.hpp"
#include "serve/opened_files.hpp"
#include "serve/session.hpp"

namespace lockkeeper::testing_serve {

using Json = ServeJson;

inline const Registry& registry() {
    static const Registry kRegistry = shipped_systems();
    return kRegistry;
}

// Two callers of the canal lock that acquire and release once. As it is it loses a unit, in 22
// steps at least; repaired it does not.
inline std::string pair_text(const std::string& more = "", const std::string& name = "A") {
    return R"({"version": 1, )" + more + R"("system": "canal",
        "parameters": {"table": {"warm": 2}}, "callers": [{"name": )" +
           nlohmann::json(name).dump() + R"(, "count": 2, "script": [
        {"acquire": {"key": "db", "max_per": 1, "buckets": 2}}, {"release": {"key": "db"}}]}]})";
}
inline std::string repaired_pair_text() {
    return pair_text(R"("variant": "repaired", "check": "safety", )");
}
// Views of the capacity that change on the way.
inline std::string resized_text() {
    return R"({"version": 1, "system": "canal", "check": "safety", "view": 1, "resizes": [2, 1],
        "parameters": {"table": {"warm": 2}}, "callers": [{"name": "A", "count": 2, "script": [
        {"acquire": {"key": "db", "max_per": 1, "buckets": "current"}},
        {"release": {"key": "db"}}]}]})";
}

class WithFiles : public ::testing::Test {
  protected:
    OpenedFiles files_{registry()};

    std::shared_ptr<const OpenedFile> opened(const std::string& text) {
        return files_.at(files_.open_text("test.json", text));
    }
    // The shortest way to a violation.
    static Schedule way_to_violation(const OpenedFile& file) {
        ExploreOptions options;
        options.check = file.job.check;
        options.stop_at_first = true;
        const ExploreResult result = file.job.runner->explore(options);
        EXPECT_FALSE(result.violations.empty());
        return result.violations.empty() ? Schedule{} : result.violations.front().schedule;
    }
};

// The first so many actions.
inline Schedule cut(const Schedule& schedule, std::size_t count) {
    return {
        schedule.seed,
        {schedule.actions.begin(), schedule.actions.begin() + static_cast<std::ptrdiff_t>(count)}};
}
inline Schedule with(const Schedule& schedule, const std::string& action) {
    Schedule longer = schedule;
    longer.actions.push_back(std::get<Action>(parse_action(action)));
    return longer;
}

inline std::vector<std::string> names_in(const Json& list) {
    return list.get<std::vector<std::string>>();
}

}  // namespace lockkeeper::testing_serve
