// The catalogue is data: what every entry owes to those who read it by kind, number and name.
#include "properties/catalogue.hpp"

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

// Reports and assertions cite them: they may be added to, and never change.
TEST(Catalogue, keeps_its_numbers) {
    std::string numbered;
    for (const Property& property : all_properties()) {
        numbered += "P" + std::to_string(property.number) + " " + std::string(property.name) + "\n";
    }
    EXPECT_EQ(numbered,
              "P1 over-allocation\nP2 leak\nP3 under-allocation\nP4 double-release\n"
              "P5 negative-counter\nP6 wrong-count\nP7 lost-reference\nP8 foreign-reference\n"
              "P9 foreign-release\nP10 caller-death\nP11 manager-death\nP12 poisoned-key\n"
              "P13 deadlock\nP14 livelock\nP15 acquire-order\nP16 release-order\n"
              "P17 belief-overlap\nP18 grant-overlap\nP19 unprotected-effect\n"
              "P20 foreign-removal\nP21 false-ok\nP22 phantom\nP23 token-order\n"
              "P24 stale-read\nP25 told-late\nP26 free-late\n"
              "P27 repeated-effect\nP28 false-error\n");
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
        EXPECT_EQ(property.holds_not == nullptr, property.kind == PropertyKind::kEventually)
            << property.name;
        EXPECT_TRUE(property.kind != PropertyKind::kAtQuiescence || property.needs_observation)
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

TEST(Catalogue, has_a_word_for_every_kind_and_severity) {
    EXPECT_EQ(name_of(PropertyKind::kAlways), "always");
    EXPECT_EQ(name_of(PropertyKind::kAtQuiescence), "at rest");
    EXPECT_EQ(name_of(PropertyKind::kEventually), "eventually");
    EXPECT_EQ(name_of(PropertyKind::kSometimes), "sometimes");
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
