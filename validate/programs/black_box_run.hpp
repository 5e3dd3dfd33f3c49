// SPDX-License-Identifier: Apache-2.0

// One schedule of programs at the black-box level, and the look at its end. Used by run_black_box
// only.
//
//   run()     until every script has ended
//   probe()   then, when everything is released or its holder is gone: a fresh caller acquires what
//             is free, within recovery_seconds
//
// A probe's expectation depends on what a crash takes with it (CrashTakes). Doubts are places that
// may be taken for ever without a holder: by a call without a definite end, or by a caller that is
// gone while its process lives on.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scheduler/base/random.hpp"
#include "validate/histories/recorded.hpp"
#include "validate/outside/ledger.hpp"
#include "validate/processes/processor_wait.hpp"
#include "validate/programs/black_box_result.hpp"
#include "validate/programs/calls.hpp"
#include "validate/programs/program.hpp"

namespace lockkeeper {

// The processes of a run: one for all callers, or one for each caller, which share nothing but the
// data directory. The probe has its own where callers have theirs.
class ProgramGroup {
  public:
    struct Heard {
        std::size_t process = 0;
        Message message;
    };

    ProgramGroup(const ProgramOptions& options, bool one_each);

    [[nodiscard]] std::size_t size() const { return programs_.size(); }
    [[nodiscard]] std::size_t process_of(std::size_t caller) const {
        return one_each_ ? caller : 0;
    }
    [[nodiscard]] bool is_of(std::size_t process, std::size_t caller) const {
        return process_of(caller) == process;
    }
    [[nodiscard]] Program& at(std::size_t process) { return *programs_[process]; }
    [[nodiscard]] const ProgramOptions& options() const { return programs_.front()->options(); }

    void start();
    void kill();
    void stop_by(const StopRule& rule);
    void check_time() const { programs_.front()->check_time(); }
    // Returns the process for the fresh caller; starts it where each caller has its own.
    [[nodiscard]] std::size_t start_probe(const std::string& caller);

    // The message of the process that speaks first, or nothing at the deadline.
    [[nodiscard]] std::optional<Heard> next_until(Moment deadline);

    [[nodiscard]] std::optional<CrashTakes> crash_takes() const {
        return programs_.front()->crash_takes();
    }
    // The last words on stderr of the first process that wrote any.
    [[nodiscard]] std::string last_words() const;

  private:
    void add(ProgramOptions options, const std::string& caller);

    bool one_each_;
    StopRule stop_;
    std::vector<std::unique_ptr<Program>> programs_;
    std::size_t first_ = 0;  // the process to hear next, so that none drowns out another
};

// Tests replace both, to decide what happens between two looks at the clock or on a busy machine.
struct BlackBoxMeasures {
    std::function<SteadyClock::time_point()> now = SteadyClock::now;
    std::function<ProcessorWaits(const std::vector<pid_t>&)> waits = processor_waits;
};

class BlackBoxRun : LedgerTime {
  public:
    using Clock = SteadyClock;

    struct Limits {
        std::uint64_t operations_max = 1'000;
        double recovery_seconds = 10;
    };

    // All must outlive the run. The programs are started by run().
    BlackBoxRun(ProgramGroup& programs, const OutsideWorld& world, std::uint64_t seed,
                const Limits& limits, BlackBoxMeasures measures = {});

    // Runs until every script has ended, or operations_max calls were made. Throws Misbehaved and
    // Stopped; the records until then are a history like any other.
    void run();
    // Throws the same.
    void probe();

    [[nodiscard]] RecordedHistory take_history() { return std::move(history_); }
    [[nodiscard]] const std::vector<BlackBoxFinding>& findings() const { return findings_; }
    [[nodiscard]] OutsideTally tally() const;
    [[nodiscard]] std::uint64_t operations() const { return operations_; }
    [[nodiscard]] std::uint64_t crashes() const { return crashes_; }

  private:
    struct Caller : Account {
        std::string process;
        std::uint32_t lives = 1;
        std::uint32_t refusals = 0;  // in a row
        std::optional<Clock::time_point> wakes_at;
        std::optional<Clock::time_point> retries_at;
    };
    struct Call {
        std::size_t caller = 0;
        Clock::time_point invoked;
        ProcessorWaits waits;  // of its program, until then
    };
    using CallId = std::pair<std::size_t, std::int64_t>;  // process, msg_id
    struct Doubt {
        std::size_t process = 0;
        std::uint8_t key = 0;
        std::optional<std::int64_t> until;
    };

