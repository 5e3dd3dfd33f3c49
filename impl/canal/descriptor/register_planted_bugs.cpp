#include "impl/canal/descriptor/canal_descriptors.hpp"
#include "impl/canal/planted_bugs.hpp"
#include "model/one_of.hpp"
#include "scenarios/registry/register_lock.hpp"

namespace lockkeeper {
namespace {

using Lock =
    OneOf<broken::GrantsAtCap, broken::LeavesTheMark, broken::RefusesTheLastUnit,
          broken::SubtractsTwo, broken::DropsTheUndo, broken::CountsFromZero,
          broken::KeepsOneReference, broken::KeepsTheReference, broken::LosesTheNotification,
          broken::DiesOfTheMark, broken::ManagerWithSmallerMaxPer, broken::ForgetsToRegister,
          broken::ForgetsToReply, broken::NeverForces, broken::AcquiresFromTheRight,
          broken::ReleasesFromTheLeft>;

template <class Broken>
void add(Registry& registry, const char* variant, const char* must_fail, const char* about) {
    const auto make = [](const Scenario& scenario) {
        return Lock(Broken(canal_options(scenario, canal::kNoRepair)));
    };
    register_lock(registry,
                  {"canal_broken", variant, about, must_fail, canal_vocabulary(), canal_server()},
                  make, {.buckets = Lock::Size::kBuckets, .max_per = 100, .locks = 14});
}

}  // namespace

void add_planted_canal_bugs(Registry& registry) {
    using namespace broken;
    add<GrantsAtCap>(registry, "grants_at_cap", "over-allocation",
                     "takes the cap for the last unit");
    add<LeavesTheMark>(registry, "leaves_the_mark", "leak",
                       "does not subtract again when it took the mark");
    add<RefusesTheLastUnit>(registry, "refuses_the_last_unit", "under-allocation",
                            "takes the last unit for the cap");
    add<SubtractsTwo>(registry, "subtracts_two", "double-release",
                      "subtracts 2 always, not only when forced");
    add<DropsTheUndo>(registry, "drops_the_undo", "negative-counter",
                      "does not put an empty bucket back to 0");
    add<CountsFromZero>(registry, "counts_from_zero", "wrong-count",
                        "the count does not include the new lock");
    add<KeepsOneReference>(registry, "keeps_one_reference", "lost-reference",
                           "the manager keeps one reference a caller");
    add<KeepsTheReference>(registry, "keeps_the_reference", "foreign-reference",
                           "unlock does not remove the reference");
    add<LosesTheNotification>(registry, "loses_the_notification", "foreign-release",
                              "the notification is lost");
    add<DiesOfTheMark>(registry, "dies_of_the_mark", "caller-death", "has no rule for the mark");
    add<ManagerWithSmallerMaxPer>(registry, "manager_with_smaller_max_per", "manager-death",
                                  "the manager was started with a smaller max_per");
    add<ForgetsToRegister>(registry, "forgets_to_register", "poisoned-key",
                           "does not register the first bucket");
    add<ForgetsToReply>(registry, "forgets_to_reply", "deadlock",
                        "handles unlock and does not reply");
    add<NeverForces>(registry, "never_forces", "livelock", "subtracts the mark for ever");
    add<AcquiresFromTheRight>(registry, "acquires_from_the_right", "acquire-order",
                              "begins with the newest bucket");
    add<ReleasesFromTheLeft>(registry, "releases_from_the_left", "release-order",
                             "gives back to the oldest bucket first");
}

}  // namespace lockkeeper
