// One schedule of a program at the black-box level. Used by run_black_box only.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "histories/recorded.hpp"
#include "model/random.hpp"
#include "outside/program.hpp"
#include "outside/script_place.hpp"

namespace lockkeeper {

class BlackBoxRun {
  public:
    using Clock = ChildProcess::Clock;

    // All must outlive the run. The program is started by run(). `clock`: for who tests what
    // happens between two looks at it.
    BlackBoxRun(Program& program, const OutsideWorld& world, std::uint64_t seed,
                std::uint64_t operations_max,
                std::function<Clock::time_point()> clock = Clock::now);

    // Until every script has ended, or operations_max calls were made. Throws Misbehaved, and
    // Stopped; what was recorded until then is a history like any other.
    void run();

    [[nodiscard]] RecordedHistory take_history() { return std::move(history_); }
    [[nodiscard]] std::uint64_t operations() const { return operations_; }
    [[nodiscard]] std::uint64_t crashes() const { return crashes_; }

  private:
    struct Caller : ScriptPlace {
        std::string process;
        std::uint32_t lives = 1;
        std::optional<Clock::time_point> wakes_at;
        std::optional<Clock::time_point> retries_at;
    };
    struct Call {
        std::size_t caller = 0;
        Operation operation;
        std::optional<BelievedHolding> subject;
    };

    void pass_over(std::size_t index);
    [[nodiscard]] bool is_calling(std::size_t index) const;
    [[nodiscard]] bool can_begin(std::size_t index) const;
    [[nodiscard]] std::vector<std::size_t> ready() const;
    [[nodiscard]] bool all_done() const;
    [[nodiscard]] Clock::time_point next_wake() const;
    void begin(std::size_t index);
    void begin_call(std::size_t index);
    void finish(const Message& answer);
    void finish_ok(Caller& caller, const Call& call, const Message& answer);
    void wait_for_an_answer(bool others_are_ready);
    void kill_and_restart();
    void die(std::size_t index);
    void record(HistoryType type, const Caller& caller, const Call& call, const Message* answer);
    void record_exit(const Caller& caller);
    void add_record(Record record);

    Program& program_;
    const OutsideWorld& world_;
    Random random_;
    std::uint64_t operations_max_;
    std::uint32_t eagerness_ = 4;  // of 8: how readily calls overlap
    std::vector<Caller> callers_;
    std::map<std::int64_t, Call> calls_;  // by msg_id
    std::vector<std::uint32_t> signals_;
    std::size_t view_ = 0;
    std::uint64_t operations_ = 0;
    std::uint64_t crashes_ = 0;
    std::function<Clock::time_point()> clock_;
    // Of the round under way: what falls due in the middle of a round is due in the next one.
    Clock::time_point now_;
    Clock::time_point last_answer_;
    RecordedHistory history_;
};

}  // namespace lockkeeper
