// SPDX-License-Identifier: Apache-2.0

// What happens to servers, each a party of its own: it crashes, fails over, is cut off from a
// caller, and has a clock.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "model/check.hpp"
#include "model/event.hpp"
#include "validate/wire/wire_run.hpp"

namespace lockkeeper::wire {

std::vector<KeyState> keys_of_server(const std::vector<KeyState>& keys, std::size_t number) {
    std::vector<KeyState> out;
    std::copy_if(keys.begin(), keys.end(), std::back_inserter(out),
                 [&](const KeyState& key) { return key.server == number; });
    return out;
}

std::vector<KeyState> Wire::keys() {
    std::vector<KeyState> out = servers_.front()->keys();
    for (std::size_t i = 1; i < servers_.size(); ++i) {
        const std::vector<KeyState> more = servers_[i]->keys();
        out.insert(out.end(), more.begin(), more.end());
    }
    return out;
}

// Whoever has not begun in this run is one of an earlier one, whose clock has gone back meanwhile:
// what it does is of no run, and Node.js ends where it looks at that clock.
void Wire::lose_server(std::size_t number) {
    for (const auto& client : clients_) {
        client->listen();
    }
    proxy_.lose_all(number);
    for (std::size_t caller = 0; caller < clients_.size(); ++caller) {
        if (has_begun_[caller]) {
            settle(caller);
        }
    }
}

bool Wire::is_down(std::size_t number) const { return memory_->is_down[number] != 0; }

void Wire::crash_server(std::size_t number) {
    memory_->is_down[number] = 1;
    lose_server(number);
}

void Wire::start_server_again(std::size_t number, bool is_empty) {
    if (is_empty) {
        servers_[number]->restore({});
    }
    servers_[number]->forget_scripts();
    memory_->is_down[number] = 0;
}

bool Wire::is_cut_off(std::size_t caller, std::size_t server) const {
    return (memory_->callers[caller].cut_off >> server & 1U) != 0;
}

void Wire::cut_off(std::size_t caller, std::size_t server) {
    memory_->callers[caller].cut_off |= 1U << server;
    clients_[caller]->listen();
    proxy_.lose_all(server, caller);
    settle(caller);
}

void Wire::reach_again(std::size_t caller, std::size_t server) {
    memory_->callers[caller].cut_off &= ~(1U << server);
}

bool Wire::note_refusals(std::size_t caller) {
    const std::uint32_t refused =
        __atomic_exchange_n(&memory_->callers[caller].refused_at, 0U, __ATOMIC_SEQ_CST);
    for (std::size_t server = 0; server < servers_.size(); ++server) {
        if ((refused >> server & 1U) != 0) {
            proxy_.note_reach(caller, server);
        }
    }
    return refused != 0;
}

void Wire::jump_server(std::size_t number, std::int64_t by) {
    memory_->server_offsets[number] += by;
    servers_[number]->clock_set();
    proxy_.look_at_others(number);
}

bool Wire::mend() {
    bool changes = false;
    for (std::size_t number = 0; number < servers_.size(); ++number) {
        if (is_down(number)) {
            changes = true;
            start_server_again(number, false);
        }
    }
    for (std::size_t caller = 0; caller < clients_.size(); ++caller) {
        changes = changes || memory_->callers[caller].cut_off != 0;
        memory_->callers[caller].cut_off = 0;
    }
    return changes;
}

std::string WireRun::name_of_server(std::size_t number) const {
    if (wire_.settings().server == ServerKind::kFiles) {
        return "the file system";
    }
    if (wire_.settings().replicas > 0) {
        return number == 0           ? "the primary"
               : wire_.servers() > 2 ? fmt::format("replica {}", number)
                                     : "the replica";
    }
    return wire_.servers() == 1 ? "the server" : fmt::format("server {}", number + 1);
}

std::string WireRun::at_server(std::size_t number) const {
    return wire_.servers() == 1 ? "" : "at " + name_of_server(number) + ": ";
}

void WireRun::add_faults_of_server(std::vector<Action>& out) {
    const auto disturb = [&](std::size_t actor, std::size_t argument) {
        out.push_back({static_cast<std::uint8_t>(actor), ActionKind::kDisturb,
                       static_cast<std::uint16_t>(argument)});
    };
    for (std::size_t server = 0; server < wire_.servers(); ++server) {
        const bool is_down = wire_.is_down(server);
        const bool may_fail_over = failovers_ < scope_.failovers_max && can_fail_over(server);
        if (is_down) {
            disturb(server, kServerStarts);
        }
        if (is_down && may_fail_over && first_replica() == wire_.servers()) {
            disturb(server, kServerStartsEmpty);
        }
        if (!is_down && may_fail_over) {
            disturb(server, kFailOver);
            if (!keys_of_server(keys_, server).empty() && !keys_before_[server].empty() &&
                first_replica() == wire_.servers()) {
                disturb(server, kFailOverToEmpty);  // or else it were the same
            }
        }
        if (!is_down && server_restarts_ < scope_.server_restarts_max) {
            disturb(server, kServerRestart);
        }
        if (!is_down && server_crashes_ < scope_.server_crashes_max) {
            disturb(server, kServerCrash);
        }
        if (!is_down && server_jumps_ < scope_.server_jumps_max) {
            disturb(server, kServerJumpForward);
            disturb(server, kServerJumpBack);
        }
    }
    for (std::size_t i = 0; i < callers_.size() && late_ < scope_.late_max; ++i) {
        for (const auto& connection : wire_.proxy().of(i)) {
            if (connection->is_late) {
                disturb(i, kLateFirst + connection->number);
            }
        }
    }
    add_cuts(out);
}

void WireRun::add_cuts(std::vector<Action>& out) const {
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        for (std::size_t server = 0; server < wire_.servers(); ++server) {
            const bool is_cut = wire_.is_cut_off(i, server);
            const bool is_over = callers_[i].dead || is_done(i);
            if (is_cut || (cuts_ < scope_.cuts_max && !is_over)) {
                out.push_back(
                    {static_cast<std::uint8_t>(i), ActionKind::kDisturb,
                     static_cast<std::uint16_t>((is_cut ? kReachFirst : kCutFirst) + server)});
            }
        }
    }
}

