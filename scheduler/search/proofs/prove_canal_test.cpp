// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "scheduler/scopes_test.hpp"
#include "scheduler/search/proofs/looping_world.hpp"
#include "scheduler/search/proofs/prove.hpp"
#include "scheduler/search/proofs/check_certificate.hpp"

namespace lockkeeper::testing_proofs {
namespace {

using canal::CanalOptions;
using proofs::ProofAttempt;
using testing_scheduler::CanalScope;

struct Case {
    std::uint8_t repairs;
    bool manager;
    std::uint16_t max_per;
    std::uint16_t buckets;
    bool crashes;
};

ProofAttempt attempt(const Case& which) {
    CanalScope scope = testing_scheduler::once_each({which.buckets, which.buckets}, which.max_per, 15);
    scope.options.repairs = which.repairs;
    scope.options.has_manager = which.manager;
    scope.options.manager_max_per = which.max_per;
    scope.options.max_pers = {which.max_per};
    scope.world.crashes_max = which.crashes ? 1 : 0;
    const WorldConfig world = proofs::world_to_take_apart(scope.world);
    const ErasedSystem system{testing_scheduler::CanalWorld<canal::SmallSize>(
        canal::CanalLock<canal::SmallSize>(scope.options), world)};
    const proofs::ReplicatedWorld apart(system);
    proofs::ProveOptions options;
    for (const Property& property : all_properties()) {
        const bool applies = (property.needs & ~canal::CanalLock<canal::SmallSize>(scope.options).features()) == 0;
        if (applies && proofs::is_decidable(property) && property.severity > Severity::kNotice) {
            options.check.push_back(&property);
        }
    }
    return proofs::prove(apart, options);
}

std::string why(const Case& which, const proofs::Certificate& c) {
    CanalScope scope = testing_scheduler::once_each({which.buckets, which.buckets}, which.max_per, 15);
    scope.options.repairs = which.repairs;
    scope.options.has_manager = which.manager;
    scope.options.manager_max_per = which.max_per;
    scope.options.max_pers = {which.max_per};
    scope.world.crashes_max = which.crashes ? 1 : 0;
    const WorldConfig world = proofs::world_to_take_apart(scope.world);
    const ErasedSystem system{testing_scheduler::CanalWorld<canal::SmallSize>(
        canal::CanalLock<canal::SmallSize>(scope.options), world)};
    const proofs::ReplicatedWorld apart(system);
    return proofs::why_refused(c, apart);
}

TEST(ProveCanalTest, Dev) {
    for (const Case& which : {Case{canal::kAllRepairs, false, 1, 1, false}, Case{canal::kAllRepairs, false, 2, 2, false},
                              Case{canal::kAllRepairs, true, 1, 1, false}, Case{canal::kAllRepairs, true, 1, 1, true},
                              Case{canal::kAllRepairs, true, 2, 2, true},
                              Case{canal::kAllRepairs, true, 10, 10, true},
                              Case{canal::kAllRepairs & ~canal::kWholeRowTake, true, 1, 1, true},Case{canal::kAllRepairs & ~canal::kWholeRowTake, true, 1, 2, true},
                              Case{canal::kAllRepairs & ~canal::kWholeRowGiveBack, true, 1, 1, true},Case{canal::kAllRepairs & ~canal::kWholeRowGiveBack, true, 1, 2, true},
                              Case{canal::kAllRepairs & ~canal::kCountAgainstView, true, 1, 1, true},Case{canal::kAllRepairs & ~canal::kCountAgainstView, true, 1, 2, true},
                              Case{canal::kAllRepairs & ~canal::kAnnounceFirst, true, 1, 1, true},Case{canal::kAllRepairs & ~canal::kAnnounceFirst, true, 1, 2, true},
                              Case{canal::kAllRepairs & ~canal::kOwnersInRow, true, 1, 1, true},Case{canal::kAllRepairs & ~canal::kOwnersInRow, true, 1, 2, true},
                              Case{canal::kNoRepair, false, 1, 1, false},
                              Case{canal::kNoRepair, true, 1, 1, false}, 
                              Case{canal::kNoRepair, true, 1, 2, false}, 
                              }) {
        const auto start = std::chrono::steady_clock::now();
        const ProofAttempt made = attempt(which);
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        std::string refused;
        if (made.certificate) {
            const auto again = std::chrono::steady_clock::now();
            refused = why(which, *made.certificate);
            refused += " checked in " + std::to_string(std::chrono::duration<double>(std::chrono::steady_clock::now() - again).count()) + " bytes " + std::to_string(proofs::to_text(*made.certificate).size());
        }
        std::cout << refused << "\n" << int{which.repairs} << " manager " << which.manager << " " << which.max_per << "x"
                  << which.buckets << " crashes " << which.crashes << ": "
                  << (made.certificate ? "PROVED by " + made.method : "not: " + made.why_not) << " sit "
                  << made.sizes.situations << " shared " << made.sizes.shared << " markings "
                  << made.sizes.markings << " weights " << made.sizes.weights << " tried "
                  << made.sizes.steps_tried << " " << seconds << " s" << std::endl;
    }
}

}  // namespace
}  // namespace lockkeeper::testing_proofs
