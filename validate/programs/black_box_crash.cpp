// SPDX-License-Identifier: Apache-2.0

// Crashes: the losses that go with a process, and the places that nobody may ever give back.
#include <algorithm>

#include "validate/programs/black_box_run.hpp"

namespace lockkeeper {

bool BlackBoxRun::may_crash() const {
    return crashes_ < world_.world.crashes_max && operations_ > 0;
}

// Kills the process of a caller that has something to lose, or something to do.
void BlackBoxRun::crash() {
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        const std::size_t process = programs_.process_of(i);
        const bool matters = callers_[i].calling || !callers_[i].held.empty() || !callers_[i].done;
        if (matters && (candidates.empty() || candidates.back() != process)) {
            candidates.push_back(process);
        }
    }
    ++crashes_;
    ledger_.tally.events |= kCrashed;
    kill(candidates.size() > 1
             ? candidates[random_.below(static_cast<std::uint32_t>(candidates.size()))]
             : candidates.front());
}

void BlackBoxRun::kill(std::size_t process) {
    const CrashTakes takes =
        world_.crash_takes.value_or(programs_.crash_takes().value_or(CrashTakes::kLocks));
    std::vector<bool> calling;
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        calling.push_back(programs_.is_of(process, i) && callers_[i].calling);
    }
    programs_.at(process).kill();
    std::erase_if(calls_, [&](const auto& entry) {
        const Call& call = entry.second;
        if (entry.first.first != process) {
            return false;
        }
        const Caller& caller = callers_[call.caller];
        record(HistoryType::kInfo, caller.process, caller.operation, nullptr);
        ++ledger_.tally.answers.indefinite_answers;
        doubt_call(call.caller, caller.operation, caller.subject);
        return true;
    });
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        const bool lost = programs_.is_of(process, i) && takes != CrashTakes::kNothing &&
                          !callers_[i].held.empty();
        if (calling[i] || lost) {
            die(i);
        }
        if (calling[i]) {
            callers_[i].advance(world_.world.callers[i]);
        }
    }
    if (takes == CrashTakes::kLocks) {
        forget_doubts(process);
    }
    programs_.at(process).start();
}

// The caller's process is gone, with what it believed; another one goes on with its script.
void BlackBoxRun::die(std::size_t index) {
    Caller& caller = callers_[index];
    record_exit(caller);
    for (const BelievedHolding& holding : caller.held) {
        if (!holding.given_up) {
            doubt(index, holding);
        }
    }
    ledger_.crash(index);
    caller.dead = false;  // another process goes on
    caller.process = world_.world.callers[index].name + "/" + std::to_string(++caller.lives);
    caller.refusals = 0;
    caller.retries_at.reset();
}

// The call ended without saying whether it has happened.
void BlackBoxRun::doubt_call(std::size_t index, const Operation& operation,
                             const std::optional<BelievedHolding>& subject) {
    if (operation.verb == Verb::kAcquire) {
        doubt(index, {operation, std::nullopt, std::nullopt});
    } else if (operation.verb == Verb::kRelease && subject) {
        doubt(index, *subject);
    }
}

void BlackBoxRun::doubt(std::size_t index, const BelievedHolding& holding) {
    doubts_.push_back({programs_.process_of(index), holding.operation.key, holding.until});
}

void BlackBoxRun::forget_doubts(std::size_t process) {
    std::erase_if(doubts_, [&](const Doubt& doubt) {
        if (doubt.process == process && doubt.until) {
            std::int64_t& until = gone_until_.try_emplace(doubt.key, *doubt.until).first->second;
            until = std::max(until, *doubt.until);
        }
        return doubt.process == process;
    });
}

}  // namespace lockkeeper
