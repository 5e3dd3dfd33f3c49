// SPDX-License-Identifier: Apache-2.0

// Files that follow from the tables of keys: the published schema and two tables of
// docs/reference/scenario_keys.md. With LOCKKEEPER_WRITE set the test writes them.
#include "scenarios/fields.hpp"

#include <cstdlib>

#include "scenarios/json_layout.hpp"
#include "scenarios/keys/operations.hpp"
#include "scenarios/scenario_test_support.hpp"

namespace lockkeeper {
namespace {

using namespace testing_scenarios;

void expect_content(const std::filesystem::path& file, const std::string& text) {
    if (std::getenv("LOCKKEEPER_WRITE") != nullptr) {
        std::ofstream(file) << text;
    }
    EXPECT_EQ(read_whole(file), text) << "run this test with LOCKKEEPER_WRITE=1";
}

TEST(Fields, AreThePublishedSchema) {
    expect_content(scenarios_folder() / "schema" / "scenario.schema.json",
                   laid_out(scenario_schema()));
}

// Compares the text between two comments of the page.
void expect_on_page(const std::string& name, const std::string& table) {
    const auto file = scenarios_folder().parent_path() / "docs/reference/scenario_keys.md";
    const std::string page = read_whole(file);
    const std::string begin = "<!-- " + name + " -->\n";
    const std::size_t first = page.find(begin) + begin.size();
    const std::size_t last = page.find("<!-- end of " + name + " -->");
    ASSERT_LE(first, last);
    ASSERT_NE(last, std::string::npos);
    expect_content(file, page.substr(0, first) + table + page.substr(last));
}

TEST(Fields, AreOnThePageAboutScenarios) {
    expect_on_page("fields", fields_as_markdown());
    expect_on_page("operations", operations_as_markdown());
}

TEST(Fields, SayTheirDefaultOrOtherwise) {
    for (const Field& field : all_fields()) {
        SCOPED_TRACE(field.key);
        if (!field.required && field.otherwise.empty()) {
            EXPECT_FALSE(field.get(Scenario{}).is_null());
        }
        EXPECT_FALSE(field.meaning.empty());
        // Either a plain value, or one with a codec and words for a reader.
        const bool is_plain = field.allowed.kind != Allowed::Kind::kOwnCode;
        EXPECT_EQ(field.set != nullptr, is_plain);
        EXPECT_EQ(field.codec.schema == nullptr, is_plain);
        EXPECT_EQ(field.values.empty(), is_plain);
    }
}

}  // namespace
}  // namespace lockkeeper
