#include "properties/catalogue.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "properties/predicates.hpp"

namespace lockkeeper {
namespace {

using predicates::happened;

constexpr bool kEventOnly = false;
constexpr bool kWithObservation = true;
constexpr auto kWatched = Monitor::kOthersDuringCall;

// A property of single steps.
constexpr Property step_property(int number, std::string_view name, Severity severity,
                                 std::uint32_t triggers, std::uint32_t needs,
                                 bool needs_observation, Predicate holds_not,
                                 std::string_view definition, Monitor monitor = Monitor::kNone) {
    return {number, name,    PropertyKind::kAlways, severity,  triggers,
            needs,  monitor, needs_observation,     holds_not, definition};
}
// A property of states at rest.
constexpr Property rest_property(int number, std::string_view name, Severity severity,
                                 std::uint32_t needs, Predicate holds_not,
                                 std::string_view definition) {
    return {number,
            name,
            PropertyKind::kAtQuiescence,
            severity,
            0,
            needs,
            Monitor::kNone,
            kWithObservation,
            holds_not,
            definition};
}
// A property of the explored graph.
constexpr Property graph_property(int number, std::string_view name, Severity severity,
                                  std::string_view definition) {
    return {
        number,  name,      PropertyKind::kEventually, severity, 0, 0, Monitor::kNone, kEventOnly,
        nullptr, definition};
}
constexpr Property goal(int number, std::string_view name, std::uint32_t triggers,
                        std::string_view definition) {
    return {number,   name,      PropertyKind::kSometimes, Severity::kNotice,
            triggers, 0,         Monitor::kNone,           kEventOnly,
            happened, definition};
}

constexpr std::array kProperties{
    step_property(1, "over-allocation", Severity::kError, kGranted, kHasCapacity, kEventOnly,
                  predicates::over_allocated,
                  "A lock is granted to a caller with view capacity C = max_per * buckets while at "
                  "least C locks of the key are held or granted already."),
    rest_property(2, "leak", Severity::kFatal, kShowsCounters, predicates::leaked,
                  "At rest, the counters of a key count more units, cap marks apart, than there "
                  "are holders: capacity that nobody holds and nobody can have."),
    step_property(
        3, "under-allocation", Severity::kError, kRefused, kHasCapacity, kEventOnly,
        predicates::refused_without_reason,
        "An acquire returns full although at every instant of the call fewer than C "
        "locks were held, granted, being released, or left by the dead and not yet freed.",
        kWatched),
    rest_property(4, "double-release", Severity::kError, kShowsCounters, predicates::released_twice,
                  "At rest, the counters of a key read fewer units than there are holders: there "
                  "is room for a grant too many."),
    rest_property(5, "negative-counter", Severity::kError, kShowsCounters,
                  predicates::negative_at_rest, "At rest, a counter is below zero."),
    step_property(6, "wrong-count", Severity::kNotice, kAcquired, kShowsCount, kEventOnly,
                  predicates::count_is_wrong,
                  "The count that acquire returns was the number of holders, the new one "
                  "included, at no instant of the call, however unfinished calls are counted.",
                  kWatched),
    rest_property(7, "lost-reference", Severity::kError, kShowsReferences,
                  predicates::reference_lost,
                  "At rest, the manager has fewer references to a live caller than the caller "
                  "holds locks: its death would not free them all."),
    rest_property(8, "foreign-reference", Severity::kError, kShowsReferences,
                  predicates::reference_foreign,
                  "At rest, the manager has more references to a caller than the caller holds "
                  "locks: its death would free somebody else's."),
    step_property(9, "foreign-release", Severity::kWarning, kForeignRelease, 0, kEventOnly,
                  happened,
                  "A release is accounted to a caller of which the manager has no reference "
                  "(logged as unexpected_unlock)."),
    step_property(10, "caller-death", Severity::kFatal, kCallerDied, 0, kEventOnly, happened,
                  "A caller dies by the algorithm's own error."),
    step_property(11, "manager-death", Severity::kFatal, kManagerDied, kShowsManager, kEventOnly,
                  happened,
                  "The manager dies by the algorithm's own error, and all tables with it."),
    rest_property(12, "poisoned-key", Severity::kFatal, kShowsCounters, predicates::poisoned,
                  "At rest, a key is in a state in which every release of it fails, for ever."),
    graph_property(13, "deadlock", Severity::kFatal,
                   "Nobody can take a step (faults apart) and somebody is unfinished."),
    graph_property(14, "livelock", Severity::kFatal,
                   "A fair cycle (no step of a party and no message of a sender stays possible and "
                   "is never taken) in which a caller is inside one operation all the time; for a "
                   "retried acquire, only where others never hold the capacity it asks for."),
    step_property(15, "acquire-order", Severity::kNotice, kTookUnit, kShowsBuckets,
                  kWithObservation, predicates::acquired_out_of_order,
                  "Left to right: a unit is taken from a bucket while a bucket to its left has "
                  "room."),
    step_property(16, "release-order", Severity::kNotice, kGaveUnitBack, kShowsBuckets,
                  kWithObservation, predicates::released_out_of_order,
                  "Right to left: a unit is given back from a bucket while a bucket to its right "
                  "counts one."),
    step_property(17, "belief-overlap", Severity::kError, kOverlap, kShowsGrants, kEventOnly,
                  happened,
                  "An acquire returns with a lock while another caller believes to hold what this "
                  "lock excludes."),
    step_property(18, "grant-overlap", Severity::kFatal, kGranted, kShowsGrants, kWithObservation,
                  predicates::grants_overlap,
                  "The servers' record grants at one instant two locks that exclude each other."),
    step_property(19, "unprotected-effect", Severity::kError, kUnprotected, kShowsEffects,
                  kEventOnly, happened,
                  "The protected resource takes an effect of a caller whose grant is over."),
    step_property(20, "foreign-removal", Severity::kError, kForeignRemoval, kShowsGrants,
                  kEventOnly, happened,
                  "A release removes the valid record of another acquisition."),
    step_property(21, "false-ok", Severity::kError, kFalseOk, kShowsGrants, kEventOnly, happened,
                  "A release returns ok although the lock was not held throughout."),
    rest_property(22, "phantom", Severity::kError, kShowsGrants, predicates::phantom,
                  "At rest, the servers' record grants a lock to a live caller that does not "
                  "believe to hold it: after an error, or a release."),
    step_property(23, "token-order", Severity::kError, kTokenRepeated, kShowsTokens, kEventOnly,
                  happened,
                  "A grant's token is not larger than the token of an earlier grant of the key."),
    step_property(24, "stale-read", Severity::kError, kStale, kShowsData, kEventOnly, happened,
                  "A read under the lock does not see what the holder before has committed."),
    step_property(25, "told-late", Severity::kError, kToldLate, kBoundsTelling, kEventOnly,
                  happened,
                  "A caller believes to hold a lock for longer than told_within after the servers' "
                  "record has lost its grant."),
    step_property(
        26, "free-late", Severity::kError, kFreeLate, kBoundsFreeing, kEventOnly, happened,
        "What a dead caller left in the servers' record, or what it had sent has made there, "
        "keeps a key from being granted for longer than free_within."),
    step_property(27, "repeated-effect", Severity::kError, kRepeated, kCountsEffects, kEventOnly,
                  happened,
                  "What is to be done once is done again: its effect had been taken before."),
    step_property(28, "false-error", Severity::kError, kFailed, kShowsOutcomes, kEventOnly,
                  predicates::failed_although_done,
                  "A block ends with an error for its caller although what it did is committed: "
                  "whoever tries again does it twice."),
};

constexpr std::array kGoals{
    goal(1, "acquired", kAcquired, "Some acquire returns a lock."),
    goal(2, "full", kRefused, "Some acquire is refused."),
    goal(3, "released", kReleased, "Some release returns."),
    goal(4, "marked-full", kMarkedFull, "Some acquire finds or puts a counter at its cap."),
    goal(5, "bucket-created", kBucketCreated, "Some bucket is created."),
    goal(6, "out-of-buckets", kOutOfBuckets, "Some release finds nothing to give back."),
    goal(7, "forced", kForced, "The forced double decrement is used."),
    goal(8, "crashed", kCrashed, "Some caller crashes or exits."),
    goal(9, "resized", kResized, "Some resize takes effect."),
    goal(10, "failed", kFailed, "Some call returns an error."),
    goal(11, "lost", kLost, "Some call tells its caller that it does not hold any more."),
    goal(12, "effect", kEffect, "The protected resource takes some effect."),
    goal(13, "effect-refused", kEffectRefused, "The protected resource refuses some effect."),
    goal(14, "went-wrong", kWentWrong, "Some fault of the system's own happens."),
    goal(15, "time-passed", kTimePassed, "Virtual time passes."),
};

constexpr std::string_view kNever = "never:";
constexpr std::string_view kNeverDefinition =
    "No step may reach the goal of this name. Some step does.";

// One for each goal: "never:lost".
struct Nevers {
    std::array<std::string, std::size(kGoals)> names;
    std::array<Property, std::size(kGoals)> properties;

