#include "outside/black_box_run.hpp"

#include <algorithm>

#include "model/check.hpp"
#include "scheduler/explore.hpp"

namespace lockkeeper {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// How long an answer is waited for while another caller could begin: a call that waits for others
// must not keep them.
constexpr milliseconds kPatience{20};
constexpr milliseconds kRetryPause{1};

template <class Unit>
std::int64_t now_in() {
    return duration_cast<Unit>(ChildProcess::Clock::now().time_since_epoch()).count();
}

}  // namespace

BlackBoxRun::BlackBoxRun(Program& program, const OutsideWorld& world, std::uint64_t seed,
                         std::uint64_t operations_max)
    : program_(program), world_(world), random_(seed), operations_max_(operations_max) {
    eagerness_ = 1 + random_.below(7);
    for (const CallerConfig& config : world.world.callers) {
        callers_.push_back({});
        callers_.back().process = config.name;
    }
    signals_.assign(world.world.signals.size(), 0);
}

std::string BlackBoxRun::word_of(const Operation& operation) const {
    return operation.verb == Verb::kCall ? world_.world.words[operation.word]
                                         : std::string(name_of(operation.verb));
}

bool BlackBoxRun::is_calling(std::size_t index) const {
    return std::any_of(calls_.begin(), calls_.end(),
                       [&](const auto& entry) { return entry.second.caller == index; });
}

void BlackBoxRun::advance(Caller& caller, std::size_t index, std::size_t by) {
    const CallerConfig& config = world_.world.callers[index];
    caller.next += by;
    if (caller.next >= config.script.size() && config.repeats_forever) {
        caller.next = 0;
    }
    caller.done = caller.next >= config.script.size();
}

void BlackBoxRun::pass_over(std::size_t index) {
    Caller& caller = callers_[index];
    std::erase_if(caller.held, [](const Holding& holding) {
        return holding.until && now_in<milliseconds>() >= *holding.until;
    });
    const auto& script = world_.world.callers[index].script;
    for (std::size_t i = 0; i <= script.size() && !caller.done; ++i) {
        const Operation& operation = script[caller.next];
        const bool holds = std::any_of(
            caller.held.begin(), caller.held.end(),
            [&](const Holding& holding) { return holding.operation.key == operation.key; });
        if (operation.verb == Verb::kIfHolding) {
            advance(caller, index, holds ? 1 : std::size_t{1} + operation.governs);
        } else if ((operation.verb == Verb::kRelease || operation.verb == Verb::kCall) && !holds &&
                   !operation.unchecked) {
            advance(caller, index, 1);
        } else if (caller.wakes_at && Clock::now() >= *caller.wakes_at) {
            caller.wakes_at.reset();
            advance(caller, index, 1);
        } else {
            return;
        }
    }
}

bool BlackBoxRun::can_begin(std::size_t index) const {
    const Caller& caller = callers_[index];
    if (caller.done || caller.wakes_at || is_calling(index) ||
        (caller.retries_at && Clock::now() < *caller.retries_at)) {
        return false;
    }
    const Operation& operation = world_.world.callers[index].script[caller.next];
    return operation.verb != Verb::kIfHolding &&
           (operation.verb != Verb::kWait || signals_[operation.signal] >= operation.amount);
}

std::vector<std::size_t> BlackBoxRun::ready() const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < callers_.size(); ++i) {
        if (can_begin(i)) {
            out.push_back(i);
        }
    }
    return out;
}

bool BlackBoxRun::all_done() const {
    return std::all_of(callers_.begin(), callers_.end(),
                       [](const Caller& caller) { return caller.done; }) &&
           calls_.empty();
}

ChildProcess::Clock::time_point BlackBoxRun::next_wake() const {
    Clock::time_point first = Clock::time_point::max();
    for (const Caller& caller : callers_) {
        first = std::min(first, caller.wakes_at.value_or(first));
        first = std::min(first, caller.retries_at && *caller.retries_at > Clock::now()
                                    ? *caller.retries_at
                                    : first);
    }
    return first;
}

