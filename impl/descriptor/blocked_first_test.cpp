// SPDX-License-Identifier: Apache-2.0

// A lock whose calls begin with a step that waits: blocked() is asked before the first step of a
// call, too, or whoever comes gets in. A semaphore of two permits with two priorities: nobody
// ordinary gets in while somebody urgent waits.
//
//   urgent    kAnnounce: waiting += 1 --> kEnterUrgent: blocked until there is room
//   ordinary  kEnter: blocked until there is room and nobody urgent waits
//   release   kGiveBack
#include <string>

#include <gtest/gtest.h>

#include "scenarios/registry/job.hpp"
#include "scenarios/registry/register_lock.hpp"

namespace lockkeeper {
namespace {

class PrioritySemaphore : public BasicImplementation<> {
  public:
    static constexpr Traits kTraits{.no_background = true, .by_record = true};
    enum class At : std::uint8_t { kNowhere, kAnnounce, kEnterUrgent, kEnter, kGiveBack };
    struct Shared {
        std::uint8_t in_use;
        std::uint8_t urgent_waiting;
    };
    struct Call {
        At at;
        std::uint8_t capacity;
    };
    Shared initial_shared() const { return {}; }
    void begin(const Operation& operation, Call& call) const {
        call.capacity = static_cast<std::uint8_t>(operation.capacity());
        if (operation.verb == Verb::kRelease) {
            call.at = At::kGiveBack;
            call.capacity = 0;
        } else if (operation.number != 0)
            call.at = At::kAnnounce;
        else
            call.at = At::kEnter;
    }
    bool blocked(const Shared& s, const Record&, const Call& c) const {
        switch (c.at) {
            case At::kEnterUrgent: return s.in_use >= c.capacity;
            case At::kEnter: return s.in_use >= c.capacity || s.urgent_waiting > 0;
            default: return false;
        }
    }
    Outcome step(Shared& s, Record&, Call& c, const Operation&, Event&) const {
        switch (c.at) {
            case At::kAnnounce:
                ++s.urgent_waiting;
                c.at = At::kEnterUrgent;
                return Outcome::kContinues;
            case At::kEnterUrgent:
                --s.urgent_waiting;
                ++s.in_use;
                return Outcome::kAcquired;
            case At::kEnter: ++s.in_use; return Outcome::kAcquired;
            case At::kGiveBack: --s.in_use; return Outcome::kReleased;
            case At::kNowhere: break;
        }
        unreachable("a label of the priority semaphore");
    }
    void observe(const Shared& s, Observation& out) const {
        KeyObservation& row = out.keys[0];
        row.counters = {s.in_use};
        row.counted_least = row.counted_most = s.in_use;
    }
    std::string describe_step(const Shared&, const Record&, const Call& c, const Operation&) const {
        switch (c.at) {
            case At::kAnnounce: return "announce";
            case At::kEnterUrgent: return "enter, urgent";
            case At::kEnter: return "enter";
            default: return "give back";
        }
    }
    std::string show(const Shared& s) const {
        return "in use " + std::to_string(s.in_use) + ", urgent waiting " +
               std::to_string(s.urgent_waiting);
    }
};

constexpr std::string_view kThreeCallers = R"({"version": 1, "system": "priority_semaphore",
    "variant": "right", "callers": [
    {"name": "urgent", "repeat": "forever", "script": [
        {"acquire": {"key": "db", "max_per": 2, "buckets": 1, "number": 1}},
        {"release": {"key": "db"}}]},
    {"name": "plain", "count": 2, "repeat": "forever", "script": [
        {"acquire": {"key": "db", "max_per": 2, "buckets": 1}}, {"release": {"key": "db"}}]}],
    "check": "safety", "reach": ["acquired", "released"]})";

TEST(BlockedFirst, NobodyEntersBeforeTheLockSaysSo) {
    Registry registry;
    SystemDescription description{"priority_semaphore", "right", "urgent callers first"};
    description.vocabulary.acquire_number = "1: urgent";
    register_lock(registry, description, PrioritySemaphore());
    const auto parsed = parse_scenario(std::string(kThreeCallers), "in_a_test.json");
    const Job job = std::get<Job>(make_job(registry, std::get<Scenario>(parsed)));
    const ExploreResult result = job.runner->explore(explore_options_of(job));
    EXPECT_TRUE(is<Passed>(result.verdict))
        << (result.violations.empty() ? "" : result.violations.front().property->name);
    EXPECT_TRUE(result.complete);
    EXPECT_EQ(job.reach.size(), result.reached.size());
}

}  // namespace
}  // namespace lockkeeper
