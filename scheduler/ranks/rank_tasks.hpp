// SPDX-License-Identifier: Apache-2.0

// Work that the first rank has the others do: it alone runs the command, decides and tells; the
// others know nothing but what they are asked. A piece of work depends on its number alone, so who
// does it changes nothing.
//
// A task is one such work (the runs of one `fuzz`, say): it is opened with what it is about, has
// questions and answers, and is closed. One task at a time. A rank that ends in its midst is
// RanksParted on the others.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/ranks/helpers.hpp"
#include "scheduler/ranks/ranks.hpp"

namespace lockkeeper {

enum class RankTaskKind : std::uint8_t { kFuzz, kSample, kLearn, kSplit, kSweep };

// The pieces of one rank, out of so many: [first, end). The first rank has the first piece.
struct RankShare {
    std::size_t first = 0;
    std::size_t end = 0;

    [[nodiscard]] std::size_t size() const { return end - first; }
};
[[nodiscard]] RankShare share_of(std::size_t pieces, std::size_t rank, std::size_t ranks);

// The beginning of a question about a share.
struct PiecesAsked {
    std::uint64_t first = 0;  // its number
    std::uint64_t count = 0;
    double seconds_left = 0;  // then whoever is asked stops, and says so
};

// On the first rank, which is asked nothing.
class RankTask {
  public:
    RankTask(const Helpers& helpers, RankTaskKind kind, const RankMessage& about);
    RankTask(const RankTask&) = delete;
    RankTask& operator=(const RankTask&) = delete;
    // Takes the answers that are still owed, and closes.
    ~RankTask();

    [[nodiscard]] std::size_t ranks_count() const { return ranks_.count(); }
    // Each question has one answer, and until then no other.
    void ask(std::size_t rank, const RankMessage& question);
    [[nodiscard]] RankMessage answer_of(std::size_t rank);

    // Each rank has its share of `pieces`, the first of which has number `first`. Asks the others
    // (more(rank, out) writes behind PiecesAsked) and returns how many are the first rank's own.
    using AskMore = std::function<void(std::size_t, MessageWriter&)>;
    [[nodiscard]] std::size_t ask_for_shares(std::uint64_t first, std::size_t pieces,
                                             double seconds_left, const AskMore& more = {});
    // The answers, each a piece behind the other: calls take(piece, in) for all but its own.
    void take_shares(std::size_t pieces,
                     const std::function<void(std::size_t, MessageReader&)>& take);

    // From anybody, if one has come; else it has waited a moment.
    [[nodiscard]] std::optional<RankLetter> any_answer();
    [[nodiscard]] bool is_owed() const;

  private:
    // Without the number of its task. Nothing: what a task before has left behind.
    [[nodiscard]] std::optional<RankMessage> answer_in(const RankMessage& message) const;

    Ranks& ranks_;
    std::uint64_t number_;    // each answer has it: a task that ended early may leave some behind
    std::vector<bool> owes_;  // an answer
};
// Nobody is asked anything any more: the others return from follow().
void dismiss_others(Ranks& ranks);

// On any other rank.
class FollowedTask {
  public:
    FollowedTask(Ranks& ranks, std::uint64_t number, RankTaskKind kind, std::string scope,
                 RankMessage about)
        : ranks_(ranks),
          number_(number),
          kind_(kind),
          scope_(std::move(scope)),
          about_(std::move(about)) {}

    [[nodiscard]] RankTaskKind kind() const { return kind_; }
    [[nodiscard]] const std::string& scope() const { return scope_; }  // see Helpers
    [[nodiscard]] const RankMessage& about() const { return about_; }

    // Nothing: the task is closed.
    [[nodiscard]] std::optional<RankMessage> next_question();
    void answer(const RankMessage& answer);

  private:
    Ranks& ranks_;
    std::uint64_t number_;
    RankTaskKind kind_;
    std::string scope_;
    RankMessage about_;
};
// Does one task after the other, until the first rank dismisses all. `work` goes on until there is
// no next question. `is_in_task`, where somebody wants to know: what is owed at the moment.
void follow(Ranks& ranks, const std::function<void(FollowedTask&)>& work,
            bool* is_in_task = nullptr);

}  // namespace lockkeeper
