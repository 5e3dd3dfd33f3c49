// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/patient_connection.hpp"

#include <gtest/gtest.h>

namespace lockkeeper::wire {
namespace {

// Its answer is there at the look of this number, from 1.
class AnswersAtLook final : public databases::Connection {
  public:
    explicit AnswersAtLook(int look) : look_(look) {}
    [[nodiscard]] std::uint64_t id() const override { return 1; }
    void send(const std::string& /*sql*/) override {}
    [[nodiscard]] std::optional<databases::Answer> poll(int /*milliseconds*/) override {
        return ++looks_ >= look_ ? std::optional(databases::Answer()) : std::nullopt;
    }

  private:
    int look_;
    int looks_ = 0;
};

// How often time has passed until the answer came.
int passages(int look, bool sleeps) {
    int count = 0;
    PatientConnection patient(
        std::make_unique<AnswersAtLook>(look), [sleeps] { return sleeps; }, [&] { ++count; });
    while (!patient.poll(100)) {
    }
    return count;
}

TEST(PatientConnection, NoTimePassesWhereTheServerHasAnsweredAndSleepsSince) {
    EXPECT_EQ(0, passages(1, true));
    EXPECT_EQ(0, passages(2, true));
}

TEST(PatientConnection, TimePassesWhereTheServerSleepsAndHasNotAnswered) {
    EXPECT_EQ(1, passages(3, true));
    EXPECT_EQ(2, passages(5, true));
}

TEST(PatientConnection, NoTimePassesWhileTheServerWorks) { EXPECT_EQ(0, passages(7, false)); }

}  // namespace
}  // namespace lockkeeper::wire
