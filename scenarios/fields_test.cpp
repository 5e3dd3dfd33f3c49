// What follows from the table of fields and is kept in files: the published schema and a table of
// docs/reference/scenario_keys.md. With LOCKKEEPER_WRITE set the test writes them.
#include "scenarios/fields.hpp"

#include <cstdlib>
#include <set>

#include "scenarios/json_layout.hpp"
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

TEST(Fields, AreInThePublishedSchema) {
    const auto file = scenarios_folder() / "schema" / "scenario.schema.json";
    const auto schema = nlohmann::ordered_json::parse(read_whole(file));
    expect_content(file, laid_out(with_fields(schema)));
    const auto keys = [&](const char* pointer) {
        std::set<std::string> names;
        for (const auto& entry : schema[nlohmann::ordered_json::json_pointer(pointer)].items()) {
            names.insert(entry.key());
        }
        return names;
    };
    const auto of_table = [](std::string_view object) {
        const auto names = keys_of(object);
        return std::set<std::string>(names.begin(), names.end());
    };
    EXPECT_EQ(keys("/properties"), of_table(""));
    EXPECT_EQ(keys("/definitions/parameters/properties"), of_table("parameters"));
    EXPECT_EQ(keys("/definitions/expect/properties"), of_table("expect"));
    for (const char* object : {"faults", "limits", "traffic"}) {
        EXPECT_EQ(keys(("/properties/" + std::string(object) + "/properties").c_str()),
                  of_table(object));
    }
}

TEST(Fields, AreOnThePageAboutScenarios) {
    const auto file = scenarios_folder().parent_path() / "docs/reference/scenario_keys.md";
    const std::string page = read_whole(file);
    const std::string begin = "<!-- fields -->\n";
    const std::size_t first = page.find(begin) + begin.size();
    const std::size_t last = page.find("<!-- end of fields -->");
    ASSERT_LE(first, last);
    ASSERT_NE(last, std::string::npos);
    expect_content(file, page.substr(0, first) + fields_as_markdown() + page.substr(last));
}

TEST(Fields, SayTheirDefaultOrOtherwise) {
    for (const Field& field : all_fields()) {
        SCOPED_TRACE(field.key);
        if (field.get && !field.required && field.otherwise.empty()) {
            EXPECT_FALSE(field.get(Scenario{}).is_null());
        }
        EXPECT_EQ(field.get == nullptr, field.meaning.empty());
    }
}

}  // namespace
}  // namespace lockkeeper
