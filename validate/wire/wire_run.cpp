// SPDX-License-Identifier: Apache-2.0
#include "validate/wire/wire_run.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "model/check.hpp"
#include "validate/wire/resp.hpp"

namespace lockkeeper::wire {
namespace {

std::int64_t end_of_key(const KeyState& key) {
    return key.expires_at < 0 ? INT64_MAX : key.expires_at * kMillisecond + kMillisecond;
}

}  // namespace

std::string shown_seconds(std::int64_t nanoseconds) {
    return fmt::format("{:g} s", std::round(static_cast<double>(nanoseconds) / 1e6) / 1e3);
}

std::string faults_text(const WireScope& scope, const WorldConfig& world) {
    struct Row {
        std::uint32_t count;
        const char* one;
        const char* many;
        bool is_always_said = false;
    };
    const Row rows[] = {
        {world.restarts_max, "restart", "restarts"},
        {scope.drops_max, "lost connection", "lost connections", true},
        {scope.expiries_max, "expiry", "expiries", true},
        {scope.failovers_max, "fail-over", "fail-overs"},
        {scope.server_restarts_max, "restart of the server", "restarts of the server"},
        {scope.server_crashes_max, "crash of a server", "crashes of servers"},
        {scope.cuts_max, "cut", "cuts"},
        {scope.server_jumps_max, "jump of a server's clock", "jumps of servers' clocks"},
        {scope.jumps_max, "jump of a clock", "jumps of a clock"},
        {scope.late_max, "late request", "late requests"},
    };
    std::string out;
    for (const Row& row : rows) {
        if (row.count > 0 || row.is_always_said) {
            out += fmt::format(", {} {}", row.count, row.count == 1 ? row.one : row.many);
        }
    }
    return out;
}

WireRun::WireRun(Wire& wire, const OutsideWorld& world, const WireScope& scope)
    : Source(world),
      wire_(wire),
      scope_(scope),
      is_timed_(scope.expiries_max > 0 || scope.failovers_max > 0 || wire.settings().replicas > 0) {
    LOCKKEEPER_CHECK(wire.callers() == clients_of(world.world));
    wire.hold_scripts(scope.server_restarts_max + scope.server_crashes_max > 0);
    if (scope.server_crashes_max + scope.cuts_max > 0) {
        wire.proxy().note_reaches();
    }
}

std::string WireRun::name_of_caller(std::size_t index) const {
    return index < callers_.size() ? world_.world.callers[index].name
                                   : probe_name(index - callers_.size());
}

// Milliseconds.
std::int32_t WireRun::time_shown() const {
    return static_cast<std::int32_t>(
        std::min<std::int64_t>((wire_.now() - wire_.beginning()) / kMillisecond, INT32_MAX));
}

// Everybody fresh: after something that nobody knows the end of.
void WireRun::give_up() {
    for (std::size_t caller = 0; caller < wire_.callers(); ++caller) {
        wire_.kill(caller);
    }
}

void WireRun::use_fresh_processes(bool fresh) {
    wire_.set_freshness(fresh ? Freshness::kForked : wire_.settings().freshness);
}

void WireRun::begin() {
    if (!is_warm_) {
        warm_up();
        is_warm_ = true;
    }
    wire_.mend();
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        if (!comes_to_rest(i)) {
            wire_.kill(i);
        }
    }
    callers_.assign(world_.world.callers.size(), {});
    ledger_.begin(accounts_of(callers_));
    signals_.assign(world_.world.signals.size(), 0);
    keys_.clear();
    keys_before_.assign(wire_.servers(), {});
    on_their_way_.assign(wire_.servers(), {});
    changes_ = 0;
    keeps_keys_ = is_timed_ || sees_sleep_;
    has_slept_ = false;
    taken_.clear();
    if (!keeps_keys_) {
        tally_before_ = ledger_.tally;
    }
    stored_.reset();
    crashes_ = restarts_ = drops_ = expiries_ = wakes_ = failovers_ = 0;
    server_restarts_ = late_ = jumps_ = server_crashes_ = cuts_ = server_jumps_ = 0;
    steps_of_look_.clear();
    wire_.begin_run();
    wire_.let_replicas_lag();
    if (keeps_keys_) {
        static_cast<void>(wire_.keys());  // from here on servers count what is written
    }
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        wire_.start_caller(i);
    }
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        wire_.await_caller(i);
        const NamedNumbers& settings = world_.world.callers[i].settings;
        const bool has_own_clock = wire_.wall_clock(i) != wire_.now() ||
                                   settings.value_or(kDriftSetting, 0) != 0 || scope_.jumps_max > 0;
        if (wire_.runs_on_real_time(i) && wire_.settings().server == ServerKind::kFiles) {
            throw Misbehaved(Misbehaviour::kNotSupported,
                             name_of_caller(i) +
                                 " calls the kernel past the C library: its calls on files cannot "
                                 "be held");
        }
        if (wire_.runs_on_real_time(i) && has_own_clock) {
            throw Misbehaved(Misbehaviour::kNotSupported,
                             name_of_caller(i) + " cannot be given a clock of its own");
        }
    }
    remark_real_time();
    remark_what_is_left();
    refresh();
}