void BlackBoxRun::record(HistoryType type, const Caller& caller, const Call& call,
                         const Message* answer) {
    Record record;
    record.type = type;
    record.process = caller.process;
    record.f = word_of(call.operation);
    record.key = world_.world.keys[call.operation.key];
    record.time = now_in<nanoseconds>();
    record.index = static_cast<std::int64_t>(history_.records.size());
    if (type == HistoryType::kInvoke && call.operation.verb == Verb::kAcquire) {
        record.value.set("max_per", Datum::of(std::int64_t{call.operation.max_per}));
        record.value.set("buckets", Datum::of(std::int64_t{call.operation.buckets}));
    }
    if (answer != nullptr && answer->token) {
        record.value.set("token", Datum::of(*answer->token));
    }
    if (answer != nullptr && answer->kind == MessageKind::kError) {
        record.error = std::to_string(answer->code) + " " + answer->text;
    }
    history_.records.push_back(std::move(record));
}

// Takes the next operation of an idle caller; a call is then under way.
void BlackBoxRun::begin(std::size_t index) {
    Caller& caller = callers_[index];
    const Operation& operation = world_.world.callers[index].script[caller.next];
    switch (operation.verb) {
        case Verb::kSignal:
            signals_[operation.signal] =
                std::min(signals_[operation.signal] + operation.amount, kSignalCountMax);
            advance(caller, index, 1);
            return;
        case Verb::kWait:
            signals_[operation.signal] -= operation.keep ? 0U : operation.amount;
            advance(caller, index, 1);
            return;
        case Verb::kSleep: caller.wakes_at = Clock::now() + milliseconds(operation.number); return;
        case Verb::kExit: caller.done = true; return;
        case Verb::kAcquire:
        case Verb::kRelease:
        case Verb::kCall: begin_call(index); return;
        case Verb::kIfHolding: unreachable("conditions are passed over");
    }
}

void BlackBoxRun::begin_call(std::size_t index) {
    Caller& caller = callers_[index];
    Call call{index, world_.world.callers[index].script[caller.next], std::nullopt};
    Operation& operation = call.operation;
    operation.buckets = operation.follows_resizes ? world_.world.views[view_] : operation.buckets;
    const auto last = std::find_if(caller.held.rbegin(), caller.held.rend(), [&](const auto& held) {
        return held.operation.key == operation.key;
    });
    if (operation.verb != Verb::kAcquire && last != caller.held.rend()) {
        call.subject = *last;
        operation.buckets = operation.follows_resizes && operation.verb == Verb::kRelease
                                ? last->operation.buckets
                                : operation.buckets;
        if (operation.verb == Verb::kRelease) {
            caller.held.erase(std::next(last).base());
        }
    }
    ++operations_;
    record(HistoryType::kInvoke, caller, call, nullptr);
    const bool is_word = operation.verb == Verb::kCall;
    // The history says invoked before the program can know of it.
    const std::int64_t id = program_.ask(
        world_.world.callers[index].name, word_of(operation), [&](MessageWriter& message) {
            message.add_text("key", world_.world.keys[operation.key]);
            if (!is_word) {
                message.add("max_per", operation.max_per).add("buckets", operation.buckets);
            } else if (operation.number != 0) {
                message.add("number", operation.number);
            }
            if (call.subject && call.subject->token) {
                message.add("token", *call.subject->token);
            }
        });
    calls_.emplace(id, call);
}

// The process is gone, with what it held; another one takes over its script.
void BlackBoxRun::die(Caller& caller, std::size_t index) {
    caller.held.clear();
    caller.process = world_.world.callers[index].name + "/" + std::to_string(++caller.lives);
    advance(caller, index, 1);
}

void BlackBoxRun::finish_ok(Caller& caller, const Call& call, const Message& answer) {
    record(HistoryType::kOk, caller, call, &answer);
    if (call.operation.verb == Verb::kAcquire) {
        caller.held.push_back({call.operation, answer.until, answer.token});
    } else if (call.operation.verb == Verb::kCall && answer.until) {
        for (Holding& holding : caller.held) {
            if (holding.operation.key == call.operation.key) {
                holding.until = answer.until;
            }
        }
    }
}

