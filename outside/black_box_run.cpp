#include "outside/black_box_run.hpp"

#include <algorithm>

#include "model/check.hpp"

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
std::int64_t count_in(ChildProcess::Clock::time_point time) {
    return duration_cast<Unit>(time.time_since_epoch()).count();
}

}  // namespace

BlackBoxRun::BlackBoxRun(Program& program, const OutsideWorld& world, std::uint64_t seed,
                         std::uint64_t operations_max, std::function<Clock::time_point()> clock)
    : program_(program),
      world_(world),
      random_(seed),
      operations_max_(operations_max),
      clock_(std::move(clock)) {
    eagerness_ = 1 + random_.below(7);
    for (const CallerConfig& config : world.world.callers) {
        callers_.push_back({});
        callers_.back().process = config.name;
    }
    signals_.assign(world.world.signals.size(), 0);
}

bool BlackBoxRun::is_calling(std::size_t index) const {
    return std::any_of(calls_.begin(), calls_.end(),
                       [&](const auto& entry) { return entry.second.caller == index; });
}

void BlackBoxRun::pass_over(std::size_t index) {
    Caller& caller = callers_[index];
    const CallerConfig& config = world_.world.callers[index];
    std::erase_if(caller.held, [&](const BelievedHolding& holding) {
        return holding.until && count_in<milliseconds>(now_) >= *holding.until;
    });
    // A script that repeats for ever and passes over everything would never end here.
    for (std::size_t i = 0; i <= config.script.size() && !caller.done; ++i) {
        if (caller.pass_over_one(config)) {
            continue;
        }
        if (!caller.wakes_at || now_ < *caller.wakes_at) {
            return;
        }
        caller.wakes_at.reset();
        caller.advance(config);
    }
}

bool BlackBoxRun::can_begin(std::size_t index) const {
    const Caller& caller = callers_[index];
    if (caller.done || caller.wakes_at || is_calling(index) ||
        (caller.retries_at && now_ < *caller.retries_at)) {
        return false;
    }
    const Operation& operation = caller.upcoming(world_.world.callers[index]);
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
        first = std::min(
            first, caller.retries_at && *caller.retries_at > now_ ? *caller.retries_at : first);
    }
    return first;
}

void BlackBoxRun::record(HistoryType type, const Caller& caller, const Call& call,
                         const Message* answer) {
    Record record;
    record.type = type;
    record.process = caller.process;
    record.f = word_of(world_.world, call.operation);
    record.key = world_.world.keys[call.operation.key];
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
    record.time = count_in<nanoseconds>(clock_());
    record.index = static_cast<std::int64_t>(history_.records.size());
    history_.records.push_back(std::move(record));
}

// Takes the next operation of an idle caller; a call is then under way.
void BlackBoxRun::begin(std::size_t index) {
    Caller& caller = callers_[index];
    const CallerConfig& config = world_.world.callers[index];
    const Operation& operation = caller.upcoming(config);
    switch (operation.verb) {
        case Verb::kSignal:
            signals_[operation.signal] =
                std::min(signals_[operation.signal] + operation.amount, kSignalCountMax);
            caller.advance(config);
            return;
        case Verb::kWait:
            signals_[operation.signal] -= operation.keep ? 0U : operation.amount;
            caller.advance(config);
            return;
        case Verb::kSleep: caller.wakes_at = now_ + milliseconds(operation.number); return;
        case Verb::kExit:
            record_exit(caller);
            caller.done = true;
            return;
        case Verb::kAcquire:
        case Verb::kRelease:
        case Verb::kCall: begin_call(index); return;
        case Verb::kIfHolding: unreachable("conditions are passed over");
    }
}

