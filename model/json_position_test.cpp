// SPDX-License-Identifier: Apache-2.0

// Where things stand in JSON: by pointer, and whatever the bytes are.
#include "model/json_position.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "model/json.hpp"

namespace lockkeeper {
namespace {

constexpr std::string_view kText = R"({
  "a": [1, {"b": 99999999999999999999}],
    "c/d~": {"x": "}]", "\u0065": null},
  "last" : -0.50e1 }
)";

std::string value_at(std::string_view pointer) {
    return std::string(find_in_json(kText, pointer).of(kText));
}

std::string position_of(std::string_view pointer) {
    return in_file("x", place_in(kText, find_in_json(kText, pointer).begin));
}

TEST(JsonPosition, FindsValuesAsTheyAreWritten) {
    EXPECT_EQ(value_at("/a/0"), "1");
    EXPECT_EQ(value_at("/a/1/b"), "99999999999999999999");
    EXPECT_EQ(value_at("/c~1d~0/x"), R"("}]")");
    EXPECT_EQ(value_at("/c~1d~0/e"), "null");
    EXPECT_EQ(value_at("/last"), "-0.50e1");
    EXPECT_EQ(value_at("/a"), "[1, {\"b\": 99999999999999999999}]");
}

TEST(JsonPosition, CountsLinesAndColumnsFromOne) {
    EXPECT_EQ(position_of(""), "x:1:1");
    EXPECT_EQ(position_of("/a/1/b"), "x:2:18");
    EXPECT_EQ(position_of("/last"), "x:4:12");
    EXPECT_EQ(in_file("x", place_in(kText, find_in_json(kText, "/last").name)), "x:4:3");
}

TEST(JsonPosition, StopsAtTheLastValueOnTheWayToWhatIsNotThere) {
    EXPECT_EQ(value_at("/a/2"), value_at("/a"));
    EXPECT_EQ(value_at("/a/x"), value_at("/a"));
    EXPECT_EQ(value_at("/a/0/deeper"), "1");
    EXPECT_EQ(position_of("/nothing"), "x:1:1");
}

TEST(JsonPosition, TakesTheLastOfEqualKeys) {
    EXPECT_EQ(find_in_json(R"({"a": 1, "a": 2})", "/a").name, 9U);
}

RC_GTEST_PROP(JsonPosition, EndsInsideOfAnyText, (const std::string& text)) {
    for (const char* pointer : {"", "/", "/a", "/0/1", "/a/0/b", "x"}) {
        const JsonPlace place = find_in_json(text, pointer);
        RC_ASSERT(place.begin <= place.end && place.end <= text.size());
    }
}

RC_GTEST_PROP(JsonPosition, EndsInsideOfTextThatLooksLikeJson, ()) {
    const auto text =
        *rc::gen::container<std::string>(rc::gen::elementOf(std::string("{}[]\",:a1 \\")));
    for (const char* pointer : {"", "/a", "/0/1", "/a/0", "/1/a/1"}) {
        const JsonPlace place = find_in_json(text, pointer);
        RC_ASSERT(place.begin <= place.end && place.end <= text.size());
    }
}

RC_GTEST_PROP(JsonPosition, FindsEveryElementOfAnArray, (const std::vector<std::string>& texts)) {
    const std::vector<std::string> valid = [&] {
        std::vector<std::string> kept;
        kept.reserve(texts.size());
        for (const std::string& text : texts) {
            kept.push_back(
                nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
        }
        return kept;
    }();
    std::string document = "[";
    for (const std::string& text : valid) {
        document += (document.size() > 1 ? ", " : "") + text;
    }
    document += "]";
    for (std::size_t i = 0; i < valid.size(); ++i) {
        RC_ASSERT(find_in_json(document, "/" + std::to_string(i)).of(document) == valid[i]);
    }
}

}  // namespace
}  // namespace lockkeeper