void WireRun::disturb_server(std::size_t number, std::uint16_t argument, Step& step) {
    if (argument == kServerCrash) {
        crash_server(number, step);
        return;
    }
    if (argument == kServerStarts) {
        start_server(number, false, step);
        return;
    }
    step.effect.events |= StepEffect::kEverything;
    switch (argument) {
        case kFailOver: fail_over(number, false, step); break;
        case kFailOverToEmpty: fail_over(number, true, step); break;
        case kServerRestart: restart_server(number, step); break;
        case kServerStartsEmpty: start_server(number, true, step); break;
        default: jump_server(number, argument == kServerJumpForward, step); break;
    }
}

// Connections that are in use are lost with it; what else was sent never arrives.
void WireRun::fail_over(std::size_t number, bool to_empty, Step& step) {
    ++failovers_;
    const bool has_replica = first_replica() < wire_.servers();
    step.text = name_of_server(number) + (to_empty ? " fails over to an empty one"
                                          : has_replica
                                              ? " fails over to the replica that has received most"
                                              : " fails over to a replica without the last write");
    const std::vector<KeyState> left =
        to_empty ? std::vector<KeyState>{} : left_by_failover(number);
    std::erase_if(keys_, [&](const KeyState& key) { return key.server == number; });
    keys_.insert(keys_.end(), left.begin(), left.end());
    wire_.server(number).restore(left);
    if (to_empty) {
        wire_.server(number).forget_scripts();
    }
    lose_server(number, step);
}

void WireRun::lose_server(std::size_t number, Step& step) {
    ledger_.tally.events |= kFailed;
    for (Caller& caller : callers_) {
        caller.lost_connection = true;
    }
    wire_.lose_server(number);
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        look_at_answer(i, step);
    }
}

// To its clients a server that lives on and forgets them is the same as one that was started again.
void WireRun::restart_server(std::size_t number, Step& step) {
    ++server_restarts_;
    step.text = name_of_server(number) + " restarts";
    wire_.server(number).forget_scripts();
    lose_server(number, step);
    look_at_keys(step.effect);
}