bool WireRun::has_something_under_way(std::size_t index) {
    const auto& connections = wire_.proxy().of(index);
    return callers_[index].calling ||
           std::any_of(connections.begin(), connections.end(), [](const auto& connection) {
               return !connection->is_late &&
                      (!connection->requests.empty() || !connection->replies.empty());
           });
}

void WireRun::add_steps(std::size_t index, std::vector<Action>& out) {
    const Caller& caller = callers_[index];
    const auto step = [&](std::size_t argument) {
        out.push_back({static_cast<std::uint8_t>(index), ActionKind::kStep,
                       static_cast<std::uint16_t>(argument)});
    };
    if (!caller.dead && !caller.done && !caller.calling && !caller.waits_for_change) {
        const Operation& next = caller.upcoming(world_.world.callers[index]);
        if (next.verb != Verb::kWait || signals_[next.signal] >= next.amount) {
            step(0);
        }
    }
    for (const auto& connection : wire_.proxy().of(index)) {
        if (!connection->requests.empty() && connection->owed == 0 && !connection->is_late) {
            step(1 + 2 * connection->number);
        }
        if (!connection->replies.empty() && connection->client >= 0) {
            step(2 + 2 * connection->number);
        }
    }
}

void WireRun::add_faults(std::size_t index, std::vector<Action>& out) {
    const Caller& caller = callers_[index];
    const auto actor = static_cast<std::uint8_t>(index);
    const bool has_begun = has_something_under_way(index) || !caller.held.empty();
    if (crashes_ < world_.world.crashes_max && !caller.dead && has_begun &&
        world_.world.callers[index].may_crash) {
        out.push_back({actor, ActionKind::kCrash, 0});
    }
    if (caller.dead && !caller.done && restarts_ < world_.world.restarts_max) {
        out.push_back({actor, ActionKind::kDisturb, kRestartArgument});
    }
    for (const auto& connection : wire_.proxy().of(index)) {
        const auto first = static_cast<std::uint16_t>(1 + 2 * connection->number);
        if (drops_ >= scope_.drops_max || connection->client < 0) {
            continue;
        }
        const bool can_execute = !connection->requests.empty() && connection->owed == 0;
        if (can_execute) {
            out.push_back({actor, ActionKind::kFault, first});
        }
        if (!connection->replies.empty() || (!scope_.splits && can_execute)) {
            out.push_back({actor, ActionKind::kFault, static_cast<std::uint16_t>(first + 1)});
        }
    }
}

// The next end of a lock that keys still store, or that some caller still believes to hold.
std::optional<std::int64_t> WireRun::next_end() const {
    std::int64_t next = INT64_MAX;
    const std::int64_t now = wire_.now();
    const auto take = [&](std::int64_t end) { next = end > now ? std::min(next, end) : next; };
    for (const KeyState& key : keys_) {
        take(is_timed_ ? end_of_key(key) : INT64_MAX);
    }
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        for (const BelievedHolding& holding : callers_[i].held) {
            if (holding.until) {
                take(end_of(i, holding) + kMillisecond);
            }
        }
    }
    return next == INT64_MAX ? std::nullopt : std::optional(next);
}

// In the order of time: nobody wakes before somebody whose time comes earlier, nor behind the end
// of a lock, which is a choice of its own. That a caller does not wait for an answer any longer is
// as good as a lost answer.
void WireRun::add_wakes(std::vector<Action>& out) {
    if (wakes_ >= scope_.wakes_max) {
        return;
    }
    std::vector<std::vector<TimedWait>> waits(callers_.size());
    std::int64_t first = INT64_MAX;
    const auto end_of = [&](const TimedWait& wait) {
        return std::max(wait.sleeper.until, wire_.now());
    };
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        if (!callers_[i].dead) {
            waits[i] = timed_waits(i);
        }
        for (const TimedWait& wait : waits[i]) {
            first = std::min(first, end_of(wait));
        }
    }
    std::int64_t end = next_end().value_or(INT64_MAX);
    sees_sleep_ = sees_sleep_ || first != INT64_MAX;
    if (!is_timed_ && first != INT64_MAX && first > wire_.now()) {
        if (!stored_) {
            stored_ = wire_.keys();
        }
        for (const KeyState& key : *stored_) {
            end = end_of_key(key) > wire_.now() ? std::min(end, end_of_key(key)) : end;
        }
    }
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        for (const TimedWait& wait : waits[i]) {
            if (end_of(wait) == first && (first <= wire_.now() || first < end)) {
                out.push_back(
                    {static_cast<std::uint8_t>(i), ActionKind::kBackground, wait.argument});
            }
        }
    }
}

