// SPDX-License-Identifier: Apache-2.0

// Programs for which no time passes, as they cannot be given a clock: what is not possible with
// them, what is not judged, and how that is said. A caller that runs on real time must not be
// judged as if virtual time had passed for it; a server is given the ends of its leases by force,
// or no time passes.
#include <fmt/format.h>

#include "validate/wire/real_waits.hpp"
#include "validate/wire/wire_run.hpp"

namespace lockkeeper::wire {
namespace {

std::string on_real_time(const std::string& who) {
    return who + " cannot be given a clock (static, or not of the C library) and ran on real time";
}

std::string on_real_time(const HeldServer& server) {
    return server.stands_still() ? "no time passed for the server (ZooKeeper does not always come "
                                   "to rest when its timers end)"
                                 : on_real_time("the server");
}

}  // namespace

bool WireRun::can_pass_time() {
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        if (wire_.runs_on_real_time(i)) {
            ledger_.tally.not_judged =
                on_real_time(name_of_caller(i)) +
                ": the end of a lock was not possible; --expiries 0 leaves it out";
            return false;
        }
    }
    const HeldServer& server = wire_.server();
    if (server.runs_on_real_time() && !server.forces_ends()) {
        ledger_.tally.not_judged =
            on_real_time(server) +
            ": the end of a lock was not possible; name the request that forces it "
            "(\"expire\"), or "
            "leave it out with --expiries 0";
        return false;
    }
    return true;
}

// A process on real time may wait for a moment that nobody here knows.
bool WireRun::waits_for_ever() {
    wire_.look_for_real_time();
    const HeldServer& server = wire_.server();
    std::string why = server.runs_on_real_time() ? on_real_time(server) : "";
    for (std::size_t i = 0; i < callers_.size() && why.empty(); ++i) {
        why = wire_.runs_on_real_time(i) ? on_real_time(name_of_caller(i)) : "";
    }
    for (std::size_t i = 0; i < callers_.size() && why.empty(); ++i) {
        const std::string call = callers_[i].dead ? "" : timed_call_of(wire_.client(i).roots());
        if (!call.empty()) {
            ledger_.tally.not_judged = name_of_caller(i) + " waits with a time limit, by a " +
                                       call + " past the C library, which cannot be given a " +
                                       "clock: whether it waits for ever is not known";
            return false;
        }
    }
    if (!why.empty()) {
        ledger_.tally.not_judged = why + ": whether a caller waits for ever is not known";
    }
    return why.empty();
}

// Nothing is lost where nobody ever got anything. And an hour has not passed for a server on real
// time: what it keeps may end by itself.
bool WireRun::is_lost_for_ever() {
    if (!first_error_.empty()) {
        ledger_.tally.not_judged = "the first acquire of all, alone on an empty server, ended in " +
                                   first_error_ + ": whether a lock is lost is not known";
        return false;
    }
    const HeldServer& server = wire_.server();
    if (!server.runs_on_real_time() || server.forces_ends()) {
        return true;
    }
    ledger_.tally.not_judged =
        on_real_time(server) +
        ": whether a lock that is still taken at the end would have ended within "
        "an hour is not known";
    return false;
}

void WireRun::remark_real_time() {
    const HeldServer& server = wire_.server();
    if (server.runs_on_real_time()) {
        ledger_.tally.remarks.insert(on_real_time(server) +
                                     (server.forces_ends()
                                          ? "; ends of leases were forced by the request that the "
                                            "scenario names"
                                          : "; no lease was ended"));
    }
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        if (wire_.runs_on_real_time(i)) {
            ledger_.tally.remarks.insert(on_real_time(name_of_caller(i)) +
                                         "; no lock was brought to its end");
        }
    }
}

void WireRun::remark_what_is_left() {
    if (!wire_.why_nobody_is_kept().empty()) {
        ledger_.tally.remarks.insert(
            "each run has new processes: those that were kept did not do the same twice: " +
            wire_.why_nobody_is_kept());
    }
    for (const auto& [caller, what] : wire_.left()) {
        ledger_.tally.remarks.insert(name_of_caller(caller) +
                                     "'s process is started again for each run: " + what);
    }
}

}  // namespace lockkeeper::wire