void BlackBoxRun::finish(const Message& answer) {
    if (is_question(answer.kind)) {
        throw Misbehaved(Misbehaviour::kNonsense,
                         "asks \"" + answer.type + "\", which belongs to the stepped level");
    }
    const auto found = calls_.find(*answer.in_reply_to);
    if (found == calls_.end()) {
        throw Misbehaved(
            Misbehaviour::kWrongAnswer,
            "in_reply_to is " + std::to_string(*answer.in_reply_to) + ", which nobody waits for");
    }
    const Call call = found->second;
    calls_.erase(found);
    Caller& caller = callers_[call.caller];
    const std::string& name = world_.world.callers[call.caller].name;
    const bool failed = answer.kind == MessageKind::kError;
    if (answer.dest != name || (!failed && answer.type != word_of(call.operation) + "_ok")) {
        throw Misbehaved(Misbehaviour::kNonsense, quoted_piece(answer.type, 40) + " to " +
                                                      quoted_piece(answer.dest, 40) + " where " +
                                                      word_of(call.operation) + "_ok to \"" + name +
                                                      "\" was due");
    }
    if (!failed) {
        finish_ok(caller, call, answer);
        advance(caller, call.caller, 1);
        return;
    }
    if (answer.code == kErrorNotSupported) {
        throw Misbehaved(Misbehaviour::kCannotStart,
                         "the program does not support an operation of the scenario: " +
                             quoted_piece(answer.text));
    }
    const bool definite = is_definite_error(answer.code);
    record(definite ? HistoryType::kFail : HistoryType::kInfo, caller, call, &answer);
    if (!definite) {
        die(caller, call.caller);
        return;
    }
    const bool lost = answer.code == kErrorNotHeld;
    if (call.operation.verb == Verb::kRelease && call.subject && !lost) {
        caller.held.push_back(*call.subject);
    } else if (call.operation.verb == Verb::kCall && lost) {
        std::erase_if(caller.held, [&](const Holding& holding) {
            return holding.operation.key == call.operation.key;
        });
    }
    const bool again = call.operation.verb == Verb::kAcquire && call.operation.until_acquired;
    caller.retries_at = again ? std::optional(Clock::now() + kRetryPause) : std::nullopt;
    advance(caller, call.caller, again ? 0 : 1);
}

void BlackBoxRun::wait_for_an_answer(bool others_are_ready) {
    const auto answer_time = duration_cast<Clock::duration>(
        std::chrono::duration<double>(program_.options().answer_seconds));
    const Clock::time_point last = std::max(last_answer_, Clock::now() - answer_time) + answer_time;
    const Clock::time_point deadline =
        std::min(others_are_ready ? Clock::now() + kPatience : last, next_wake());
    if (const auto answer = program_.next_until(deadline)) {
        last_answer_ = Clock::now();
        finish(*answer);
    } else if (!calls_.empty() && !others_are_ready && Clock::now() >= last) {
        const Call& call = calls_.begin()->second;
        throw Misbehaved(Misbehaviour::kHung,
                         word_of(call.operation) + " of " + world_.world.callers[call.caller].name +
                             " has no answer for " +
                             std::to_string(program_.options().answer_seconds) + " s");
    }
}

void BlackBoxRun::kill_and_restart() {
    ++crashes_;
    program_.kill();
    for (const auto& [id, call] : calls_) {
        record(HistoryType::kInfo, callers_[call.caller], call, nullptr);
        die(callers_[call.caller], call.caller);
    }
    calls_.clear();
    program_.start();
}

void BlackBoxRun::run() {
    program_.start();
    last_answer_ = Clock::now();
    while (!interrupt_requested()) {
        for (std::size_t i = 0; i < callers_.size(); ++i) {
            if (!is_calling(i)) {
                pass_over(i);
            }
        }
        if (all_done() || (operations_ >= operations_max_ && calls_.empty())) {
            return;
        }
        const bool may_begin = operations_ < operations_max_;
        const std::vector<std::size_t> able = may_begin ? ready() : std::vector<std::size_t>{};
        if (crashes_ < world_.world.crashes_max && operations_ > 0 && random_.below(8) == 0) {
            kill_and_restart();
            continue;
        }
        if (view_ < world_.world.resizes_max() && random_.below(8) == 0) {
            ++view_;
        }
        if (able.empty() && calls_.empty() && next_wake() == Clock::time_point::max()) {
            throw Misbehaved(Misbehaviour::kHung, "every caller waits for a signal");
        }
        if (!able.empty() && (calls_.empty() || random_.below(8) < eagerness_)) {
            begin(able[random_.below(static_cast<std::uint32_t>(able.size()))]);
            last_answer_ = Clock::now();
        } else {
            wait_for_an_answer(!able.empty());
        }
    }
}

}  // namespace lockkeeper
