// SPDX-License-Identifier: Apache-2.0
#include "scenarios/registry/read_certificate.hpp"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace lockkeeper {
namespace {

using proofs::Certificate;

Certificate small_certificate() {
    Certificate certificate;
    certificate.scenario = "one \"quoted\"";
    certificate.proved = {"leak", "over-allocation"};
    certificate.situations = {{{0, proofs::Bytes("\0\x7f", 2)}, {0, 3}},
                              {{1, proofs::Bytes("\xff\x10", 2)}, {1, 0}}};
    certificate.shared = {{proofs::Bytes("\1", 1), {-2, 5}}};
    certificate.combinations = {{0, {{0, Certificate::kAny}, {1, 4}}}, {0, {}}};
    return certificate;
}

std::string refused(const std::string& text) {
    const auto read = read_certificate(text, "c.json");
    const auto* error = std::get_if<InputError>(&read);
    return error == nullptr ? "" : error->text();
}

// The text with `from` replaced, which is there once.
std::string with(const std::string& from, const std::string& to) {
    std::string text = proofs::to_text(small_certificate());
    EXPECT_NE(text.find(from), std::string::npos) << from;
    return text.replace(text.find(from), from.size(), to);
}

TEST(ReadCertificate, IsReadAsItWasWritten) {
    for (const bool everybody : {false, true}) {
        Certificate written = small_certificate();
        written.everybody = everybody;
        const std::string text = proofs::to_text(written);
        const auto read = read_certificate(text, "c.json");
        ASSERT_TRUE(std::holds_alternative<Certificate>(read)) << refused(text);
        EXPECT_EQ(proofs::to_text(std::get<Certificate>(read)), text);
    }
}

// The two combinations share a group, which the third has not.
Certificate with_a_group() {
    Certificate certificate = small_certificate();
    certificate.shared.push_back({proofs::Bytes("\2", 1), {0, 0}});
    certificate.combinations = {{0, {{0, Certificate::kAny}, {1, 4}}},
                                {1, {{0, Certificate::kAny}}},
                                {1, {{0, 2}, {1, Certificate::kAny}}},
                                {0, {}}};
    return certificate;
}

TEST(ReadCertificate, AGroupOfAnyNumberStandsOnceAndIsReadAsIfItStoodInEachCombination) {
    const Certificate written = with_a_group();
    const std::string text = short_text(written);
    EXPECT_NE(text.find("  \"any\": [\n    [0],\n    [1]\n  ],\n"
                        "  \"combinations\": [\n"
                        "    {\"shared\":0,\"callers\":[[1,4]],\"any\":0},\n"
                        "    {\"shared\":1,\"callers\":[],\"any\":0},\n"
                        "    {\"shared\":1,\"callers\":[[0,2]],\"any\":1},\n"
                        "    {\"shared\":0,\"callers\":[]}\n"),
              std::string::npos)
        << text;
    const auto read = read_any_certificate(text, "c.json");
    ASSERT_TRUE(std::holds_alternative<AnyCertificate>(read)) << refused(text);
    const auto& certificate = std::get<AnyCertificate>(read);
    EXPECT_EQ(to_text(certificate), proofs::to_text(written));
    EXPECT_TRUE(is_as_written(certificate, text));
    EXPECT_TRUE(is_as_written(certificate, proofs::to_text(written)));  // as up to 1.0.0
    EXPECT_FALSE(is_as_written(certificate, text + " "));
}

TEST(ReadCertificate, ZeroBytesInARowAreANumberAndAreReadAsIfEachStoodThere) {
    for (const auto& [bytes, text] : std::vector<std::pair<proofs::Bytes, std::string>>{
             {{"\0", 1}, "00"},
             {{"\0\0", 2}, "(2)"},
             {{"\x10\0\0", 3}, "10(2)"},
             {{"\0\0\0\1\0\x70", 6}, "(3)010070"},
             {proofs::Bytes(300, '\0') + "\xff", "(300)ff"}}) {
        Certificate written = small_certificate();
        written.shared[0].bytes = bytes;
        const std::string shorter = short_text(written);
        EXPECT_NE(shorter.find("\"bytes\":\"" + text + "\""), std::string::npos) << shorter;
        const auto read = read_any_certificate(shorter, "c.json");
        ASSERT_TRUE(std::holds_alternative<AnyCertificate>(read)) << refused(shorter);
        EXPECT_EQ(to_text(std::get<AnyCertificate>(read)), proofs::to_text(written));
        EXPECT_TRUE(is_as_written(std::get<AnyCertificate>(read), shorter));
    }
}

// The same said in another way is no certificate that anybody has written.
TEST(ReadCertificate, AGroupThatIsSaidTwiceOrOtherwiseIsNotAsWritten) {
    const std::string text = short_text(with_a_group());
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"\"version\": 2", "\"version\": 1"},
             {"    [0],\n    [1]\n", "    [0],\n    [1],\n    [1]\n"},
             {"    [0],\n    [1]\n", "    [0],\n    [1],\n    [0,1]\n"},
             {"\"callers\":[],\"any\":0", "\"callers\":[[0,\"any\"]]"},
             {"\"callers\":[],\"any\":0", "\"any\":0,\"callers\":[]"},
             {"\"callers\":[],\"any\":0", "\"callers\":[[1,\"any\"]],\"any\":0"}}) {
        std::string other = text;
        ASSERT_NE(other.find(from), std::string::npos) << from;
        other.replace(other.find(from), from.size(), to);
        const auto read = read_any_certificate(other, "c.json");
        ASSERT_TRUE(std::holds_alternative<AnyCertificate>(read)) << refused(other);
        EXPECT_FALSE(is_as_written(std::get<AnyCertificate>(read), other)) << to;
    }
}

