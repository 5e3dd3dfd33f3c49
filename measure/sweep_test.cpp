// SPDX-License-Identifier: Apache-2.0

// Reading sweep files, and the points that they make.
#include "measure/sweep.hpp"

#include <fstream>
#include <regex>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "measure/sweep_run.hpp"
#include "scenarios/registry/registry.hpp"

namespace lockkeeper {
namespace {

using Json = nlohmann::json;

Json small_sweep() {
    return Json::parse(R"({
        "sweep_version": 1, "about": "a test",
        "scenario": {"parameters": {"grace": 0}, "check": ["leak", "phantom"],
                     "callers": [{"name": "client", "count": 2}]},
        "axes": [
            {"name": "clients", "choices": [{"name": "2"}, {"name": "3", "set": {"/callers/0/count": 3}}]},
            {"name": "faults", "subsets": 2, "exclusive": [["a", "b"]], "choices": [
                {"name": "a", "set": {"/faults/a": 1}, "add": {"/parameters/grace": 5}},
                {"name": "b", "not_checked": ["leak"], "add": {"/parameters/pause": 1}},
                {"name": "c", "one_caller": {"settings": {"clock": 3}}, "add": {"/parameters/grace": 2}}]}],
        "rules": [{"of": {"clients": "3", "faults": ["b", "c"]}, "set": {"/callers/*/tag": "x"}}],
        "leave_out": [{"clients": "3", "faults": 2}],
        "long": [{"faults": 2}]
    })");
}

Sweep read(const Json& document) {
    auto parsed = parse_sweep(document.dump(), "s.json");
    const auto* error = std::get_if<InputError>(&parsed);
    EXPECT_EQ(error, nullptr) << error->text();
    return std::get<Sweep>(std::move(parsed));
}

std::vector<SweepPoint> points(const Json& document) {
    return std::get<std::vector<SweepPoint>>(points_of(read(document)));
}

std::string refusal(const Json& document) {
    auto parsed = parse_sweep(document.dump(), "s.json");
    if (const auto* error = std::get_if<InputError>(&parsed)) {
        return error->text();
    }
    auto made = points_of(std::get<Sweep>(parsed));
    const auto* error = std::get_if<InputError>(&made);
    return error != nullptr ? error->text() : "accepted";
}

TEST(SweepPoints, AreAllCombinationsButThoseThatAreLeftOut) {
    const Sweep sweep = read(small_sweep());
    std::vector<std::string> texts;
    for (const SweepPoint& point : points(small_sweep())) {
        texts.push_back(point_text(sweep, point) +
                        (point.effort == SweepEffort::kLong ? " (long)" : ""));
    }
    EXPECT_EQ(texts, (std::vector<std::string>{
                         "clients 2, faults none", "clients 2, faults a", "clients 2, faults b",
                         "clients 2, faults c", "clients 2, faults a, c (long)",
                         "clients 2, faults b, c (long)", "clients 3, faults none",
                         "clients 3, faults a", "clients 3, faults b", "clients 3, faults c"}));
}

TEST(SweepPoints, AreChangedAsTheirChoicesSay) {
    const auto all = points(small_sweep());
    EXPECT_EQ(*all[0].scenario, small_sweep()["scenario"]);
    const Json both = *all[4].scenario;  // a, c
    EXPECT_EQ(both["faults"], (Json{{"a", 1}}));
    EXPECT_EQ(both["parameters"], (Json{{"grace", 7}}));
    EXPECT_EQ(both["callers"], Json::parse(R"([{"name": "other", "settings": {"clock": 3}},
                                               {"name": "client", "count": 1}])"));
    EXPECT_EQ((*all[2].scenario)["check"], Json{"phantom"}) << "b";
    EXPECT_FALSE((*all[2].scenario)["parameters"].contains("pause")) << "nothing to add to";
    EXPECT_EQ((*all[8].scenario)["callers"][0]["tag"], "x") << "3 clients, b";
}

TEST(SweepPoints, ValuesAreVariedByName) {
    Json document = small_sweep();
    document["axes"] = Json::parse(R"([{"name": "grace", "vary": "grace", "values": "2..4"}])");
    document.erase("rules");
    document.erase("leave_out");
    document.erase("long");
    const auto all = points(document);
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[2].vary, (std::map<std::string, double>{{"grace", 4}}));
}