// Nobody reaches it until it starts again.
void WireRun::crash_server(std::size_t number, Step& step) {
    ++server_crashes_;
    step.text = name_of_server(number) + " crashes";
    cut(every_caller(), number, step, [&] { wire_.crash_server(number); });
    step.effect.events |= first_replica() < wire_.servers() ? StepEffect::kEverything : 0U;
}

std::vector<std::size_t> WireRun::every_caller() const {
    std::vector<std::size_t> out(callers_.size());
    std::iota(out.begin(), out.end(), std::size_t{0});
    return out;
}

// What they reach commutes with whatever does not touch it, unless somebody does something about
// the loss at once.
void WireRun::cut(const std::vector<std::size_t>& callers, std::size_t server, Step& step,
                  const std::function<void()>& lose) {
    const auto ends_of_waits = [&] {
        std::vector<std::int64_t> out;
        for (std::size_t i = 0; i < callers_.size(); ++i) {
            for (const Sleeper& sleeper : wire_.client(i).sleepers()) {
                out.push_back(sleeper.until);
            }
            out.push_back(-1);
        }
        return out;
    };
    bool is_idle = true;
    const std::vector<std::int64_t> before = ends_of_waits();
    ledger_.tally.events |= kFailed;
    for (const std::size_t i : callers) {
        if (!wire_.proxy().is_idle(i, server)) {
            callers_[i].lost_connection = true;
            is_idle = false;
        }
    }
    lose();
    for (const std::size_t i : callers) {
        look_at_answer(i, step);
    }
    const bool is_quiet =
        is_idle && step.result.empty() && !wire_.proxy().has_noted() && before == ends_of_waits();
    step.effect.events |=
        is_quiet ? StepEffect::kFaults | StepEffect::kOfDone : StepEffect::kEverything;
    write_reaches(callers, server, step);
}

// Nobody's step: it commutes with those of the callers, too.
void WireRun::write_reaches(const std::vector<std::size_t>& callers, std::size_t server,
                            Step& step) {
    step.effect.caller = kNobody;
    for (const std::size_t i : callers) {
        step.effect.footprint.keys.push_back(reach_use(i, server, true));
    }
}

void WireRun::start_server(std::size_t number, bool is_empty, Step& step) {
    failovers_ += is_empty ? 1 : 0;
    step.text = name_of_server(number) +
                (is_empty ? " starts again, empty" : " starts again with what it stored");
    wire_.start_server_again(number, is_empty);
    step.effect.events |=
        first_replica() < wire_.servers() ? StepEffect::kEverything : StepEffect::kOfDone;
    step.effect.footprint.loads_script = step.effect.footprint.needs_script = true;
    write_reaches(every_caller(), number, step);
    look_at_keys(step.effect);
}

// What ends by its clock ends at once, or later than its clients reckon with.
void WireRun::jump_server(std::size_t number, bool is_forward, Step& step) {
    ++server_jumps_;
    step.text = fmt::format("{}'s clock jumps {} by {:g} s", name_of_server(number),
                            is_forward ? "forward" : "back", kJumpMilliseconds / 1e3);
    wire_.jump_server(number, std::int64_t{is_forward ? 1 : -1} * kJumpMilliseconds * kMillisecond);
    look_at_keys(step.effect);
}

void WireRun::cut_off(std::size_t index, std::size_t server, Step& step) {
    ++cuts_;
    step.text = name_of_caller(index) + " no longer reaches " + name_of_server(server);
    cut({index}, server, step, [&] { wire_.cut_off(index, server); });
}

void WireRun::reach_again(std::size_t index, std::size_t server, Step& step) {
    step.text = name_of_caller(index) + " reaches " + name_of_server(server) + " again";
    wire_.reach_again(index, server);
    step.effect.events |= StepEffect::kOfDone;
    write_reaches({index}, server, step);
}

// Who asks at the end reaches everybody.
void WireRun::mend(Look how) {
    if (wire_.mend() && how != Look::kSearching) {
        show_in_look({0, ActionKind::kDisturb, kServerStarts}, "every server is there again", "");
    }
    if (wire_.bring_replicas_up() && how != Look::kSearching) {
        show_in_look({0, ActionKind::kBackground, kReceives}, "every change arrives", "");
    }
}

}  // namespace lockkeeper::wire
