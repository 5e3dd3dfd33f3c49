// SPDX-License-Identifier: Apache-2.0

// Whether a reference that is driven step by step could have answered what the candidate did: for
// systems with clocks, whose calls take time, and for what goes wrong within a call. Used by
// against.cpp only.
//
// The reference runs beside the marks of the candidate's run: calls, their returns, faults, and
// instants. Between two marks it takes what steps it likes: of calls that the candidate has open,
// of its background, and of time, as far as the candidate's next instant. At a mark its time is the
// candidate's; a call has returned the same by the mark of its return; a death happens there; what
// went wrong in a call or beside it goes wrong there, too, or not. First it tries to do what the
// candidate did.
//
// Steps that end a sleep, pass a signal or go on with the clock concern nobody else and cannot come
// too early: the search does not try them later.
//
// Limits: so many states, beyond which a run is undecided; 64 steps of calls that went wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "validate/compare/against.hpp"

namespace lockkeeper::against {

struct Mark {
    enum class Kind : std::uint8_t {
        kCalled,    // `call` may begin from here on
        kReturned,  // it has returned by here
        kTime,      // it is `instant` here
        kHappens,   // the action happens here, too: a death, a resize
        kMayHappen  // or not: a disturbance
    };
    Kind kind = Kind::kCalled;
    std::size_t action = 0;  // index in ObservedRun::actions
    std::size_t call = 0;    // index in ObservedRun::calls
    std::int32_t instant = 0;
    Action taken;

    // The action of the run is what leads to this mark.
    [[nodiscard]] bool follows_its_action() const {
        return kind == Kind::kReturned || kind == Kind::kTime;
    }
};

// A step of the candidate that went wrong, within a call.
struct StepFault {
    std::size_t call = 0;
    std::uint16_t argument = 0;
};

struct Marks {
    std::vector<Mark> marks;
    std::vector<StepFault> faults;
    // By mark, one more than there are: the call that each caller has open before it.
    std::vector<std::vector<std::optional<std::size_t>>> open;
    std::vector<std::uint16_t> sleeps;   // from one instant to the next
    std::vector<std::int32_t> instants;  // by action: when it is over
};

[[nodiscard]] Marks marks_of(const ObservedRun& run);

class StepSearch {
  public:
    struct Compares {
        bool counts = false;
        bool units = false;   // of both at rest
        bool grants = false;  // what the servers' records of both say at rest
    };

    // `has_clock`: the last caller of the reference sleeps from one of the marks' instants to the
    // next. The run must outlive the search.
    StepSearch(const ErasedSystem& reference, bool has_clock, Compares compares,
               const ObservedRun& observed, const Marks& marks);

    [[nodiscard]] Explanation explain();

  private:
    static constexpr std::size_t kStatesMax = 20'000;
    static constexpr std::size_t kCallersAtMost = 64;
    static constexpr std::size_t kFaultsAtMost = 64;
    using State = ErasedSystem::State;
    using Mask = std::uint64_t;

    struct Node {
        State state;
        std::size_t mark = 0;   // that comes next
        Mask returned = 0;      // by caller: the call that is open beside the candidate's
        Mask faults = 0;        // that the reference has met
        std::size_t guide = 0;  // the candidate's action to be tried next; not part of the state
        std::int32_t now = kBeginning;
    };
    struct Mismatch {
        std::size_t mark = 0;
        Difference difference = Difference::kNone;
        std::string expected;
    };

    [[nodiscard]] bool is_new(const Node& node);
    [[nodiscard]] const Mark* next_mark(const Node& node) const;
    [[nodiscard]] std::optional<std::size_t> open_call(const Node& node, std::size_t caller) const;
    [[nodiscard]] bool has_returned(const Node& node, std::size_t caller) const {
        return (node.returned >> caller & 1U) != 0;
    }

    void expand(const Node& node);
    void pass_mark(const Node& node);
    [[nodiscard]] bool begin_call(Node& node, std::size_t call);
    void happen(const Node& node, Node next, const Mark& mark);
    [[nodiscard]] std::optional<Node> after(const Node& node, Action action);
    [[nodiscard]] bool meets_fault(Node& node, std::size_t call, Action action) const;
    [[nodiscard]] bool judge(Node& node, std::size_t call, const Event& event);
    void settle(Node& node);
    [[nodiscard]] std::optional<Action> imitate(const Node& node, const ActionList& possible,
                                                std::size_t& guide) const;
    [[nodiscard]] std::int32_t arrival(const Node& node, Action action) const;
    [[nodiscard]] bool may_take(const Node& node, Action action) const;

    [[nodiscard]] bool left_agrees(const Node& node);
    [[nodiscard]] bool ends_well(const Node& node);
    [[nodiscard]] bool is_at_rest_too(const Node& node);
    [[nodiscard]] bool is_stuck_too(const Node& node);
    void remember(const Node& node, std::size_t call, Difference difference,
                  const std::string& expected);
    [[nodiscard]] Explanation deepest() const;
    [[nodiscard]] Explanation explain_return(std::size_t call) const;

    const ErasedSystem& reference_;
    std::optional<std::uint8_t> clock_;
    Compares compares_;
    const ObservedRun& observed_;
    const Marks& marks_;
    std::vector<Node> open_;
    std::unordered_set<std::string> seen_;
    std::vector<Mismatch> mismatches_;  // by call
    std::optional<Node> deepest_;
    std::string at_end_ = "waits, here everybody has finished";  // what the reference does instead
    Difference at_end_kind_ = Difference::kWrong;
    bool meets_limit_ = false;
};

}  // namespace lockkeeper::against