// Up to three callers, of two kinds.
Json views_sweep() {
    return Json::parse(R"({
        "sweep_version": 1, "about": "a test", "scenario": {},
        "axes": [
            {"name": "views", "repeats": 3, "choices": [
                {"name": "x", "caller": {"script": [1]}}, {"name": "y", "caller": {"script": [2]}}]},
            {"name": "callers", "classes_of": "views", "choices": [
                {"name": "few", "of": {"most": 2}}, {"name": "many"}]},
            {"name": "views differ", "classes_of": "views", "choices": [
                {"name": "only x", "of": {"only": ["x"]}},
                {"name": "no", "of": {"different": 1}, "set": {"/agreed": true}},
                {"name": "two y", "of": [{"least": 3, "any": ["y"]}]},
                {"name": "yes"}]}],
        "rules": [{"of": {"views": [["x", "y"]]}, "set": {"/callers/*/tag": 1}}],
        "long": [{"callers": "many"}],
        "hours": [{"callers": "many", "views differ": "only x"}]
    })");
}

TEST(SweepPoints, RepeatChoicesAndFallIntoClasses) {
    const Sweep sweep = read(views_sweep());
    std::vector<std::string> texts;
    for (const SweepPoint& point : points(views_sweep())) {
        const char* const efforts[] = {"", " (long)", " (hours)"};
        texts.push_back(point_text(sweep, point) + efforts[static_cast<std::size_t>(point.effort)]);
    }
    EXPECT_EQ(
        texts,
        (std::vector<std::string>{
            "views x, callers few, views differ only x", "views y, callers few, views differ no",
            "views x, x, callers few, views differ only x",
            "views x, y, callers few, views differ yes", "views y, y, callers few, views differ no",
            "views x, x, x, callers many, views differ only x (hours)",
            "views x, x, y, callers many, views differ two y (long)",
            "views x, y, y, callers many, views differ two y (long)",
            "views y, y, y, callers many, views differ no (long)"}));
}

TEST(SweepPoints, CallersOfAChoiceThatIsRepeatedAreInterchangeable) {
    const auto all = points(views_sweep());
    EXPECT_EQ(*all[4].scenario, Json::parse(R"({"agreed": true, "callers": [
                                                  {"script": [2], "count": 2}]})"));
    EXPECT_EQ(*all[7].scenario, Json::parse(R"({"callers": [
                                                  {"script": [1], "tag": 1},
                                                  {"script": [2], "count": 2, "tag": 1}]})"));
}

TEST(SweepPoints, AreMeasuredAsTheirChoicesSay) {
    Json document = views_sweep();
    document["measure"] = {{"method", "sampled"}, {"runs", 5}};
    document["rules"] = Json::parse(R"([{"of": {"callers": "many"}, "measure": {"runs": 2}}])");
    const auto all = points(document);
    EXPECT_EQ(all[0].measuring.runs, 5U);
    EXPECT_EQ(all[6].measuring.runs, 2U);
    EXPECT_EQ(all[6].measuring.method, MeasureMethod::kSampled);
}

