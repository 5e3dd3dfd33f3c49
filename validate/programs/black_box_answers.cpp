// SPDX-License-Identifier: Apache-2.0

// Takes the answers of programs into the history, the callers' beliefs and the counts.
#include <algorithm>

#include "validate/programs/black_box.hpp"
#include "validate/programs/black_box_run.hpp"

namespace lockkeeper {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// A refused caller asks again after a pause, which grows by a millisecond with every eighth refusal
// up to this one. The time that a lease claims beyond its end is short, so rare questions would
// miss it; frequent questions for a long time would use up the operations of a run.
constexpr milliseconds kRetryPauseMost{32};
constexpr std::uint32_t kRefusalsPerMillisecond = 8;

milliseconds retry_pause(std::uint32_t refusals) {
    return std::min(milliseconds(1 + refusals / kRefusalsPerMillisecond), kRetryPauseMost);
}

// `until` may be any number of milliseconds, but a history bounds its times.
std::int64_t as_time(std::int64_t until) {
    constexpr std::int64_t kMost = kTimeMax / kNanosecondsPerMillisecond;
    return std::clamp(until, -kMost, kMost) * kNanosecondsPerMillisecond;
}

std::int64_t as_time(SteadyClock::time_point time) {
    return duration_cast<nanoseconds>(time.time_since_epoch()).count();
}

std::string code_and_text(const Message& answer) {
    return std::to_string(answer.code) + " " + answer.text;
}

}  // namespace

void BlackBoxRun::record(HistoryType type, const std::string& process, const Operation& operation,
                         const Message* answer) {
    Record record;
    record.type = type;
    record.process = process;
    record.f = word_of(world_.world, operation);
    record.key = world_.world.keys[operation.key];
    if (type == HistoryType::kInvoke && operation.verb == Verb::kAcquire) {
        record.value.set("max_per", Datum::of(std::int64_t{operation.place_capacity}));
        record.value.set("buckets", Datum::of(std::int64_t{operation.places}));
    }
    if (answer != nullptr && answer->token) {
        record.value.set("token", Datum::of(*answer->token));
    }
    if (answer != nullptr && answer->until) {
        record.value.set("until", Datum::of(as_time(*answer->until)));
    }
    if (answer != nullptr && answer->kind == MessageKind::kError) {
        record.error = code_and_text(*answer);
    }
    add_record(std::move(record));
}

// The process is gone: a lock may give back its places of every key, then or later.
void BlackBoxRun::record_exit(const Caller& caller) {
    Record record;
    record.type = HistoryType::kInvoke;
    record.process = caller.process;
    record.f = "exit";
    add_record(std::move(record));
}

void BlackBoxRun::add_record(Record record) {
    record.time = as_time(measures_.now());
    record.index = static_cast<std::int64_t>(history_.records.size());
    history_.records.push_back(std::move(record));
}

void BlackBoxRun::note(PropertyNumber property, std::string reason,
                       std::vector<std::size_t> records) {
    if (const Property* checked = world_.checked(property)) {
        findings_.push_back(finding_of(*checked, std::move(reason), std::move(records)));
    }
}

ProcessorWaits BlackBoxRun::waits(std::size_t process) {
    return measures_.waits({programs_.at(process).child().id()});
}

// The program certainly wrote the answer after its call, and after the last look that found nothing
// to read, however late this process read it. If the program had to wait for a processor meanwhile,
// that much of its lateness is the machine's.
void BlackBoxRun::judge_return(const Call& call, const Operation& operation,
                               const ProgramGroup::Heard& heard) {
    if (!heard.message.until) {
        return;
    }
    tells_ends_ = true;
    const auto returned =
        std::max(as_time(call.invoked), as_time(programs_.at(heard.process).quiet_until()));
    const std::int64_t late = returned - as_time(*heard.message.until);
    if (late <= kUntilError ||
        late - kUntilError <= longest_wait(call.waits, waits(heard.process)).count()) {
        return;
    }
    const std::string& process = callers_[call.caller].process;
    findings_.push_back(
        {nullptr,
         "expired on return",
         word_of(world_.world, operation) + " of " + process + " returned at least " +
             std::to_string(late / kNanosecondsPerMillisecond) + " ms after its own \"until\" " +
             "(record " + std::to_string(history_.records.size()) + ")",
         {history_.records.size() - 1}});
}

