// SPDX-License-Identifier: Apache-2.0

// One run of a lock beside its logs: where each source has been read to, what each caller is doing,
// and the model's state. Used by the search (search.hpp), which tries every step, and by the words,
// which take the steps of one run again.
//
//   caller:  idle --call--> open --served--> served --answer--> idle
//            idle --call--> answering --answer--> idle      the answer decides nothing
//
// Lines that only a caller knows (calls, answers of what was served) commute with everything that
// others do, so they are read at once and bound the times between which the operation is served:
// from its call, or the caller's line before it, to its answer. Steps are what touches the lock:
//
//   serve     an open operation is carried out, with the outcome that its answer tells
//   stray     an operation without a known answer is carried out: a time-out, a lost answer
//   line      a source's next line touches the lock: served, a state, an effect
//   hidden    an operation of which no line is there; always costs something
//   split     the open operation's call and answer belong to different operations; the first one
//             is carried out now, or never
//
// A call that is not followed by its own answer becomes a stray one: its caller has died, or the
// answer is missing; that costs nothing. Logs may begin in the middle: a caller's first line may be
// an answer, and callers may hold the lock from before all lines, which counts as a hidden
// operation that no line shows.
// Time only rises with steps that touch the lock; the earliest possible time is always the best,
// apart from leases that must still run (models/lease.hpp).
//
// Cost: lines that must have been lost, then hidden operations of a kind that no line shows, then
// effects of callers that do not hold.
#pragma once

#include <cstdint>
#include <vector>

#include "validate/logs/problem.hpp"

namespace lockkeeper::logs {

// kBusy: answering, and the operation, of which no call is there, has been carried out.
enum class Phase : std::uint8_t { kIdle, kOpen, kServed, kAnswering, kBusy };

struct CallerState {
    Phase phase = Phase::kIdle;
    bool has_call = false;  // open, answering: its call was read
    // The number of lines read last that say nothing about the lock, and nothing that came after
    // them has touched it: a hidden operation can still have been before each of them.
    std::uint8_t fresh = 0;
    std::uint16_t held = 0;  // models without time: units that the caller holds
    std::uint32_t next = 0;  // of its own lines
};

struct Stray {
    std::uint32_t caller = 0;
    LockCode code = LockCode::kAcquire;
    std::uint32_t line =
        0;  // of the caller's own: its call, or the last before it; from 1, 0: none
};

struct WalkState {
    std::vector<std::uint32_t> cursors;
    std::vector<CallerState> callers;
    std::vector<Stray> strays;
    std::int64_t now = kLongAgo;
    bool has_begun = false;  // something has touched the lock; before that, callers may hold it
    LockState lock;
};

// Ordered: what comes first counts most.
struct Cost {
    std::uint32_t lost = 0;
    std::uint32_t unseen = 0;
    std::uint32_t uncovered = 0;

    [[nodiscard]] constexpr std::uint64_t packed() const {
        return (std::uint64_t{lost} << 42U) | (std::uint64_t{unseen} << 21U) | uncovered;
    }
    [[nodiscard]] static constexpr Cost unpacked(std::uint64_t packed) {
        constexpr std::uint64_t kMask = (std::uint64_t{1} << 21U) - 1;
        return {static_cast<std::uint32_t>(packed >> 42U),
                static_cast<std::uint32_t>((packed >> 21U) & kMask),
                static_cast<std::uint32_t>(packed & kMask)};
    }
    friend bool operator==(const Cost&, const Cost&) = default;
};

enum class StepKind : std::uint8_t { kServe, kStray, kLine, kHidden, kSplit };
// kLine: whose operation the line shows.
enum class Whose : std::uint8_t {
    kNone,     // a state, or an effect of a holder
    kOpen,     // the caller's open operation
    kStray,    // one without a known answer
    kHidden,   // one of which there is no other line
    kOutside,  // an effect of a caller that does not hold
    kSplit,    // of an open operation that is split, the first
    kInitial,  // kHidden: the caller held the lock before all lines
};

struct Step {
    StepKind kind = StepKind::kServe;
    Whose whose = Whose::kNone;
    LockCode code = LockCode::kAcquire;
    bool is_refused = false;
    std::uint8_t gap = 0;      // hidden: so many of the caller's lines that were read come after it
    std::uint32_t number = 0;  // a caller; kStray: of the stray; kLine: a source

    friend bool operator==(const Step&, const Step&) = default;
};

// Told of a run that is taken again. Each call in the order of the run.
class WalkTold {
  public:
    virtual ~WalkTold() = default;
    virtual void read(Place line) = 0;  // a line of a caller, which touches nothing
    virtual void took(const Step& step, const WalkState& before, const WalkState& after,
                      std::int64_t latest) = 0;
    virtual void lost(std::uint32_t caller, LockCode code, Seen line) = 0;
    virtual void unanswered(std::uint32_t caller, LockCode code) = 0;  // a call
};

class Walk {
  public:
    explicit Walk(const Problem& problem) : problem_(problem) {}

    [[nodiscard]] WalkState first(Cost& cost, WalkTold* told = nullptr) const;
    [[nodiscard]] bool is_at_end(const WalkState& state) const;
    // False: some line ahead can never be read any more, whatever happens.
    [[nodiscard]] bool is_alive(const WalkState& state) const;

    [[nodiscard]] bool holds(const WalkState& state, std::uint32_t caller) const;
    // kNobody: of a state line that names nobody.
    [[nodiscard]] std::uint32_t caller_of(const WalkState& state, const Step& step) const;

    // Steps that may be possible; those that cost nothing, and those that cost lines.
    void free_steps(const WalkState& state, std::vector<Step>& out) const;
    void costly_steps(const WalkState& state, std::vector<Step>& out) const;