TEST(SweepFile, RefusesAxesThatDoNotFit) {
    const auto with = [](const char* pointer, const Json& value) {
        Json document = views_sweep();
        document[Json::json_pointer(pointer)] = value;
        return refusal(document);
    };
    const auto expect = [](const std::string& refused, const std::string& part) {
        EXPECT_NE(refused.find(part), std::string::npos) << refused;
    };
    expect(with("/axes/1/classes_of", "view"), "unknown axis \"view\"; did you mean \"views\"?");
    expect(with("/axes/1/classes_of", "callers"), "unknown axis \"callers\"");
    expect(with("/axes/1/subsets", 1), "unknown key \"subsets\"");
    expect(with("/axes/0/subsets", 1), "expected either \"subsets\" or \"repeats\"");
    expect(with("/axes/0/repeats", 0), "/axes/0/repeats: ");
    expect(with("/axes/0/choices/0/caller", 1), "/axes/0/choices/0/caller: ");
    expect(with("/axes/1/choices/1/of", Json{{"most", 2}}),
           "/axes/1/choices: no class fits \"x, x, x\"");
    expect(with("/axes/1/choices/0/of", Json{{"mots", 2}}), "did you mean \"most\"?");
    expect(with("/axes/2/choices/0/of", Json{{"only", {"z"}}}), "\"views\" has no choice \"z\"");
    expect(with("/measure", Json{{"method", "guessed"}}), "/measure/method: ");
    expect(with("/measure", Json{{"runs", 0}}), "/measure/runs: ");
    Json both = views_sweep();
    both["measure"] = Json::object();
    both["expected"] = Json::parse(R"([{"of": {}, "violated": "any"}])");
    expect(refusal(both), "/measure: \"expected\" findings are of a sweep that explores");
    Json many = views_sweep();
    many["axes"][0]["repeats"] = 128;
    for (int i = 0; i < 20; ++i) {
        many["axes"][0]["choices"].push_back({{"name", std::to_string(i)}});
    }
    expect(refusal(many), "/axes: more than 100000 sets of choices");
}

TEST(SweepFile, RefusesWhatItDoesNotKnow) {
    const auto with = [](const char* pointer, const Json& value) {
        Json document = small_sweep();
        document[Json::json_pointer(pointer)] = value;
        return refusal(document);
    };
    const auto expect = [](const std::string& refused, const std::string& part) {
        EXPECT_EQ(refused.rfind("s.json:", 0), 0U) << refused;
        EXPECT_NE(refused.find(part), std::string::npos) << refused;
    };
    expect(with("/axis", 1), "did you mean \"axes\"?");
    expect(with("/sweep_version", 2), "/sweep_version: this command reads version 1");
    expect(with("/axes/0/choices/1/sett", Json::object()), "did you mean \"set\"?");
    expect(with("/long/0", Json{{"fault", 2}}), "unknown axis \"fault\"; did you mean \"faults\"?");
    expect(with("/long/0", Json{{"faults", "d"}}),
           "/long/0/faults: \"faults\" has no choice \"d\"");
    expect(with("/axes/1/name", "clients"), "/axes/1/name: \"clients\" is an axis already");
    expect(with("/axes/0/choices/1/name", "2"), "\"2\" is a choice already");
    expect(with("/axes/1/choices/1/not_checked", Json{"leek"}), "did you mean \"leak\"?");
    expect(with("/axes/1/choices/0/set", Json{{"faults", 1}}), "expected a JSON pointer");
    expect(with("/axes/0/choices/1/set", Json{{"/callers/7/count", 1}}),
           "/axes/0/choices/1: \"/callers/7/count\": \"7\" is no element of the list there");
    expect(with("/axes/0/choices/1/set", Json{{"/callers/0/name/x", 1}}), "no place for \"x\"");
    expect(with("/axes/0/subsets", 3), "/axes/0/subsets: ");
}