void BlackBoxRun::begin_call(std::size_t index) {
    Caller& caller = callers_[index];
    const CallerConfig& config = world_.world.callers[index];
    Call call{index, caller.resolved(caller.upcoming(config), world_.world.views[view_]),
              std::nullopt};
    call.subject = caller.take_subject(call.operation);
    ++operations_;
    // The history says invoked before the program can know of it.
    record(HistoryType::kInvoke, caller, call, nullptr);
    calls_.emplace(say_operation(program_, world_.world, config.name, call.operation, call.subject),
                   call);
}

// The process is gone, with what it held; another one takes over its script.
void BlackBoxRun::die(std::size_t index) {
    Caller& caller = callers_[index];
    const CallerConfig& config = world_.world.callers[index];
    record_exit(caller);
    caller.held.clear();
    caller.process = config.name + "/" + std::to_string(++caller.lives);
    caller.advance(config);
}

void BlackBoxRun::finish_ok(Caller& caller, const Call& call, const Message& answer) {
    record(HistoryType::kOk, caller, call, &answer);
    if (call.operation.verb == Verb::kAcquire) {
        caller.held.push_back({call.operation, answer.until, answer.token});
    } else if (call.operation.verb == Verb::kCall && answer.until) {
        for (BelievedHolding& holding : caller.held) {
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
    const CallerConfig& config = world_.world.callers[call.caller];
    const std::string word = word_of(world_.world, call.operation);
    const bool failed = answer.kind == MessageKind::kError;
    if (answer.dest != config.name || (!failed && answer.type != word + "_ok")) {
        throw Misbehaved(Misbehaviour::kNonsense,
                         quoted_piece(answer.type, 40) + " to " + quoted_piece(answer.dest, 40) +
                             " where " + word + "_ok to \"" + config.name + "\" was due");
    }
    if (!failed) {
        finish_ok(caller, call, answer);
        caller.advance(config);
        return;
    }
    refuse_unsupported(answer, word);
    const bool definite = is_definite_error(answer.code);
    record(definite ? HistoryType::kFail : HistoryType::kInfo, caller, call, &answer);
    if (!definite) {
        die(call.caller);
        return;
    }
    const bool lost = answer.code == kErrorNotHeld;
    if (call.operation.verb == Verb::kRelease && call.subject && !lost) {
        caller.held.push_back(*call.subject);
    } else if (call.operation.verb == Verb::kCall && lost) {
        std::erase_if(caller.held, [&](const BelievedHolding& holding) {
            return holding.operation.key == call.operation.key;
        });
    }
    const bool again = call.operation.verb == Verb::kAcquire && call.operation.until_acquired;
    caller.retries_at = again ? std::optional(now_ + kRetryPause) : std::nullopt;
    caller.advance(config, again ? 0 : 1);
}

void BlackBoxRun::wait_for_an_answer(bool others_are_ready) {
    const Clock::time_point last =
        std::max(now_, ChildProcess::after(program_.options().answer_seconds, last_answer_));
    const Clock::time_point deadline =
        std::min(others_are_ready ? now_ + kPatience : last, next_wake());
    const auto answer = program_.next_until(deadline);
    now_ = clock_();
    if (answer) {
        last_answer_ = now_;
        finish(*answer);
    } else if (!calls_.empty() && !others_are_ready && now_ >= last) {
        const Call& call = calls_.begin()->second;
        throw Misbehaved(Misbehaviour::kHung,
                         word_of(world_.world, call.operation) + " of " +
                             world_.world.callers[call.caller].name + " has no answer for " +
                             answer_time_text(program_.options().answer_seconds));
    }
}

void BlackBoxRun::kill_and_restart() {
    ++crashes_;
    program_.kill();
    for (const auto& [id, call] : calls_) {
        record(HistoryType::kInfo, callers_[call.caller], call, nullptr);
        die(call.caller);
    }
    calls_.clear();
    program_.start();
}

void BlackBoxRun::run() {
    program_.start();
    last_answer_ = clock_();
    for (;;) {
        program_.check_time();
        now_ = clock_();
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
            last_answer_ = now_;
        } else {
            wait_for_an_answer(!able.empty());
        }
    }
}

}  // namespace lockkeeper
