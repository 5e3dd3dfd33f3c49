// SPDX-License-Identifier: Apache-2.0

// Where a search does not try everything: whose turn it is and what is read, by chance, by
// priorities, or as a line says that an earlier run has printed.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/base/random.hpp"
#include "scheduler/runs/strategy.hpp"
#include "validate/threads/graph/event.hpp"

namespace lockkeeper::threads {

class Search;

// Search calls begin() before each run, then turn() before each event, option() where the event has
// several ways, and done() behind it.
class Choices {
  public:
    Choices() = default;
    Choices(const Choices&) = delete;
    Choices& operator=(const Choices&) = delete;
    virtual ~Choices() = default;
    // False: there is no other run.
    virtual bool begin() = 0;
    // One of these; there is at least one.
    virtual Thread turn(std::span<const Thread> threads) = 0;
    // The index of one of these: places of a modification order from the newest, or what a choice
    // may be from the usual.
    virtual std::size_t option(std::span<const std::uint32_t> options) = 0;
    virtual void done() {}
    // The thread has gone round a loop of several events that has changed nothing: others first.
    virtual void gives_way(Thread) {}
    // It says itself when a thread begins to wait, which else waits only for what does not come.
    [[nodiscard]] virtual bool is_script() const { return false; }
    // A script has more events of this thread.
    [[nodiscard]] virtual bool goes_on(Thread) const { return false; }
};

// Each thread that can go on, and each way, as likely as the other; the newest store in half of the
// loads.
class RandomChoices : public Choices {
  public:
    RandomChoices(std::uint64_t seed, std::uint64_t runs) : seed_(seed), runs_(runs) {}
    bool begin() override;
    Thread turn(std::span<const Thread> threads) override;
    std::size_t option(std::span<const std::uint32_t> options) override;

  protected:
    Random& random() { return random_; }

  private:
    std::uint64_t seed_;
    std::uint64_t runs_;
    std::uint64_t run_ = 0;
    Random random_;
};

// Gives the turn by the priorities of probabilistic concurrency testing (PctStrategy). Who has gone
// round often and changed nothing has the least priority from then on: else two that poll under a
// mutex could starve all others. Not at once: who is preferred sees what it waits for before
// anybody else goes on.
class PctChoices : public RandomChoices {
  public:
    PctChoices(std::uint64_t seed, std::uint64_t runs, std::uint32_t depth)
        : RandomChoices(seed, runs), depth_(depth) {}
    bool begin() override;
    Thread turn(std::span<const Thread> threads) override;
    void gives_way(Thread thread) override;

  private:
    std::array<std::uint32_t, kThreadsMax> rounds_{};  // by thread: how often it gave way
    std::uint32_t depth_;
    std::uint32_t turns_ = 0;
    std::uint32_t turns_max_ = 16;  // of the runs so far
    PctStrategy priorities_{1, 1};
};

// "threads1:c11:aab1c": a letter for each event, which thread does it, and a number where it is not
// the usual one: a place of the modification order behind which is read or written, or what is
// chosen.
struct RunLine {
    struct Step {
        Thread thread = 0;
        std::optional<std::uint32_t> number;
    };
    Model model = Model::kC11;
    bool merges_barriers = false;  // "c11m": each arrival at a barrier is a word of its own
    std::vector<Step> steps;
};
// Nothing: it is no such line.
[[nodiscard]] std::optional<RunLine> parse_run_line(std::string_view text);
// The run of the search that was done last, its events in this order. `last`: who found something
// behind its last event.
[[nodiscard]] std::string run_line(const Search& search, std::span<const EventId> order,
                                   Thread last, bool merges_barriers = false);

class ScriptedChoices : public Choices {
  public:
    explicit ScriptedChoices(RunLine line) : line_(std::move(line)) {}
    bool begin() override;
    Thread turn(std::span<const Thread> threads) override;
    std::size_t option(std::span<const std::uint32_t> options) override;
    void done() override { ++at_; }
    [[nodiscard]] bool is_script() const override { return true; }
    [[nodiscard]] bool goes_on(Thread thread) const override;
    // The program has done what the line does not say.
    [[nodiscard]] bool is_another_program() const { return is_another_program_; }

  private:
    RunLine line_;
    std::size_t at_ = 0;
    bool has_begun_ = false;
    bool is_another_program_ = false;
};

}  // namespace lockkeeper::threads