// Each point has one choice of each axis, and all points are different.
RC_GTEST_PROP(SweepFile, ReadsBackWhatWasGenerated, ()) {
    Json document = small_sweep();
    document["axes"] = Json::array();
    for (const char* key : {"rules", "leave_out", "long"}) {
        document.erase(key);
    }
    std::size_t expected = 1;
    const int axes = *rc::gen::inRange(1, 4);
    for (int axis = 0; axis < axes; ++axis) {
        Json choices = Json::array();
        const int count = *rc::gen::inRange(1, 5);
        for (int i = 0; i < count; ++i) {
            choices.push_back({{"name", std::to_string(i)},
                               {"set", {{"/parameters/a" + std::to_string(axis), i}}}});
        }
        Json one{{"name", "a" + std::to_string(axis)}, {"choices", choices}};
        const bool has_subsets = *rc::gen::arbitrary<bool>();
        if (has_subsets) {
            one["subsets"] = 1;
        }
        expected *= static_cast<std::size_t>(count + (has_subsets ? 1 : 0));
        document["axes"].push_back(one);
    }
    const auto all = points(document);
    RC_ASSERT(all.size() == expected);
    std::set<std::string> different;
    for (const SweepPoint& point : all) {
        different.insert(point.scenario->dump());
        for (std::size_t axis = 0; axis < point.chosen.size(); ++axis) {
            const Json set = point.scenario->value("parameters", Json::object())
                                 .value("a" + std::to_string(axis), Json());
            const bool is_set = point.chosen[axis].empty()
                                    ? set.is_null()
                                    : set.dump() == point.chosen[axis].front();
            RC_ASSERT(is_set);
        }
    }
    RC_ASSERT(different.size() == expected);
}

// There are 2^60 sets, and nearly all are not allowed.
TEST(SweepPoints, ArePossibleAtOnceWhereNearlyAllSetsAreExcluded) {
    Json sweep = small_sweep();
    Json axis{
        {"name", "one_at_most"}, {"subsets", 60}, {"exclusive", Json::array({Json::array()})}};
    for (int i = 0; i < 60; ++i) {
        axis["choices"].push_back({{"name", std::to_string(i)}});
        axis["exclusive"][0].push_back(std::to_string(i));
    }
    sweep["axes"] = Json::array({axis});
    for (const char* key : {"rules", "leave_out", "long"}) {
        sweep.erase(key);
    }
    EXPECT_EQ(61U, points(sweep).size());
}

RC_GTEST_PROP(DamagedSweep, IsReadOrRefusedInOneLine, ()) {
    std::string text = small_sweep().dump();
    const int damages = *rc::gen::inRange(1, 6);
    for (int i = 0; i < damages; ++i) {
        const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
        switch (*rc::gen::inRange(0, 3)) {
            case 0: text[at] = *rc::gen::arbitrary<char>(); break;
            case 1: text.erase(at, *rc::gen::inRange<std::size_t>(1, 20)); break;
            default: text.insert(at, 1, *rc::gen::elementOf(std::string("{}[],:\"0-e\\*/"))); break;
        }
        text += text.empty() ? " " : "";
    }
    auto parsed = parse_sweep(text, "s.json");
    const auto* error = std::get_if<InputError>(&parsed);
    std::variant<std::vector<SweepPoint>, InputError> made;
    if (error == nullptr) {
        made = points_of(std::get<Sweep>(parsed));
        error = std::get_if<InputError>(&made);
    }
    if (error != nullptr) {
        RC_LOG() << error->text();
        RC_ASSERT(error->text().rfind("s.json", 0) == 0U);
        RC_ASSERT(error->text().find('\n') == std::string::npos);
    }
}

// To make thousands of them would take seconds. The registry knows no system: a point that was
// begun with would be an error.
TEST(SweepCrew, BeginsWithNoPointWhenTheTimeIsOver) {
    const Registry knows_nothing;
    SweepLimits limits;
    limits.seconds_max = 0;
    const std::vector<PointWork> points(3);
    std::vector<MadePoint> made(points.size());
    std::size_t done = 0;
    SweepCrew(knows_nothing, limits).work(points, made, [&] { ++done; });
    EXPECT_EQ(done, 0U);
    for (const MadePoint& one : made) {
        EXPECT_EQ(one.error, nullptr);
        EXPECT_EQ(one.point.limit, "time");
        EXPECT_FALSE(one.point.complete);
    }
}

}  // namespace
}  // namespace lockkeeper
