// SPDX-License-Identifier: Apache-2.0
#include "validate/programs/black_box_run.hpp"

#include <algorithm>

#include "model/check.hpp"
#include "validate/programs/black_box.hpp"

namespace lockkeeper {
namespace {

using std::chrono::milliseconds;

// The wait for an answer while another caller could begin: a call that waits for others must not
// keep them.
constexpr milliseconds kPatience{20};

}  // namespace

ProgramGroup::ProgramGroup(const ProgramOptions& options, bool one_each) : one_each_(one_each) {
    if (!one_each) {
        programs_.push_back(std::make_unique<Program>(options));
        return;
    }
    for (const std::string& caller : options.callers) {
        add(options, caller);
    }
}

void ProgramGroup::add(ProgramOptions options, const std::string& caller) {
    options.callers = {caller};
    programs_.push_back(std::make_unique<Program>(std::move(options)));
}

void ProgramGroup::start() {
    for (const auto& program : programs_) {
        program->start();
    }
}

void ProgramGroup::kill() {
    for (const auto& program : programs_) {
        program->kill();
    }
}

void ProgramGroup::stop_by(const StopRule& rule) {
    stop_ = rule;
    for (const auto& program : programs_) {
        program->stop_by(rule);
    }
}

std::size_t ProgramGroup::start_probe(const std::string& caller) {
    if (one_each_) {
        add(options(), caller);
        programs_.back()->stop_by(stop_);
        programs_.back()->start();
    }
    return programs_.size() - 1;
}

std::optional<ProgramGroup::Heard> ProgramGroup::next_until(Moment deadline) {
    using Clock = SteadyClock;
    if (programs_.size() == 1) {
        auto message = programs_.front()->next_until(deadline);
        return message ? std::optional(Heard{0, std::move(*message)}) : std::nullopt;
    }
    std::vector<ChildProcess*> children;
    for (const auto& program : programs_) {
        children.push_back(&program->child());
    }
    for (;;) {
        const bool late = Clock::now() >= deadline;
        ChildProcess::wait_for_any(children, deadline);
        for (std::size_t i = 0; i < programs_.size(); ++i) {
            const std::size_t process = (first_ + i) % programs_.size();
            if (auto message = programs_[process]->next_until(Clock::now())) {
                first_ = process + 1;
                return Heard{process, std::move(*message)};
            }
        }
        if (late) {
            return std::nullopt;
        }
    }
}

std::string ProgramGroup::last_words() const {
    for (const auto& program : programs_) {
        if (!program->last_words().empty()) {
            return program->last_words();
        }
    }
    return "";
}

BlackBoxRun::BlackBoxRun(ProgramGroup& programs, const OutsideWorld& world, std::uint64_t seed,
                         const Limits& limits, BlackBoxMeasures measures)
    : programs_(programs),
      world_(world),
      random_(seed),
      limits_(limits),
      ledger_(world, *this, Histories::kElsewhere),
      measures_(std::move(measures)) {
    eagerness_ = 1 + random_.below(7);
    for (const CallerConfig& config : world.world.callers) {
        callers_.push_back({});
        callers_.back().process = config.name;
    }
    signals_.assign(world.world.signals.size(), 0);
}

std::int64_t BlackBoxRun::milliseconds_now() const {
    return std::chrono::duration_cast<milliseconds>(now_.time_since_epoch()).count();
}

bool BlackBoxRun::is_over(std::size_t /*caller*/, const BelievedHolding& holding) const {
    constexpr std::int64_t kError = kUntilError / kNanosecondsPerMillisecond;
    return holding.until && milliseconds_now() >= time_between(kError, *holding.until);
}

std::int64_t BlackBoxRun::time_left(std::size_t /*caller*/, const BelievedHolding& holding) const {
    return time_between(milliseconds_now(), *holding.until);
}

OutsideTally BlackBoxRun::tally() const {
    OutsideTally tally = ledger_.tally;
    tally.sees_lease_end = sees_end_;
    return tally;
}

bool BlackBoxRun::wakes(std::size_t index) {
    Caller& caller = callers_[index];
    const bool is_over = caller.wakes_at && now_ >= *caller.wakes_at;
    if (is_over) {
        caller.wakes_at.reset();
        ledger_.tally.events |= kTimePassed;
    }
    return is_over;
}

bool BlackBoxRun::can_begin(std::size_t index) const {
    const Caller& caller = callers_[index];
    if (caller.done || caller.wakes_at || caller.calling ||
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

bool BlackBoxRun::somebody_holds() const {
    return std::any_of(callers_.begin(), callers_.end(),
                       [](const Caller& caller) { return !caller.held.empty(); });
}

SteadyClock::time_point BlackBoxRun::next_wake() const {
    Clock::time_point first = Clock::time_point::max();
    for (const Caller& caller : callers_) {
        first = std::min(first, caller.wakes_at.value_or(first));
        first = std::min(
            first, caller.retries_at && *caller.retries_at > now_ ? *caller.retries_at : first);
    }
    return first;
}

// Takes the next operation of an idle caller; a call is then under way.
void BlackBoxRun::begin(std::size_t index) {
    Caller& caller = callers_[index];
    const CallerConfig& config = world_.world.callers[index];
    const Operation& operation = caller.upcoming(config);
    switch (operation.verb) {
        case Verb::kSignal:
        case Verb::kWait:
            pass_signal(operation, signals_);
            caller.advance(config);
            return;
        case Verb::kSleep: caller.wakes_at = now_ + milliseconds(operation.number); return;
        case Verb::kExit:
            die(index);
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
    const Operation operation = caller.resolved(caller.upcoming(config), world_.world.views[view_]);
    ++operations_;
    // The history records the call before the program can know of it.
    record(HistoryType::kInvoke, caller.process, operation, nullptr);
    ledger_.at_step(static_cast<std::uint32_t>(newest_record()));
    ledger_.call(index, operation);
    Call call{index, measures_.now(), {}};
    const std::size_t process = programs_.process_of(index);
    if (tells_ends_) {
        call.waits = waits(process);
    }
    const std::int64_t id =
        say_operation(programs_.at(process), world_.world, config.name, operation, caller.subject);
    calls_.emplace(CallId{process, id}, call);
}

void BlackBoxRun::wait_for_an_answer(bool others_are_ready) {
    const double answer_seconds = programs_.options().answer_seconds;
    const Clock::time_point last = std::max(now_, moment_after(answer_seconds, last_answer_));
    const Clock::time_point deadline =
        std::min(others_are_ready ? now_ + kPatience : last, next_wake());
    const auto heard = programs_.next_until(deadline);
    now_ = measures_.now();
    if (heard) {
        last_answer_ = now_;
        finish(*heard);
    } else if (!calls_.empty() && !others_are_ready && now_ >= last) {
        const Call& call = calls_.begin()->second;
        throw Misbehaved(Misbehaviour::kHung,
                         word_of(world_.world, callers_[call.caller].operation) + " of " +
                             world_.world.callers[call.caller].name + " has no answer for " +
                             answer_time_text(answer_seconds));
    }
}

void BlackBoxRun::run() {
    programs_.start();
    ledger_.begin(accounts_of(callers_));
    last_answer_ = measures_.now();
    for (;;) {
        programs_.check_time();
        now_ = measures_.now();
        ledger_.refresh([&](std::size_t index) { return wakes(index); });
        if (all_done() && may_crash() && somebody_holds()) {
            crash();
            continue;
        }
        if (all_done() || (operations_ >= limits_.operations_max && calls_.empty())) {
            ledger_.finish();
            return;
        }
        const bool may_begin = operations_ < limits_.operations_max;
        const std::vector<std::size_t> able = may_begin ? ready() : std::vector<std::size_t>{};
        if (may_crash() && random_.below(8) == 0) {
            crash();
            last_answer_ = measures_.now();
            continue;
        }
        if (view_ < world_.world.resizes_max() && random_.below(8) == 0) {
            ++view_;
            ledger_.saw(kResized);
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