    // black_box_run.cpp
    [[nodiscard]] bool wakes(std::size_t index);
    [[nodiscard]] bool can_begin(std::size_t index) const;
    [[nodiscard]] std::vector<std::size_t> ready() const;
    [[nodiscard]] bool all_done() const;
    [[nodiscard]] bool somebody_holds() const;
    [[nodiscard]] Clock::time_point next_wake() const;
    void begin(std::size_t index);
    void begin_call(std::size_t index);
    void wait_for_an_answer(bool others_are_ready);
    [[nodiscard]] std::int64_t milliseconds_now() const;
    [[nodiscard]] std::int64_t now() const override { return milliseconds_now(); }
    // True from the earliest moment at which the time may be over: until then it certainly is not.
    [[nodiscard]] bool is_over(std::size_t caller, const BelievedHolding& holding) const override;
    [[nodiscard]] std::int64_t time_left(std::size_t caller,
                                         const BelievedHolding& holding) const override;

    // black_box_answers.cpp
    void finish(const ProgramGroup::Heard& heard);
    // `asker`: null is the probe.
    void note_lease_end(std::uint8_t key, const Caller* asker);
    void finish_error(std::size_t index, const Operation& operation, const Message& answer);
    [[nodiscard]] std::size_t newest_record() const { return history_.records.size() - 1; }
    [[nodiscard]] ProcessorWaits waits(std::size_t process);
    void judge_return(const Call& call, const Operation& operation,
                      const ProgramGroup::Heard& heard);
    void record(HistoryType type, const std::string& process, const Operation& operation,
                const Message* answer);
    void record_exit(const Caller& caller);
    void add_record(Record record);
    void note(PropertyNumber property, std::string reason, std::vector<std::size_t> records);

    // black_box_words.cpp
    void tell_what_is_new();
    [[nodiscard]] std::string reason_of(const Property& violated,
                                        const std::vector<std::size_t>& records) const;
    [[nodiscard]] std::string who(std::size_t record) const;
    [[nodiscard]] std::string overlap_text(const std::vector<std::size_t>& records) const;
    [[nodiscard]] std::int64_t places_of(std::size_t answer) const;
    [[nodiscard]] std::string end_text(std::size_t record) const;
    [[nodiscard]] std::string tokens_text(const std::vector<std::size_t>& records) const;
    [[nodiscard]] std::string overtaken_text(const std::vector<std::size_t>& records) const;

    // black_box_crash.cpp
    [[nodiscard]] bool may_crash() const;
    void crash();
    void kill(std::size_t process);
    void die(std::size_t index);
    void doubt(std::size_t index, const BelievedHolding& holding);
    void doubt_call(std::size_t index, const Operation& operation,
                    const std::optional<BelievedHolding>& subject);
    void forget_doubts(std::size_t process);

    // black_box_probe.cpp
    enum class Probed : std::uint8_t { kAcquired, kRefused, kNobodyKnows };
    struct Expected {
        std::uint32_t places = 0;
        Clock::time_point deadline;
    };
    [[nodiscard]] std::optional<Expected> expected(std::uint8_t key, const Operation& view);
    // False: no further key can be probed.
    [[nodiscard]] bool probe_key(std::size_t process, const Operation& view);
    [[nodiscard]] Probed probe_acquires(std::size_t process, const Operation& view,
                                        Clock::time_point deadline,
                                        std::vector<BelievedHolding>& got);
    [[nodiscard]] std::optional<Message> ask_probe(std::size_t process, const Operation& operation,
                                                   const std::optional<BelievedHolding>& subject,
                                                   Clock::time_point deadline);
    void note_leak(const Operation& view, const Expected& expected, std::size_t first_try);

    ProgramGroup& programs_;
    const OutsideWorld& world_;
    Random random_;
    Limits limits_;
    std::uint32_t eagerness_ = 4;  // of 8: how readily calls overlap
    std::vector<Caller> callers_;
    std::map<CallId, Call> calls_;
    std::vector<std::uint32_t> signals_;
    std::vector<Doubt> doubts_;
    // By key: the last end of holdings that went with their process.
    std::map<std::uint8_t, std::int64_t> gone_until_;
    std::size_t view_ = 0;
    std::uint64_t operations_ = 0;
    std::uint64_t crashes_ = 0;
    Ledger ledger_;
    bool sees_end_ = false;    // a grant came to its end before another's answer
    bool tells_ends_ = false;  // an answer had `until`
    std::vector<BlackBoxFinding> findings_;
    BlackBoxMeasures measures_;
    // The moment of the round under way: an event due in the middle of a round waits for the next.
    Clock::time_point now_;
    Clock::time_point last_answer_;
    RecordedHistory history_;
};

}  // namespace lockkeeper
