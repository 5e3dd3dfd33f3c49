// SPDX-License-Identifier: Apache-2.0

// The catalogue is data: what every entry owes to those who read it by kind, number and name.
#include "properties/catalogue.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace lockkeeper {
namespace {

std::vector<Property> everything() {
    std::vector<Property> all(all_properties().begin(), all_properties().end());
    all.insert(all.end(), all_goals().begin(), all_goals().end());
    return all;
}

TEST(Catalogue, numbers_properties_and_goals_from_1_without_gap) {
    for (const auto among : {all_properties(), all_goals()}) {
        int expected = 1;
        for (const Property& property : among) {
            EXPECT_EQ(property.number, expected++) << property.name;
        }
    }
}

TEST(Catalogue, has_no_name_twice) {
    std::set<std::string_view> names;
    for (const Property& property : everything()) {
        EXPECT_TRUE(names.insert(property.name).second) << property.name;
        EXPECT_EQ(property.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"),
                  std::string::npos);
    }
}

TEST(Catalogue, finds_what_it_has_and_nothing_else) {
    for (const Property& property : all_properties()) {
        EXPECT_EQ(find_property(property.name), &property);
        EXPECT_EQ(find_goal(property.name), nullptr);
    }
    for (const Property& goal : all_goals()) {
        EXPECT_EQ(find_goal(goal.name), &goal);
        EXPECT_EQ(find_property(goal.name), nullptr);
    }
    for (const std::string_view wrong : {"", "Leak", "leak ", "lea", "leaks"}) {
        EXPECT_EQ(find_property(wrong), nullptr);
        EXPECT_EQ(find_goal(wrong), nullptr);
    }
}

TEST(Catalogue, has_the_properties_that_somebody_knows_by_more_than_their_rule) {
    const std::pair<PropertyNumber, const char*> known[] = {
        {PropertyNumber::kOverAllocation, "over-allocation"},
        {PropertyNumber::kDeadlock, "deadlock"},
        {PropertyNumber::kLivelock, "livelock"},
        {PropertyNumber::kBeliefOverlap, "belief-overlap"},
        {PropertyNumber::kGrantOverlap, "grant-overlap"},
        {PropertyNumber::kUnexplainedHistory, "unexplained-history"},
    };
    for (const auto& [number, name] : known) {
        EXPECT_TRUE(find_property(name)->is(number)) << name;
    }
}

TEST(Catalogue, says_by_kind_what_is_judged_when) {
    for (const Property& property : everything()) {
        const bool by_step =
            property.kind == PropertyKind::kAlways || property.kind == PropertyKind::kSometimes;
        EXPECT_EQ(property.triggers != 0, by_step) << property.name;
        EXPECT_EQ(property.holds_not == nullptr, property.kind == PropertyKind::kEventually ||
                                                     property.kind == PropertyKind::kHistory)
            << property.name;
        EXPECT_TRUE(property.monitor == Monitor::kNone ||
                    (property.triggers & (kAcquired | kRefused)) != 0)
            << property.name << ": monitors are filled in at the return of acquire only";
    }
    for (const Property& goal : all_goals()) {
        EXPECT_EQ(goal.kind, PropertyKind::kSometimes) << goal.name;
    }
    for (const Property& property : all_properties()) {
        EXPECT_NE(property.kind, PropertyKind::kSometimes) << property.name;
    }
}

TEST(Catalogue, defines_everything_in_sentences) {
    for (const Property& property : everything()) {
        ASSERT_FALSE(property.definition.empty()) << property.name;
        EXPECT_EQ(property.definition.back(), '.') << property.name;
        EXPECT_TRUE(property.definition.front() >= 'A' && property.definition.front() <= 'Z')
            << property.name;
        EXPECT_EQ(property.definition.find("  "), std::string_view::npos) << property.name;
    }
}

// The rows below `head` are the catalogue's. With LOCKKEEPER_WRITE_DOCS=1 in the environment they
// are written there.
void expect_on_page(const std::string& head, const std::string& rows) {
    const std::string path = LOCKKEEPER_SOURCE_DIR "/docs/reference/properties.md";
    std::ifstream file(path);
    std::string page{std::istreambuf_iterator<char>(file), {}};
    const std::size_t at = page.find(head);
    ASSERT_NE(at, std::string::npos) << head;
    const std::size_t begin = page.find('\n', at + head.size()) + 1;  // below the line of dashes
    const std::size_t size = page.find("\n\n", begin) + 1 - begin;
    if (std::getenv("LOCKKEEPER_WRITE_DOCS") != nullptr) {
        std::ofstream(path) << page.replace(begin, size, rows);
    } else {
        EXPECT_EQ(page.substr(begin, size), rows) << "LOCKKEEPER_WRITE_DOCS=1 writes them";
    }
}

TEST(Catalogue, is_what_the_page_shows) {
    std::string properties;
    for (const Property& property : all_properties()) {
        properties +=
            "| P" + std::to_string(property.number) + " | `" + std::string(property.name) + "` | " +
            std::string(name_of(property.severity)) + " | " + std::string(name_of(property.kind)) +
            " | " + std::string(property.definition) + " | " + std::string(property.example) +
            " |\n";
    }
    expect_on_page("| | name | severity | kind | definition | for instance |\n", properties);
    std::string goals;
    for (const Property& goal : all_goals()) {
        goals += "| `" + std::string(goal.name) + "` | " + std::string(goal.definition) + " |\n";
    }
    expect_on_page("| goal | reached when |\n", goals);
}

TEST(Catalogue, has_a_word_for_every_kind_and_severity) {
    EXPECT_EQ(name_of(PropertyKind::kAlways), "always");
    EXPECT_EQ(name_of(PropertyKind::kAtQuiescence), "at rest");
    EXPECT_EQ(name_of(PropertyKind::kEventually), "eventually");
    EXPECT_EQ(name_of(PropertyKind::kSometimes), "sometimes");
    EXPECT_EQ(name_of(PropertyKind::kHistory), "history");
    EXPECT_EQ(name_of(Severity::kNotice), "notice");
    EXPECT_EQ(name_of(Severity::kWarning), "warning");
    EXPECT_EQ(name_of(Severity::kError), "error");
    EXPECT_EQ(name_of(Severity::kFatal), "fatal");
}

TEST(Catalogue, has_a_property_for_each_goal_that_is_not_to_be_reached) {
    for (const Property& goal : all_goals()) {
        const Property* never = find_property("never:" + std::string(goal.name));
        ASSERT_NE(nullptr, never) << goal.name;
        EXPECT_EQ("never:" + std::string(goal.name), never->name);
        EXPECT_EQ(100 + goal.number, never->number);
        EXPECT_EQ(PropertyKind::kAlways, never->kind);
        EXPECT_EQ(goal.triggers, never->triggers);
        EXPECT_FALSE(never->definition.empty());
    }
    EXPECT_EQ(nullptr, find_property("never:"));
    EXPECT_EQ(nullptr, find_property("never:leak"));
    EXPECT_EQ(nullptr, find_goal("never:lost"));
}

}  // namespace
}  // namespace lockkeeper