    enum class Taken : std::uint8_t { kYes, kNo, kNoRoom };
    // Leaves rubbish in `state` where it is no. `cost` grows by what the step costs.
    [[nodiscard]] Taken take(WalkState& state, const Step& step, Cost& cost,
                             WalkTold* told = nullptr) const;

    // Why the step is not possible, in words.
    [[nodiscard]] std::string refusal(const WalkState& state, const Step& step) const;

    // The window in which the step can be taken, as lines say.
    struct Window {
        std::int64_t earliest = kLongAgo;
        std::int64_t latest = kNever;
    };
    [[nodiscard]] Window window_of(const WalkState& state, const Step& step) const;
    [[nodiscard]] const Line* head(const WalkState& state, std::uint32_t source) const;

  private:
    // An operation that is carried out.
    struct Served {
        std::uint32_t caller = 0;
        LockCode code = LockCode::kAcquire;
        bool is_refused = false;
        Window window;
    };

    void read_lines(WalkState& state, Cost& cost, WalkTold* told) const;
    bool begin_without_call(WalkState& state, std::uint32_t caller, Cost& cost,
                            WalkTold* told) const;
    bool read_line(WalkState& state, std::uint32_t source, WalkTold* told) const;
    void read_call(WalkState& state, const Line& line, WalkTold* told) const;
    void open(WalkState& state, std::uint32_t caller, bool has_call) const;

    void lose(std::uint32_t caller, LockCode code, Seen line, Cost& cost, WalkTold* told) const;
    void lose_served(const WalkState& state, const Step& step, std::uint32_t caller, Cost& cost,
                     WalkTold* told) const;
    void pay_hidden(std::uint32_t caller, LockCode code, Cost& cost, WalkTold* told) const;
    // The lines that a server's log would have of it: nothing before its first line and behind its
    // last.
    [[nodiscard]] std::uint32_t served_weight(const WalkState& state, std::uint32_t caller,
                                              LockCode code, bool is_refused) const;

    [[nodiscard]] const Line& answer_of(const WalkState& state, std::uint32_t caller) const;
    [[nodiscard]] std::int64_t since(const WalkState& state, std::uint32_t caller,
                                     std::size_t lines_back) const;
    // `is_shown`: a line says when it was carried out, however long its answer took.
    [[nodiscard]] Window open_window(const WalkState& state, std::uint32_t caller,
                                     bool is_shown) const;
    [[nodiscard]] Window hidden_window(const WalkState& state, std::uint32_t caller,
                                       std::size_t gap) const;
    // A line of the caller and its answer are on both sides of the gap.
    [[nodiscard]] bool is_inside(const WalkState& state, std::uint32_t caller,
                                 std::size_t gap) const;
    // Refusals that are open and possible now happen before a step at this time: they change
    // nothing but their callers, so that later is never better. Not for leases, which they narrow.
    void refuse_early(WalkState& state, const Step& step, std::int64_t time, WalkTold* told) const;
    void split(WalkState& state, std::uint32_t caller, LockCode code, Cost& cost,
               WalkTold* told) const;
    [[nodiscard]] bool goes_on(const WalkState& state, std::uint32_t caller,
                               std::size_t line) const;
    [[nodiscard]] bool is_first(const WalkState& state, const Line& line) const;
    // An older piece of the source's log has more of this caller.
    [[nodiscard]] bool waits(const WalkState& state, std::uint32_t source,
                             std::uint32_t caller) const;
    [[nodiscard]] bool can_split(const WalkState& state, std::uint32_t caller) const;
    [[nodiscard]] bool is_ordered(const WalkState& state, Place place) const;
    void settle(WalkState& state, const Step& step, Place place, std::uint32_t caller,
                std::uint32_t behind) const;
    [[nodiscard]] bool can_hold_from_before(const WalkState& state, std::uint32_t caller) const;
    [[nodiscard]] static std::size_t first_stray(const WalkState& state, std::uint32_t caller,
                                                 LockCode code);
    // The caller's own line after which the step comes; from 1, 0: none.
    [[nodiscard]] std::uint32_t line_before(const WalkState& state, const Step& step) const;
    // A stray operation of which no call is there has begun by now: the caller is busy until the
    // line of its answer.
    void begin_stray(WalkState& state, std::uint32_t caller, LockCode code,
                     std::uint32_t line) const;
    // Whoever called before the place in the same source has no hidden operation before it now.
    void touch(WalkState& state, Place place) const;
    void line_steps(const WalkState& state, std::uint32_t source, bool costly,
                    std::vector<Step>& out) const;
    void hidden_steps(const WalkState& state, std::uint32_t caller, std::vector<Step>& out) const;

    // False: it would give back what another holds, where nobody can.
    [[nodiscard]] bool may_serve(const WalkState& state, const Served& served) const;
    [[nodiscard]] Taken serve(WalkState& state, const Served& served) const;
    [[nodiscard]] Taken refuse(WalkState& state, const Served& served) const;
    // The open operation's answer names a holder, and that one does not hold now.
    [[nodiscard]] bool names_another(const WalkState& state, std::uint32_t caller) const;
    [[nodiscard]] Taken take_line(WalkState& state, const Step& step, Cost& cost,
                                  WalkTold* told) const;
    [[nodiscard]] Taken take_state(WalkState& state, const Line& line, Window window) const;
    [[nodiscard]] Taken take_effect(WalkState& state, const Line& line, Window window) const;
    [[nodiscard]] Taken pass(WalkState& state, Window window) const;
    [[nodiscard]] LockOperation operation_of(const Served& served) const;

    const Problem& problem_;
};

}  // namespace lockkeeper::logs
