// SPDX-License-Identifier: Apache-2.0
#include "impl/monglock/descriptor/monglock_options.hpp"

#include <fmt/format.h>

#include "model/world.hpp"

namespace lockkeeper::monglock {
namespace {

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
static_assert(names_all(kWriteLockRepairs, kAllWriteLockRepairs));

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
    budgets.copies = Copies::of(of("resends"), of("duplicates"));
    budgets.late_requests = of("late_requests");
    return budgets;
}

// The time-outs that acquires of this caller give themselves.
std::vector<std::int32_t> call_timeouts(const CallerConfig& caller) {
    std::vector<std::int32_t> timeouts;
    for (const Operation& operation : caller.script) {
        if (operation.verb == Verb::kAcquire && operation.number != 0) {
            timeouts.push_back(operation.time());
        }
    }
    return timeouts;
}

}  // namespace

std::span<const NamedRepair> write_lock_repairs() { return kWriteLockRepairs; }

void fill_in(const Scenario& scenario, ClientSideOptions& options) {
    const auto& own = scenario.parameters.own;
    options.keys = scenario.world.keys;
    options.time_unit = scenario.parameters.time_unit;
    options.exists = own.at("exists") != 0;
    options.timeout = own.at("timeout");
    options.majority = own.at("w") == kMajority;
    options.boom = own.at("boom") != 0;
    options.grace = own.at("grace");
    options.pause_most = own.at("pause");
    options.jump = own.at("jump");
    options.faults = budgets_of(scenario);
    for (const CallerConfig& caller : scenario.world.callers) {
        const auto& settings = caller.settings;
        options.clients.push_back({.clock = settings.at("clock"),
                                   .lock_timeout = settings.at("locktimeout"),
                                   .drift = settings.at("drift"),
                                   .timeout = settings.at("timeout")});
    }
}

std::string limits_of_time(const Scenario& scenario) {
    ClientSideOptions options;
    fill_in(scenario, options);
    return fmt::format("time up to {}", told_instant(end_of_time(options), options.time_unit));
}

WriteLockOptions write_lock_options(const Scenario& scenario) {
    WriteLockOptions options;
    fill_in(scenario, options);
    const std::int32_t given = scenario.parameters.own.at("locktimeout");
    options.lock_timeout = given == 0 ? kWriteLockTimeout / options.time_unit : given;
    options.repairs = repairs_of<std::uint16_t>(scenario, kWriteLockRepairs);
    options.keeps_earlier = somebody_calls(scenario.world, WriteLockCall::kReleaseEarlier);
    for (std::size_t caller = 0; caller < options.clients.size(); ++caller) {
        options.clients[caller].call_timeouts = call_timeouts(scenario.world.callers[caller]);
    }
    return options;
}

std::variant<WriteLock, InputError> make_write_lock(const Scenario& scenario,
                                                    void (*plant)(WriteLockOptions&)) {
    WriteLockOptions options = write_lock_options(scenario);
    plant(options);
    const WriteLock lock(options);
    if (lock.periods_count() > Stray::kPeriodsMax) {
        return InputError{scenario.file, "/callers",
                          fmt::format("{} different locktimeouts; at most {} are possible",
                                      lock.periods_count(), Stray::kPeriodsMax)};
    }
    return lock;
}

}  // namespace lockkeeper::monglock