    Nevers() : properties(kGoals) {
        for (std::size_t i = 0; i < names.size(); ++i) {
            names[i] = std::string(kNever) + std::string(kGoals[i].name);
            properties[i].name = names[i];
            properties[i].number += 100;
            properties[i].kind = PropertyKind::kAlways;
            properties[i].severity = Severity::kWarning;
            properties[i].definition = kNeverDefinition;
        }
    }
};

const Property* find(std::span<const Property> among, std::string_view name) {
    const auto found = std::find_if(among.begin(), among.end(), [&](const Property& property) {
        return property.name == name;
    });
    return found == among.end() ? nullptr : &*found;
}

}  // namespace

std::span<const Property> all_properties() { return kProperties; }
std::span<const Property> all_goals() { return kGoals; }
const Property* find_property(std::string_view name) {
    static const Nevers kNevers;
    return find(name.starts_with(kNever) ? std::span<const Property>(kNevers.properties)
                                         : std::span<const Property>(kProperties),
                name);
}
const Property* find_goal(std::string_view name) { return find(kGoals, name); }

std::string_view name_of(Severity severity) {
    switch (severity) {
        case Severity::kNotice: return "notice";
        case Severity::kWarning: return "warning";
        case Severity::kError: return "error";
        case Severity::kFatal: return "fatal";
    }
    return "?";
}

std::string_view name_of(PropertyKind kind) {
    switch (kind) {
        case PropertyKind::kAlways: return "always";
        case PropertyKind::kAtQuiescence: return "at rest";
        case PropertyKind::kEventually: return "eventually";
        case PropertyKind::kSometimes: return "sometimes";
    }
    return "?";
}

}  // namespace lockkeeper