void BlackBoxRun::note_lease_end(std::uint8_t key, const Caller* asker) {
    const auto is_over = [&](std::uint8_t of, const std::optional<std::int64_t>& until) {
        return of == key && until && *until < milliseconds_now();
    };
    for (const Caller& caller : callers_) {
        for (const BelievedHolding& holding : caller.held) {
            sees_end_ =
                sees_end_ || (&caller != asker && is_over(holding.operation.key, holding.until));
        }
    }
    for (const Doubt& doubt : doubts_) {
        sees_end_ = sees_end_ || is_over(doubt.key, doubt.until);
    }
    if (const auto gone = gone_until_.find(key); gone != gone_until_.end()) {
        sees_end_ = sees_end_ || is_over(key, gone->second);
    }
}

void BlackBoxRun::finish_error(std::size_t index, const Operation& operation,
                               const Message& answer) {
    Caller& caller = callers_[index];
    const bool definite = is_definite_error(answer.code);
    ledger_.tally.events |= kFailed;
    if (answer.code == kErrorCrash) {
        note(PropertyNumber::kCallerDeath,
             word_of(world_.world, operation) + " of " + caller.process + " answered error " +
                 code_and_text(answer) + " (record " + std::to_string(history_.records.size()) +
                 ")",
             {newest_record()});
    }
    if (!definite) {
        die(index);
        return;
    }
    const bool again = operation.verb == Verb::kAcquire && operation.until_acquired;
    caller.retries_at = again ? std::optional(now_ + retry_pause(caller.refusals)) : std::nullopt;
    caller.refusals = again ? caller.refusals + 1 : 0;
}

void BlackBoxRun::finish(const ProgramGroup::Heard& heard) {
    const Message& answer = heard.message;
    if (!answer.in_reply_to) {
        throw Misbehaved(Misbehaviour::kNonsense,
                         "asks \"" + answer.type + "\", which belongs to the stepped level");
    }
    const auto found = calls_.find({heard.process, *answer.in_reply_to});
    if (found == calls_.end()) {
        throw Misbehaved(
            Misbehaviour::kWrongAnswer,
            "in_reply_to is " + std::to_string(*answer.in_reply_to) + ", which nobody waits for");
    }
    const Call call = found->second;
    calls_.erase(found);
    Caller& caller = callers_[call.caller];
    const Operation operation = caller.operation;
    const std::optional<BelievedHolding> subject = caller.subject;
    const std::string word = word_of(world_.world, operation);
    const bool failed = answer.kind == MessageKind::kError;
    refuse_stray(answer, word, world_.world.callers[call.caller].name);
    refuse_unsupported(answer, word);
    if (operation.verb == Verb::kAcquire) {
        note_lease_end(operation.key, &caller);
    }
    const Told told = told_by(answer, operation.verb);
    const bool is_unknown = told.kind == Told::Kind::kUnknown;
    // A caller that has called release has left its section, so its place may be granted.
    const bool has_left = operation.verb == Verb::kRelease && subject;
    record(!failed                  ? HistoryType::kOk
           : is_unknown || has_left ? HistoryType::kInfo
                                    : HistoryType::kFail,
           caller.process, operation, &answer);
    ledger_.decide(PropertyNumber::kCallerDeath);
    ledger_.at_step(static_cast<std::uint32_t>(newest_record()));
    ledger_.answer(call.caller, told);
    if (is_unknown) {
        doubt_call(call.caller, operation, subject);
    }
    tell_what_is_new();
    if (failed) {
        finish_error(call.caller, operation, answer);
    } else {
        caller.refusals = 0;
        judge_return(call, operation, heard);
    }
}

}  // namespace lockkeeper
