// SPDX-License-Identifier: Apache-2.0

// What the programs answer: the record, the caller's belief, the counts.
#include <algorithm>

#include "validate/programs/black_box.hpp"
#include "validate/programs/black_box_run.hpp"

namespace lockkeeper {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// Who was refused asks again after this, and a millisecond later after every eighth refusal. What a
// lease claims beyond its end is short beside the lease, and asking seldom would miss it; asking
// often for long would use up the operations of a run.
constexpr milliseconds kRetryPauseMost{32};
constexpr std::uint32_t kRefusalsPerMillisecond = 8;

milliseconds retry_pause(std::uint32_t refusals) {
    return std::min(milliseconds(1 + refusals / kRefusalsPerMillisecond), kRetryPauseMost);
}

// Until a time in milliseconds that may be anything: a history bounds its times.
std::int64_t as_time(std::int64_t until) {
    constexpr std::int64_t kMost = kTimeMax / kNanosecondsPerMillisecond;
    return std::clamp(until, -kMost, kMost) * kNanosecondsPerMillisecond;
}

std::int64_t as_time(ChildProcess::Clock::time_point time) {
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

// The process is gone: a lock may give back what it held, of every key, then or later.
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

// The answer was written after its call, and after the last look that found nothing to read. So
// much is certain, however late this process got to reading it. Where the program had to wait for a
// processor in the meantime, that much of its lateness is the machine's.
void BlackBoxRun::judge_return(const Call& call, const ProgramGroup::Heard& heard) {
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
        {"expired on return",
         word_of(world_.world, call.operation) + " of " + process + " returned at least " +
             std::to_string(late / kNanosecondsPerMillisecond) + " ms after its own \"until\" " +
             "(record " + std::to_string(history_.records.size()) + ")",
         {history_.records.size() - 1}});
}

void BlackBoxRun::finish_ok(Caller& caller, const Call& call, const ProgramGroup::Heard& heard) {
    const Message& answer = heard.message;
    record(HistoryType::kOk, caller.process, call.operation, &answer);
    judge_return(call, heard);
    if (call.operation.verb == Verb::kAcquire) {
        grant(caller, call, answer);
    } else if (call.operation.verb == Verb::kRelease) {
        tally_.events |= kReleased;
        judge_release(caller, call);
    } else if (answer.until) {
        if (const auto held = caller.youngest(call.operation.key); held != caller.held.rend()) {
            held->until = answer.until;
        }
    }
}

void BlackBoxRun::note_lease_end(std::uint8_t key, const Caller* asker) {
    const auto is_over = [&](std::uint8_t of, const std::optional<std::int64_t>& until) {
        return of == key && until && *until < milliseconds_now();
    };
    bool& sees_end = tally_.sees_lease_end;
    for (const Caller& caller : callers_) {
        for (const BelievedHolding& holding : caller.held) {
            sees_end =
                sees_end || (&caller != asker && is_over(holding.operation.key, holding.until));
        }
    }
    for (const Doubt& doubt : doubts_) {
        sees_end = sees_end || is_over(doubt.key, doubt.until);
    }
    if (const auto gone = gone_until_.find(key); gone != gone_until_.end()) {
        sees_end = sees_end || is_over(key, gone->second);
    }
}

void BlackBoxRun::grant(Caller& caller, const Call& call, const Message& answer) {
    tally_.add_grant();
    if (answer.until) {
        constexpr std::int64_t kMost = kTimeMax / kNanosecondsPerMillisecond;
        tally_.add_lease(std::clamp(*answer.until, -kMost, kMost) - milliseconds_now());
    }
    caller.refusals = 0;
    BelievedHolding granted{call.operation, answer.until, answer.token};
    // By the records of the call and its answer: in whatever order answers are read, who called
    // after another had its answer was granted since.
    granted.window = {static_cast<std::uint32_t>(call.record),
                      static_cast<std::uint32_t>(newest_record())};
    caller.hold(granted, world_.world.callers[call.caller],
                [&](const BelievedHolding& holding) { return believes(holding); });
    note_overtaken(
        callers_.size(), [&](std::size_t i) -> ScriptPlace& { return callers_[i]; }, call.caller,
        [&](std::size_t /*of*/, const BelievedHolding& holding) { return believes(holding); });
}

// Who deletes without asking whose it is deletes what another has.
void BlackBoxRun::judge_release(const Caller& caller, const Call& call) {
    if (call.subject && call.subject->overtaken) {
        note(PropertyNumber::kFalseOk,
             "release of " + caller.process + " returned ok (record " +
                 std::to_string(newest_record() + 1) + ") although " +
                 history_.records[call.subject->overtaken_by].process + " acquired (record " +
                 std::to_string(call.subject->overtaken_by + 1) +
                 ") since its own acquire (record " +
                 std::to_string(call.subject->window.last + 1) + ")" +
                 (call.subject->operation.capacity() > 1 ? ", the last place of all" : ""),
             {call.subject->window.last, call.subject->overtaken_by, newest_record()});
    }
}

void BlackBoxRun::finish_error(const Call& call, const Message& answer) {
    Caller& caller = callers_[call.caller];
    const CallerConfig& config = world_.world.callers[call.caller];
    const std::string word = word_of(world_.world, call.operation);
    refuse_unsupported(answer, word);
    const bool definite = is_definite_error(answer.code);
    record(definite ? HistoryType::kFail : HistoryType::kInfo, caller.process, call.operation,
           &answer);
    tally_.add_error(call.operation.verb, answer.code);
    if (answer.code == kErrorCrash) {
        note(PropertyNumber::kCallerDeath,
             word + " of " + caller.process + " answered error " + code_and_text(answer) +
                 " (record " + std::to_string(history_.records.size()) + ")",
             {history_.records.size() - 1});
    }
    if (!definite) {
        if (call.operation.verb == Verb::kAcquire) {
            doubt(call.caller, {call.operation, std::nullopt, std::nullopt});
        } else if (call.operation.verb == Verb::kRelease && call.subject) {
            doubt(call.caller, *call.subject);
        }
        die(call.caller);
        caller.advance(config);
        return;
    }
    const bool lost = answer.code == kErrorNotHeld;
    if (call.operation.verb == Verb::kRelease && call.subject && !lost) {
        caller.held.push_back(*call.subject);
    } else if (call.operation.verb == Verb::kCall && lost) {
        lose(caller, call.operation.key);
    }
    const bool again = call.operation.verb == Verb::kAcquire && call.operation.until_acquired;
    caller.retries_at = again ? std::optional(now_ + retry_pause(caller.refusals)) : std::nullopt;
    caller.refusals = again ? caller.refusals + 1 : 0;
    caller.advance(config, again ? 0 : 1);
}

// The caller has been told of its youngest. Its script leaves out the release then.
void BlackBoxRun::lose(Caller& caller, std::uint8_t key) {
    if (const auto held = caller.youngest(key); held != caller.held.rend()) {
        held->given_up = true;
    }
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
    const CallerConfig& config = world_.world.callers[call.caller];
    const std::string word = word_of(world_.world, call.operation);
    const bool failed = answer.kind == MessageKind::kError;
    refuse_stray(answer, word, config.name);
    tally_.add_contended(call.meets_holder, call.meets_all_taken,
                         !failed || is_refusal(answer.code));
    if (call.operation.verb == Verb::kAcquire) {
        note_lease_end(call.operation.key, &caller);
    }
    if (failed) {
        finish_error(call, answer);
        return;
    }
    finish_ok(caller, call, heard);
    caller.advance(config);
}

}  // namespace lockkeeper
