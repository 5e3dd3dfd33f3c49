#include <map>
#include <optional>

#include <fmt/format.h>

#include "app/own_lock.hpp"
#include "app/systems/repairs.hpp"
#include "impl/monglock/multi_lock.hpp"
#include "impl/monglock/write_lock.hpp"

namespace lockkeeper {
namespace {

using namespace monglock;
using Bug = broken::MonglockBug;

constexpr NamedRepair kWriteLockRepairs[] = {
    {"unique_ids", kUniqueIds},
    {"checked_release", kCheckedRelease},
    {"guarded_writes", kGuardedWrites},
    {"own_deadline", kOwnDeadline},
    {"clean_up", kCleanUp},
    {"settling_reads", kSettlingReads},
    {"monotone_tokens", kMonotoneTokens},
    {"kept_writes", kKeptWrites},
    {"applied_once", kAppliedOnce},
};
constexpr NamedRepair kMultiLockRepairs[] = {
    {"all_elements", kAllElements},
    {"current_clock", kCurrentClock},
    {"own_entry", kOwnEntry},
    {"guarded_writes", kMultiGuardedWrites},
    {"own_deadline", kMultiOwnDeadline},
    {"clean_up", kMultiCleanUp},
    {"settling_reads", kMultiSettlingReads},
    {"kept_writes", kMultiKeptWrites},
    {"applied_once", kMultiAppliedOnce},
};

constexpr std::int32_t kTimeMost = 60'000;
constexpr std::int32_t kWriteLockTimeout = 10'000;  // where none is given
constexpr std::int32_t kBudgetMost = 4;

std::vector<OwnNumber> parameters(const OwnNumber& locktimeout) {
    return {
        locktimeout,
        {"exists", 0, 1, 1, "whether the document exists at the beginning"},
        {"grace", 0, kTimeMost, 0, "own_deadline: the holder gives up so much earlier"},
        {"pause", 0, kTimeMost, 0, "own_deadline: and notices it at most so much later"},
        {"jump", 1, kTimeMost, 1, "how far a clock jumps"},
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
        {"client_restarts", 0, kBudgetMost, 0,
         "a dead client starts again, as a fresh process, with its script"},
    };
}
std::vector<OwnNumber> settings(bool by_tag) {
    return {
        {"clock", -900, 900, 0, "how far this client's clock is ahead"},
        {"drift", -500, 500, 0, "so many thousandths this client's clock runs fast"},
        {"locktimeout", 0, kTimeMost, 0, "this client's own locktimeout; 0: not given", by_tag}};
}

Budgets budgets_of(const Scenario& scenario) {
    const auto of = [&](const char* name) {
        return static_cast<std::uint8_t>(scenario.parameters.faults.at(name));
    };
    Budgets budgets{};
    budgets.not_applied = of("not_applied");
    budgets.ack_lost = of("ack_lost");
    budgets.read_fails = of("read_fails");
    budgets.read_lags = of("read_lags");
    budgets.deletions = of("deletions");
    budgets.failovers = of("failovers");
    budgets.save_backs = of("save_backs");
    budgets.clock_jumps = of("clock_jumps");
    budgets.resends_and_duplicates =
        static_cast<std::uint8_t>(of("resends") + Budgets::kOneDuplicate * of("duplicates"));
    budgets.late_requests = of("late_requests");
    return budgets;
}

void fill_in(const Scenario& scenario, ClientSideOptions& options) {
    const auto& own = scenario.parameters.own;
    options.keys = scenario.world.keys;
    options.exists = own.at("exists") != 0;
    options.grace = own.at("grace");
    options.pause_most = own.at("pause");
    options.jump = own.at("jump");
    options.faults = budgets_of(scenario);
    for (const CallerConfig& caller : scenario.world.callers) {
        const auto& settings = caller.settings;
        options.clients.push_back(
            {settings.at("clock"), settings.at("locktimeout"), {}, settings.at("drift")});
    }
}

// The number of one tag, 0 where none is given.
std::int32_t of_tag(const std::map<std::string, std::int32_t>& numbers, const std::string& tag) {
    const auto found = numbers.find("locktimeout:" + tag);
    return found == numbers.end() ? 0 : found->second;
}

template <class Call>
bool somebody_calls(const WorldConfig& world, Call call) {
    return std::any_of(world.callers.begin(), world.callers.end(), [&](const CallerConfig& caller) {
        return std::any_of(caller.script.begin(), caller.script.end(), [&](const Operation& one) {
            return one.verb == Verb::kCall && one.word == static_cast<std::uint8_t>(call);
        });
    });
}

auto write_lock_maker(std::uint16_t repairs_by_default, Bug bug = Bug::kNone) {
    return [=](const Scenario& scenario) -> std::variant<WriteLock, InputError> {
        const auto repairs = repairs_of(scenario, kWriteLockRepairs, repairs_by_default);
        if (const auto* error = std::get_if<InputError>(&repairs)) {
            return *error;
        }
        WriteLockOptions options;
        fill_in(scenario, options);
        options.bug = bug;
        const std::int32_t given = scenario.parameters.own.at("locktimeout");
        options.lock_timeout = given == 0 ? kWriteLockTimeout : given;
        options.repairs = std::get<std::uint16_t>(repairs);
        options.keeps_earlier = somebody_calls(scenario.world, WriteLockCall::kReleaseEarlier);
        return WriteLock(options);
    };
}

TagSet related(const Scenario& scenario, const std::string& key, const std::string& kind) {
    TagSet tags = 0;
    const auto relations = scenario.parameters.relations.find(key);
    if (relations == scenario.parameters.relations.end() || !relations->second.contains(kind)) {
        return tags;
    }
    for (const std::string& name : relations->second.at(kind)) {
        const auto& keys = scenario.world.keys;
        const auto index = std::find(keys.begin(), keys.end(), name) - keys.begin();
        tags = static_cast<TagSet>(tags | 1U << index);
    }
    return tags;
}

// Nothing, or what is missing.
std::optional<InputError> fill_in_tags(const Scenario& scenario, MultiLockOptions& options) {
    const auto& own = scenario.parameters.own;
    for (const std::string& key : scenario.world.keys) {
        const std::int32_t of_key = of_tag(own, key);
        const std::int32_t timeout = of_key == 0 ? own.at("locktimeout") : of_key;
        if (timeout == 0) {
            return InputError{
                scenario.file, "/parameters",
                fmt::format("no locktimeout of \"{0}\": the tags of the multi lock have "
                            "no default; give \"locktimeout\" or \"locktimeout:{0}\"",
                            key)};
        }
        options.lock_timeouts.push_back(timeout);
        options.cooperative.push_back(related(scenario, key, "cooperative"));
        options.assertive.push_back(related(scenario, key, "assertive"));
        for (std::size_t caller = 0; caller < options.clients.size(); ++caller) {
            options.clients[caller].lock_timeouts.push_back(
                of_tag(scenario.world.callers[caller].settings, key));
        }
    }
    return std::nullopt;
}

auto multi_lock_maker(std::uint16_t repairs_by_default, Bug bug = Bug::kNone) {
    return [=](const Scenario& scenario) -> std::variant<MultiLock, InputError> {
        const auto repairs = repairs_of(scenario, kMultiLockRepairs, repairs_by_default);
        if (const auto* error = std::get_if<InputError>(&repairs)) {
            return *error;
        }
        MultiLockOptions options;
        fill_in(scenario, options);
        options.bug = bug;
        if (auto error = fill_in_tags(scenario, options)) {
            return *error;
        }
        options.keeps_released = somebody_calls(scenario.world, MultiLockCall::kAskAgain);
        options.repairs = std::get<std::uint16_t>(repairs);
        return MultiLock(options);
    };
}

Vocabulary write_lock_vocabulary() {
    const auto word = [](WriteLockCall call) { return static_cast<std::uint8_t>(call); };
    return {parameters({"locktimeout", 0, kTimeMost, kWriteLockTimeout,
                        "after so long others may take the lock; 0: not given"}),
            faults(),
            settings(false),
            {{"write", word(WriteLockCall::kWrite), true, false, "changes what the lock protects"},
             {"release_any", word(WriteLockCall::kReleaseAny), true, true,
              "release without a timestamp: releases whatever is there"},
             {"release_earlier", word(WriteLockCall::kReleaseEarlier), false, false,
              "release with the timestamp of the acquisition before the last"}},
            {},
            true};
}

Vocabulary multi_lock_vocabulary() {
    const auto word = [](MultiLockCall call) { return static_cast<std::uint8_t>(call); };
    return {
        parameters({"locktimeout", 0, kTimeMost, 0,
                    "after so long others may push; no default, 0: not given", true}),
        faults(),
        settings(true),
        {{"write", word(MultiLockCall::kWrite), true, false, "changes what the tag protects"},
         {"ask_again", word(MultiLockCall::kAskAgain), false, false,
          "with the last lock that it was given, be it pending, granted or released; LockNotFound "
          "where it was given none, nothing is sent"},
         {"withdraw", word(MultiLockCall::kWithdraw), false, false,
          "after AssertiveLock: release the entry that stands; else LockNotFound"}},
        {"cooperative", "assertive"},
        true};
}

const LockLimits kLimits{.buckets = 1, .max_per = 1, .locks = 4};

void add_broken_write_lock(Registry& registry, const char* variant, Bug bug, const char* must_fail,
                           const char* about) {
    register_lock(registry,
                  {"monglock_write_broken", variant, about, must_fail, write_lock_vocabulary()},
                  write_lock_maker(kAllWriteLockRepairs, bug), kLimits);
}

void add_planted_bugs(Registry& registry) {
    add_broken_write_lock(registry, "takes_active", Bug::kTakesActive, "belief-overlap",
                          "takes the lock whether it is active or not");
    add_broken_write_lock(registry, "guards_by_active", Bug::kGuardsByActive, "unprotected-effect",
                          "an effect asks only that somebody has the lock");
    add_broken_write_lock(registry, "releases_anything", Bug::kReleasesAnything, "foreign-removal",
                          "release does not compare the token");
    add_broken_write_lock(registry, "says_ok_anyway", Bug::kSaysOkAnyway, "false-ok",
                          "release says ok though the lock was lost");
    add_broken_write_lock(registry, "cleans_nothing", Bug::kCleansNothing, "phantom",
                          "the clean-up after an error leaves what it finds");
    add_broken_write_lock(registry, "constant_token", Bug::kConstantToken, "token-order",
                          "every acquisition has the same timestamp");
    add_broken_write_lock(registry, "deadline_from_answer", Bug::kDeadlineFromAnswer,
                          "belief-overlap", "the holder's deadline counts from the answer");
    register_lock(registry,
                  {"monglock_multi_broken", "ignores_cooperative",
                   "an entry is pushed on no condition", "grant-overlap", multi_lock_vocabulary()},
                  multi_lock_maker(kAllMultiLockRepairs, Bug::kIgnoresCooperative), kLimits);
    register_lock(
        registry,
        {"monglock_multi_broken", "deadline_from_answer",
         "the holder's deadline counts from the answer", "belief-overlap", multi_lock_vocabulary()},
        multi_lock_maker(kAllMultiLockRepairs, Bug::kDeadlineFromAnswer), kLimits);
}

}  // namespace

void add_monglock(Registry& registry) {
    register_lock(registry,
                  {"monglock_write", "faithful", "monglock's lock of one document, as published",
                   "", write_lock_vocabulary()},
                  write_lock_maker(0), kLimits);
    register_lock(registry,
                  {"monglock_write", "repaired", "the same with what the faithful one lacks", "",
                   with_repairs(write_lock_vocabulary(), kWriteLockRepairs)},
                  write_lock_maker(kAllWriteLockRepairs), kLimits);
    register_lock(registry,
                  {"monglock_multi", "faithful",
                   "monglock's lock with tags that cooperate or assert themselves, as published",
                   "", multi_lock_vocabulary()},
                  multi_lock_maker(0), kLimits);
    register_lock(registry,
                  {"monglock_multi", "repaired", "the same with what the faithful one lacks", "",
                   with_repairs(multi_lock_vocabulary(), kMultiLockRepairs)},
                  multi_lock_maker(kAllMultiLockRepairs), kLimits);
    add_planted_bugs(registry);
}

}  // namespace lockkeeper