std::vector<Action> WireRun::enabled() {
    std::vector<Action> out;
    if (finished()) {
        add_receipts(out);  // all arrive, so that only the order with those who read matters
        return out;
    }
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        add_steps(i, out);
    }
    add_receipts(out);
    add_wakes(out);
    add_time(out);
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        add_faults(i, out);
        add_jumps(i, out);
    }
    add_faults_of_server(out);
    if (crashes_ + drops_ + expiries_ + failovers_ + server_restarts_ + jumps_ + server_crashes_ +
            cuts_ + server_jumps_ >=
        faults_max_) {
        const std::size_t all = out.size();
        std::erase_if(out, [](Action action) {
            return !is_restart(action) && !is_late(action) && !is_mending(action) &&
                   (is_fault(action) || action.kind == ActionKind::kTime);
        });
        missed_faults_ = missed_faults_ || out.size() < all;
    }
    return out;
}

bool WireRun::is_busy(std::size_t index) const {
    const auto& connections = wire_.proxy().of(index);
    return callers_[index].calling ||
           std::any_of(connections.begin(), connections.end(), [](const auto& connection) {
               return !connection->is_late && !connection->requests.empty();
           });
}

bool WireRun::is_done(std::size_t index) const {
    const Caller& caller = callers_[index];
    return !is_busy(index) &&
           (caller.done || (caller.dead && restarts_ >= world_.world.restarts_max));
}

bool WireRun::at_rest() {
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        if (is_busy(i)) {
            return false;
        }
    }
    return true;
}

bool WireRun::finished() {
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        if (!is_done(i)) {
            return false;
        }
    }
    return true;
}

bool WireRun::is_deadlock(const std::vector<Action>& enabled) {
    const bool sleeps = [&] {
        for (std::size_t i = 0; i < callers_.size(); ++i) {
            const auto& connections = wire_.proxy().of(i);
            const bool at_server =
                std::any_of(connections.begin(), connections.end(), [&](const auto& connection) {
                    return !wire_.proxy().server_sleepers(*connection).empty();
                });
            if (!callers_[i].dead && (at_server || !sleepers(i).empty())) {
                return true;
            }
        }
        return false;
    }();
    const bool somebody_waits =
        std::any_of(callers_.begin(), callers_.end(),
                    [](const auto& caller) { return !caller.dead && !caller.done; });
    const auto helps = [](Action action) { return !is_fault(action) || is_mending(action); };
    return std::none_of(enabled.begin(), enabled.end(), helps) && somebody_waits && !sleeps &&
           !next_end() && !ledger_.rates().next_end(wire_.now()) && waits_for_ever();
}

ActionClass WireRun::class_of(Action action) {
    const bool begins = action.kind == ActionKind::kStep && action.argument == 0;
    return begins ? class_of_beginning(
                        callers_[action.actor].upcoming(world_.world.callers[action.actor]))
                  : lockkeeper::class_of(action.kind);
}

std::string WireRun::describe() {
    std::string out;
    for (const KeyState& key : wire_.keys()) {
        out +=
            (out.empty() ? "" : ", ") + shown_command({key.key}) + "=" + shown_command({key.value});
        out += wire_.servers() == 1 ? "" : " at " + name_of_server(key.server);
        if (key.expires_at >= 0) {
            out += " for " + shown_seconds(key.expires_at * kMillisecond - wire_.now());
        }
    }
    const std::string holders = world_.rate_limit.is_given() ? "" : ledger_.holders();
    const char* none = wire_.server().shows_all() ? "no keys" : "";
    out = out.empty() ? none : out;
    return out + (world_.rate_limit.is_given() ? "  " + ledger_.granted_lately()
                  : holders.empty()            ? "  nobody holds"
                                               : "  held by " + holders);
}

std::string WireRun::questions() {
    std::string out;
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        out += (out.empty() ? "" : ", ") + name_of_caller(i);
        const std::size_t before = out.size();
        for (const auto& connection : wire_.proxy().of(i)) {
            for (const WireRequest& request : connection->requests) {
                out += (out.size() == before ? " " : " and ") + at_server(connection->server) +
                       request.text;
            }
            for (const WireReply& reply : connection->replies) {
                out += (out.size() == before ? " " : " and ") + wire_.shown(reply);
            }
        }
        out += out.size() == before ? (callers_[i].calling ? " waits" : " -") : "";
    }
    return out;
}

std::string WireRun::outcome() {
    std::string out;
    for (const Caller& caller : callers_) {
        out += caller.answers + "/";
    }
    for (const KeyState& key : wire_.keys()) {
        out += at_server(key.server) + key.key + "=" + key.value + "@" +
               std::to_string(key.expires_at) + ";";
    }
    return out;
}

}  // namespace lockkeeper::wire
