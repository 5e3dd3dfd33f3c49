// SPDX-License-Identifier: Apache-2.0

// Crashes: what goes with a process, and which places nobody may ever give back.
#include <algorithm>

#include "validate/programs/black_box_run.hpp"

namespace lockkeeper {

bool BlackBoxRun::may_crash() const {
    return crashes_ < world_.world.crashes_max && operations_ > 0;
}

// Of somebody who has something to lose, or something to do.
void BlackBoxRun::crash() {
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        const std::size_t process = programs_.process_of(i);
        const bool matters = is_calling(i) || !callers_[i].held.empty() || !callers_[i].done;
        if (matters && (candidates.empty() || candidates.back() != process)) {
            candidates.push_back(process);
        }
    }
    ++crashes_;
    tally_.events |= kCrashed;
    kill(candidates.size() > 1
             ? candidates[random_.below(static_cast<std::uint32_t>(candidates.size()))]
             : candidates.front());
}

void BlackBoxRun::kill(std::size_t process) {
    const CrashTakes takes =
        world_.crash_takes.value_or(programs_.crash_takes().value_or(CrashTakes::kLocks));
    std::vector<bool> calling;
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        calling.push_back(programs_.is_of(process, i) && is_calling(i));
    }
    programs_.at(process).kill();
    std::erase_if(calls_, [&](const auto& entry) {
        const Call& call = entry.second;
        if (entry.first.first != process) {
            return false;
        }
        record(HistoryType::kInfo, callers_[call.caller].process, call.operation, nullptr);
        ++tally_.answers.indefinite_answers;
        if (call.operation.verb == Verb::kAcquire) {
            doubt(call.caller, {call.operation, std::nullopt, std::nullopt});
        } else if (call.operation.verb == Verb::kRelease && call.subject) {
            doubt(call.caller, *call.subject);
        }
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
    caller.held.clear();
    caller.process = world_.world.callers[index].name + "/" + std::to_string(++caller.lives);
    caller.refusals = 0;
    caller.retries_at.reset();
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

std::uint32_t BlackBoxRun::believed_count(std::uint8_t key, const Caller* without) const {
    std::uint32_t count = 0;
    for (const Caller& caller : callers_) {
        if (&caller == without) {
            continue;
        }
        for (const BelievedHolding& holding : caller.held) {
            count += holding.operation.key == key && believes(holding) ? 1U : 0U;
        }
    }
    return count;
}

}  // namespace lockkeeper
