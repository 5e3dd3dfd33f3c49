// SPDX-License-Identifier: Apache-2.0
#include "impl/descriptor/by_record.hpp"
#include "impl/monglock/descriptor/monglock_options.hpp"
#include "impl/monglock/planted_bugs.hpp"
#include "impl/monglock/write_lock_by_record.hpp"

namespace lockkeeper {
namespace {

using namespace monglock;
constexpr std::int32_t kTimeMost = 60'000;
constexpr std::int32_t kBudgetMost = 4;

std::vector<OwnNumber> parameters(const OwnNumber& locktimeout) {
    return {
        locktimeout,
        {"exists", 0, 1, 1, "whether the document exists at the beginning"},
        of_time({"timeout", 0, kTimeMost, 0,
                 "of one database operation: so long the client waits before it declares failure "
                 "(ack_lost, late_requests, read_fails); 0: it knows at once"}),
        {"w", 1, kMajority, 1,
         "servers of three that acknowledge an update: 1, the primary, or 2, a majority: failovers "
         "forget only what nobody has acknowledged"},
        {"boom", 0, 1, 0, "1: traces show the errors as the boom option wraps them"},
        of_time({"grace", 0, kTimeMost, 0, "own_deadline: the holder gives up so much earlier"}),
        of_time({"pause", 0, kTimeMost, 0, "own_deadline: and notices it at most so much later"}),
        of_time({"jump", 1, kTimeMost, 1, "how far a clock jumps"}),
    };
}
std::vector<OwnNumber> faults() {
    return {
        {"not_applied", 0, kBudgetMost, 0, "an update fails and has changed nothing"},
        {"ack_lost", 0, kBudgetMost, 0, "an update is reported as failed, and has been applied"},
        {"read_fails", 0, kBudgetMost, 0, "a read fails"},
        {"read_lags", 0, kBudgetMost, 0, "a replica answers that is one or two writes behind"},
        {"deletions", 0, kBudgetMost, 0, "the document is deleted"},
        {"failovers", 0, kBudgetMost, 0, "the newest write to the lock is forgotten"},
        {"save_backs", 0, kBudgetMost, 0, "the application saves an old document back"},
        {"clock_jumps", 0, kBudgetMost, 0, "a client's clock jumps, forward or back"},
        {"resends", 0, kBudgetMost, 0,
         "an update is applied, its answer is lost, and the driver sends it again"},
        {"duplicates", 0, kBudgetMost, 0, "an update is delivered twice, the copy comes later"},
        {"late_requests", 0, kBudgetMost, 0,
         "an update is reported as failed, and comes after that"},
        client_restarts(),
    };
}
std::vector<OwnNumber> settings(bool by_tag) {
    return {of_time({"clock", -900, 900, 0, "how far this client's clock is ahead"}),
            {"drift", -500, 500, 0, "so many thousandths this client's clock runs fast"},
            of_time({"locktimeout", 0, kTimeMost, 0, "this client's own locktimeout; 0: not given",
                     by_tag}),
            of_time({"timeout", 0, kTimeMost, 0, "this client's own timeout; 0: not given"})};
}

Vocabulary write_lock_vocabulary() {
    const auto word = [](WriteLockCall call) { return static_cast<std::uint8_t>(call); };
    return of_one_place(
        {parameters(of_time({"locktimeout", 0, kTimeMost, kWriteLockTimeout,
                             "after so long others may take the lock; 0: not given"})),
         faults(),
         settings(false),
         {{"write", word(WriteLockCall::kWrite), true, false, "changes what the lock protects"},
          {"release_any", word(WriteLockCall::kReleaseAny), true, true,
           "release without a timestamp: releases whatever is there"},
          {"release_earlier", word(WriteLockCall::kReleaseEarlier), false, false,
           "release with the timestamp of the acquisition before the last"}},
         {},
         true,
         {},
         "the locktimeout of this call; 0: not given",
         std::nullopt,
         limits_of_time,
         true});
}

Vocabulary multi_lock_vocabulary() {
    const auto word = [](MultiLockCall call) { return static_cast<std::uint8_t>(call); };
    auto numbers =
        parameters(of_time({"locktimeout", 0, kTimeMost, 0,
                            "after so long others may push; no default, 0: not given", true}));
    numbers.push_back({"unknown", 0, 1, 0,
                       "1: the configuration has no relations of this tag: acquire is a TypeError",
                       true});
    numbers.push_back({"write_lock", 0, 1, 0,
                       "1: no tag, but the write lock of its document, in the same field", true});
    return of_one_place(
        {numbers,
         faults(),
         settings(true),
         {{"write", word(MultiLockCall::kWrite), true, false, "changes what the tag protects"},
          {"ask_again", word(MultiLockCall::kAskAgain), false, false,
           "with the last lock that it was given, be it pending, granted or released; LockNotFound "
           "where it was given none, nothing is sent"},
          {"withdraw", word(MultiLockCall::kWithdraw), false, false,
           "after AssertiveLock: release the entry that stands; else LockNotFound"}},
         {"cooperative", "assertive"},
         true,
         {},
         {},
         std::nullopt,
         limits_of_time,
         true,
         {kWriteLockTimeout}});
}

// `make`: of a Scenario and what a bug plants.
template <class Options, class Lock>
auto maker(
    std::variant<Lock, InputError> (*make)(const Scenario&, void (*)(Options&)),
    void (*plant)(Options&) = [](Options&) {}) {
    return [=](const Scenario& scenario) { return make(scenario, plant); };
}

constexpr LockLimits kLimits{.buckets = 1, .max_per = 1, .locks = 4};

// `prove` takes it apart by record, and asks nothing of the order of tokens.
void register_repaired_write_lock(Registry& registry, const SystemDescription& description) {
    RegisteredSystem system = registered(description, maker(make_write_lock), kLimits);
    prove_by_record<WriteLockByRecord, WriteLock>(system, kLimits, "write locks",
                                                  write_lock_options);
    registry.add(std::move(system));
}

}  // namespace

void register_monglock(Registry& registry) {
    const SystemDescription write{"monglock_write", "faithful",
                                  "monglock's lock of one document, as published", "",
                                  write_lock_vocabulary()};
    const SystemDescription multi{
        "monglock_multi", "faithful",
        "monglock's lock with tags that cooperate or assert themselves, as published", "",
        multi_lock_vocabulary()};
    const SystemDescription repaired_write = repaired(write, write_lock_repairs());
    const SystemDescription repaired_multi = repaired(multi, multi_lock_repairs());
    register_lock(registry, write, maker(make_write_lock), kLimits);
    register_repaired_write_lock(registry, repaired_write);
    register_lock(registry, multi, maker(make_multi_lock), kLimits);
    register_lock(registry, repaired_multi, maker(make_multi_lock), kLimits);
    for (const auto& bug : write_lock_bugs()) {
        register_lock(registry, with_bug(repaired_write, "monglock_write_broken", bug),
                      maker(make_write_lock, bug.plant), kLimits);
    }
    for (const auto& bug : multi_lock_bugs()) {
        register_lock(registry, with_bug(repaired_multi, "monglock_multi_broken", bug),
                      maker(make_multi_lock, bug.plant), kLimits);
    }
}

}  // namespace lockkeeper