TEST(ReadCertificate, GroupsThatThereAreNotAreRefused) {
    const auto refused_with = [](const Certificate& certificate, const std::string& from,
                                 const std::string& to) {
        std::string text = short_text(certificate);
        EXPECT_NE(text.find(from), std::string::npos) << from;
        return refused(text.replace(text.find(from), from.size(), to));
    };
    const Certificate grouped = with_a_group();
    EXPECT_NE(refused_with(grouped, "\"any\":1", "\"any\":2").find("/combinations/2/any"),
              std::string::npos);
    EXPECT_NE(refused_with(grouped, "\"any\":1", "\"any\":-1").find("/combinations/2/any"),
              std::string::npos);
    EXPECT_NE(refused_with(grouped, "    [0],\n", "    [],\n").find("/any/0"), std::string::npos);
    EXPECT_NE(refused_with(grouped, "    [0],\n", "    [\"0\"],\n").find("/any/0/0"),
              std::string::npos);
    Certificate without = small_certificate();
    without.combinations = {{0, {}}};
    EXPECT_NE(refused_with(without, "\"callers\":[]", "\"callers\":[],\"any\":0")
                  .find("/combinations/0/any: there are no groups"),
              std::string::npos);
}

TEST(ReadCertificate, ShortFilesThatWouldFillTheMemoryAreRefused) {
    const Certificate grouped = with_a_group();
    // A file of 100 kB, which would be 24 MB of zero bytes.
    std::string zeros;
    for (int i = 0; i < 3'000; ++i) {
        zeros += R"x({"bytes":"(8192)","weights":[0,0]},)x";
    }
    std::string empty = short_text(grouped);
    empty.insert(empty.find("{\"bytes\":\"01\""), zeros);
    EXPECT_NE(refused(empty).find("more than 16777216 bytes"), std::string::npos) << refused(empty);
    // A file of 200 kB, which would be 40 million counts.
    std::string group;
    std::string combinations;
    for (int i = 0; i < 20'000; ++i) {
        group += (i > 0 ? "," : "") + std::to_string(i);
    }
    for (int i = 0; i < 2'000; ++i) {
        combinations += R"({"shared":0,"callers":[],"any":0},)";
    }
    std::string large = short_text(grouped);
    large.replace(large.find("    [0],"), 8, "    [" + group + "],");
    const std::string first = "    {\"shared\":0,\"callers\":[[1,4]],\"any\":0},";
    ASSERT_NE(large.find(first), std::string::npos);
    large.insert(large.find(first), combinations);
    EXPECT_NE(refused(large).find("more than 4000000 counts"), std::string::npos) << refused(large);
}

