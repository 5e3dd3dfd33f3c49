// SPDX-License-Identifier: Apache-2.0

// One key in two namespaces or databases is two locks, also where each has a log of its own, and
// its clients say neither.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "validate/logs/read_log.hpp"

namespace lockkeeper::logs {
namespace {

// "a acquire of job; ", of every line.
std::string keys_in(const std::vector<std::string>& texts) {
    const Mapping mapping;
    LogsReader reader(mapping);
    for (const std::string& text : texts) {
        reader.read_text(text, fmt::format("{}.log", &text - texts.data()), Format::kByFirstLine);
    }
    std::string out;
    for (const Source& source : reader.end().logs.sources) {
        for (const Observation& seen : source.observations) {
            out += fmt::format("{} {} of {}; ", seen.caller, name_of(seen.code), seen.key);
        }
    }
    return out;
}

std::string lease(const char* place, const char* holder) {
    return fmt::format(
        R"({{"kind":"Lease","metadata":{{"name":"app","namespace":"{}","resourceVersion":"1"}},)"
        R"("spec":{{"holderIdentity":"{}","renewTime":"2026-03-01T12:00:00.5Z"}}}})"
        "\n",
        place, holder);
}

std::string set(int database, const char* token) {
    return fmt::format(
        "1772366400.{0}00000 [{0} 10.0.0.7:4{0}] \"SET\" \"job\" \"{1}\" \"NX\"\n"
        "1772366400.{0}50000 [{0} 10.0.0.7:4{0}] \"DEL\" \"job\"\n",
        database, token);
}

std::string client(const char* caller, const char* did, const char* token) {
    return fmt::format(
        R"({{"time":1772366400.5,"caller":"{}","msg":"{}","token":"{}","key":"job"}})"
        "\n",
        caller, did, token);
}

TEST(JoinKeys, LeasesOfTwoNamespacesInTwoFilesAreTwoLocks) {
    EXPECT_EQ(keys_in({lease("x", "a"), lease("y", "b")}),
              "a acquire of app; b acquire of y/app; ");
    EXPECT_EQ(keys_in({lease("y", "a"), lease("y", "b")}), "a acquire of app; b acquire of app; ");
}

TEST(JoinKeys, AClientIsOfTheDatabaseThatHasItsToken) {
    const std::string servers = "w1 acquire of job; w1 release of job; ";
    const std::string others = "w2 acquire of job of database 1; w2 release of job of database 1; ";
    const std::string clients = client("w2", "acquired", "t2") + client("w2", "released", "") +
                                client("w1", "acquired", "t1") + client("w1", "released", "");
    const std::string told =
        "w2 acquire of job of database 1; w2 release of job of database 1; "
        "w1 acquire of job; w1 release of job; ";
    EXPECT_EQ(keys_in({set(0, "t1") + set(1, "t2"), clients}), servers + others + told);
    EXPECT_EQ(keys_in({set(0, "t1"), set(1, "t2"), clients}), servers + others + told);
}

TEST(JoinKeys, AClientOfNobodyKnowsWhichLockIsRefused) {
    const std::string unknown = client("w3", "acquired", "");
    try {
        static_cast<void>(keys_in({set(0, "t1") + set(1, "t2"), unknown}));
        FAIL() << "not refused";
    } catch (const LogError& error) {
        EXPECT_NE(std::string(error.what())
                      .find("these logs have job of database 0 and job of database 1"),
                  std::string::npos)
            << error.what();
    }
    EXPECT_EQ(keys_in({set(0, "t1"), unknown}),
              "10.0.0.7:40 acquire of job; 10.0.0.7:40 release of job; w3 acquire of job; ");
}

}  // namespace
}  // namespace lockkeeper::logs
