// SPDX-License-Identifier: Apache-2.0

// The progress that is told while a proof is sought and checked.
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "scheduler/proofs/proof_scopes_test.hpp"

namespace lockkeeper::testing_proofs {
namespace {

using proofs::ProofProgress;
using proofs::Way;

// Keeps what was told. Who knows the end does not go back, and not beyond it; others may begin
// again with what they have learned.
class Onlooker {
  public:
    void look(const ProofProgress& at) {
        if (at.doing != doing_) {
            doing_ = at.doing;
            told_.emplace_back(at.doing);
            done_ = 0;
        }
        EXPECT_TRUE(at.all == 0 || (at.done >= done_ && at.done <= at.all)) << at.doing << at.done;
        EXPECT_GE(at.seconds, seconds_);
        done_ = at.done;
        seconds_ = at.seconds;
        shared_ = std::max(shared_, at.shared);
        situations_ = std::max(situations_, at.situations);
    }
    [[nodiscard]] const std::vector<std::string>& told() const { return told_; }
    [[nodiscard]] std::size_t done() const { return done_; }
    [[nodiscard]] std::size_t shared() const { return shared_; }
    [[nodiscard]] std::size_t situations() const { return situations_; }

  private:
    std::string doing_;
    std::vector<std::string> told_;
    std::size_t done_ = 0;
    double seconds_ = 0;
    std::size_t shared_ = 0;
    std::size_t situations_ = 0;
};

proofs::ProofAttempt prove_before(Onlooker& onlooker, const Subject<SmallCanal>& subject,
                                  std::vector<Way> ways) {
    return prove(subject, {.progress = [&](const ProofProgress& at) { onlooker.look(at); },
                           .ways = std::move(ways)});
}

TEST(ProofProgressTest, EachWayTellsWhatItDoesAndHowMuchItHasFound) {
    const auto subject = canal_subject(canal::kAllRepairs, true, {{1, 1}}, true);
    for (const auto& [way, doing] : {std::pair{Way::kWeights, "seeking a proof by weights"},
                                     std::pair{Way::kCountsAtOnce, "seeking a proof by counts"},
                                     std::pair{Way::kCountsLater, "seeking a proof by counts"}}) {
        Onlooker onlooker;
        const proofs::ProofAttempt made = prove_before(onlooker, subject, {way});
        ASSERT_TRUE(made.certificate) << made.why_not;
        EXPECT_EQ(onlooker.told(),
                  (std::vector<std::string>{doing, "taking its steps beside others"}));
        EXPECT_EQ(onlooker.done() + 1, made.sizes.markings);  // the last is being tried
        EXPECT_EQ(onlooker.shared(), made.sizes.shared);
        EXPECT_EQ(onlooker.situations(), made.sizes.situations);
    }
}

TEST(ProofProgressTest, ACheckTellsEachCombinationThatItJudges) {
    const auto subject = canal_subject(canal::kAllRepairs, true, {{1, 1}}, true);
    const proofs::ProofAttempt made = prove(subject);
    ASSERT_TRUE(made.certificate) << made.why_not;
    Onlooker onlooker;
    proofs::ProofWatch watch(kNoTimeLimit, UINT64_MAX,
                             [&](const ProofProgress& at) { onlooker.look(at); });
    const auto found = proofs::check_certificate(*made.certificate, subject.apart(), watch);
    EXPECT_EQ(found.refused + found.limit, "");
    EXPECT_EQ(onlooker.told(),
              (std::vector<std::string>{"taking the steps again", "judging the combinations"}));
    EXPECT_EQ(onlooker.done() + 1, made.certificate->combinations.size());
}

}  // namespace
}  // namespace lockkeeper::testing_proofs