TEST(ReadCertificate, WhatIsNoneIsRefusedWithItsPlace) {
    EXPECT_EQ(refused("").substr(0, 17), "c.json:1:1: not J");
    EXPECT_EQ(refused("{\n  \"kind\": certificate}"),
              "c.json:2:11: not JSON: syntax error while parsing value - invalid literal; last "
              "read: '\"kind\": c'");
    EXPECT_NE(refused("[]").find("expected an object"), std::string::npos) << refused("[]");
    EXPECT_NE(refused("{}").find("$schema"), std::string::npos) << refused("{}");
    const std::string text = proofs::to_text(small_certificate());
    for (std::size_t size = 0; size + 2 < text.size(); size += 7) {
        EXPECT_NE(refused(text.substr(0, size)), "") << size;
    }
}

TEST(ReadCertificate, EachPartIsWhatItHasToBe) {
    const auto is_refused_at = [](const std::string& from, const std::string& to,
                                  const std::string& pointer) {
        const std::string why = refused(with(from, to));
        EXPECT_NE(why.find(pointer), std::string::npos) << to << ": " << why;
    };
    is_refused_at("\"version\": 1", "\"version\": 3", "/version");
    is_refused_at("\"version\": 1", "\"version\": 0", "/version");
    is_refused_at("\"kind\": \"certificate\"", "\"kind\": \"scenario\"", "/kind");
    is_refused_at("certificate.schema.json", "scenario.schema.json", "/$schema");
    is_refused_at("\"everybody\": false", "\"everybody\": 0", "/everybody");
    is_refused_at("\"everybody\": false", "\"everybody\": false, \"everybody\": true", "duplicate");
    is_refused_at("\"everybody\": false", "\"everybody\": false, \"more\": 1",
                  "unknown key \"more\"");
    is_refused_at("\"007f\"", "\"007\"", "/situations/0/bytes");
    is_refused_at("\"007f\"", "\"007F\"", "/situations/0/bytes");
    is_refused_at("\"007f\"", "\"" + std::string(20'000, '0') + "\"", "/situations/0/bytes");
    for (const char* const zeros :
         {"(", "(2", "(0)", "()", "(-2)", "(2))", "2)", "(8193)", "(18446744073709551615)",
          "(99999999999999999999)", "(2)7", "(2)(18446744073709551615)"}) {
        is_refused_at("\"007f\"", "\"" + std::string(zeros) + "\"", "/situations/0/bytes");
    }
    is_refused_at("\"group\":1", "\"group\":256", "/situations/1/group");
    is_refused_at("[0,3]", "[0,-3]", "/situations/0/weights/1");
    is_refused_at("[0,3]", "[0,3.5]", "/situations/0/weights/1");
    is_refused_at("[0,3]", "[0,1000001]", "/situations/0/weights/1");
    is_refused_at("[0,3]", "[0,18446744073709551615]", "/situations/0/weights/1");
    is_refused_at("[-2,5]", "[-1000001,5]", "/shared/0/weights/0");
    is_refused_at("[0,\"any\"]", "[0,\"some\"]", "/combinations/0/callers/0/1");
    is_refused_at("[1,4]", "[1,0]", "/combinations/0/callers/1/1");
    is_refused_at("[1,4]", "[1,-1]", "/combinations/0/callers/1/1");
    is_refused_at("[1,4]", "[1]", "/combinations/0/callers/1");
}

}  // namespace
}  // namespace lockkeeper
