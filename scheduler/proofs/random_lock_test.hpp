// SPDX-License-Identifier: Apache-2.0

// Small locks made at random, to compare proofs with plain enumeration. A lock is a table: what
// each step makes of what is shared, of the caller's record and of its label. Some tables are
// nonsense; some are a counter that takes and gives back, with a few entries changed.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "model/implementation.hpp"
#include "model/nothing_private.hpp"
#include "model/world_config.hpp"

namespace lockkeeper::testing_proofs {

template <std::uint8_t kStatesCount, std::uint8_t kMarksCount>
struct RandomTables : NothingPrivate<Defaults> {
    static constexpr std::uint8_t kStates = kStatesCount;
    static constexpr std::uint8_t kMarks = kMarksCount;
    static constexpr std::uint8_t kLabels = 4;  // 0: in no call

    using Size = WorldSize<8, 1, std::uint8_t, std::uint8_t, 1>;
    static constexpr std::uint32_t kFeatures = kShowsCounters | kHasCapacity | kShowsReferences;
    static constexpr Traits kTraits{.local_background = true, .by_record = true};
    struct Shared {
        std::uint8_t state;
    };
    struct Record {
        std::uint8_t mark;
    };
    struct Call {
        std::uint8_t at;
    };

    struct Entry {
        std::uint8_t state = 0;
        std::uint8_t mark = 0;
        std::uint8_t at = 0;
        Outcome outcome = Outcome::kContinues;
        std::uint32_t shows = 0;
    };
    struct Behind {  // a background step of a record
        bool is_there = false;
        std::uint8_t state = 0;
        std::uint8_t mark = 0;
    };
    struct Elsewhere {  // a background step of nobody's
        bool is_there = false;
        std::uint8_t state = 0;
        bool is_heard = false;
    };
    template <class Each>
    using ByMark = std::array<Each, kMarks>;
    template <class Each>
    using BySituation = std::array<ByMark<Each>, kStates>;

    std::array<BySituation<std::array<Entry, kLabels>>, 2> steps;  // of acquire, of release
    BySituation<Behind> background_steps;
    std::array<Elsewhere, kStates> steps_elsewhere;
    BySituation<std::uint8_t> mark_when_heard;
    BySituation<std::array<bool, kLabels>> is_blocked;
    ByMark<std::uint8_t> mark_of_dead;
    std::array<std::int8_t, kStates> counted;
    ByMark<std::uint8_t> references_of;
    std::uint8_t granted_from = kLabels;

    [[nodiscard]] Shared initial_shared() const { return {}; }
    void begin(const Operation&, Call& call) const { call.at = 1; }
    [[nodiscard]] bool blocked(const Shared& shared, const Record& record, const Call& call) const {
        return call.at > 0 && is_blocked[shared.state][record.mark][call.at];
    }
    Outcome step(Shared& shared, Record& record, Call& call, const Operation& operation,
                 Event& event) const {
        const std::size_t verb = operation.verb == Verb::kRelease ? 1 : 0;
        const Entry& entry = steps[verb][shared.state][record.mark][call.at];
        shared.state = entry.state;
        record.mark = entry.mark;
        call.at = entry.at;
        event.what |= entry.shows;
        return entry.outcome;
    }
    void background_of(const Shared& shared, const Record& record, std::size_t caller,
                       ActionList& out) const {
        if (background_steps[shared.state][record.mark].is_there) {
            out.add({static_cast<std::uint8_t>(caller), ActionKind::kBackground, 0});
        }
    }
    void background_elsewhere(const Shared& shared, ActionList& out) const {
        if (acts_elsewhere(shared)) {
            out.add({0, ActionKind::kBackground, 1});
        }
    }
    [[nodiscard]] bool acts_elsewhere(const Shared& shared) const {
        return steps_elsewhere[shared.state].is_there;
    }
    [[nodiscard]] static bool is_elsewhere(Action action) { return action.argument == 1; }
    bool apply_background(Shared& shared, Action, Event&) const {
        const Elsewhere& step = steps_elsewhere[shared.state];
        shared.state = step.state;
        return step.is_heard;
    }
    void hear(const Shared& shared, Record& record) const {
        record.mark = mark_when_heard[shared.state][record.mark];
    }
    void apply_background(Shared& shared, Record& record, Action, Event&) const {
        const Behind& step = background_steps[shared.state][record.mark];
        shared.state = step.state;
        record.mark = step.mark;
    }
    void on_death(const Shared&, Record& record) const { record.mark = mark_of_dead[record.mark]; }
    [[nodiscard]] bool idle(const Shared& shared) const { return !acts_elsewhere(shared); }
    [[nodiscard]] bool idle(const Shared& shared, const Record& record) const {
        return !background_steps[shared.state][record.mark].is_there;
    }
    [[nodiscard]] bool granted(const Call& call) const { return call.at >= granted_from; }
    void observe(const Shared& shared, Observation& out) const {
        const std::int32_t counter = counted[shared.state];
        out.keys[0].counters = {counter};
        out.keys[0].counted_least = out.keys[0].counted_most =
            static_cast<std::uint32_t>(std::max(counter, 0));
    }
    [[nodiscard]] std::uint32_t references(const Record& record, std::size_t) const {
        return references_of[record.mark];
    }
    [[nodiscard]] std::string describe_step(const Shared&, const Record&, const Call& call,
                                            const Operation&) const {
        return "step " + std::to_string(call.at);
    }
    [[nodiscard]] std::string describe_background(const Shared&, Records<const Record>,
                                                  Action) const {
        return "server";
    }
    [[nodiscard]] std::string show(const Shared& shared) const {
        return "state " + std::to_string(shared.state);
    }
};
struct RandomLock : RandomTables<5, 3> {};
static_assert(Implementation<RandomLock>);

// The same with a record of who holds what: who has the mark 1.
template <class Tables>
struct Granting : Tables {
    static constexpr std::uint32_t kFeatures = Tables::kFeatures | kShowsGrants;

    [[nodiscard]] static bool holds(const typename Tables::Shared&,
                                    const typename Tables::Record& record, std::size_t) {
        return record.mark == 1;
    }
};
struct RandomGrants : Granting<RandomLock> {};
static_assert(Implementation<RandomGrants>);

// The same where steps of nobody's are heard by everybody.
struct RandomTelling : RandomLock {};

// The same with virtual time, which waits for the late; everybody hears of it, who is inside of a
// call, too, and may be told of a loss.
template <class Tables>
struct Timed : Granting<Tables> {
    using Shared = typename Tables::Shared;
    using Record = typename Tables::Record;
    using Call = typename Tables::Call;
    using Elsewhere = typename Tables::Elsewhere;
    template <class Each>
    using ByMark = typename Tables::template ByMark<Each>;
    template <class Each>
    using BySituation = typename Tables::template BySituation<Each>;
    static constexpr Traits kTraits = Tables::kTraits.with(&Traits::waits_for_the_late);

    struct Passed {  // what time makes of a caller
        std::uint8_t mark = 0;
        bool is_lost = false;
    };
    BySituation<bool> is_late;
    std::array<Elsewhere, Tables::kStates> time;
    BySituation<Passed> passed;  // by the state after it
    ByMark<std::array<std::uint8_t, Tables::kLabels>> label_when_passed;
    ByMark<bool> loses_in_background;

    [[nodiscard]] bool late(const Shared& shared, const Record& record) const {
        return is_late[shared.state][record.mark];
    }
    void background_elsewhere(const Shared& shared, ActionList& out) const {
        Tables::background_elsewhere(shared, out);
        if (time[shared.state].is_there) {
            out.add({0, ActionKind::kTime, 1});
        }
    }
    [[nodiscard]] bool acts_elsewhere(const Shared& shared) const {
        return Tables::acts_elsewhere(shared) || time[shared.state].is_there;
    }
    bool apply_background(Shared& shared, Action action, Event& event) const {
        if (action.kind != ActionKind::kTime) {
            return Tables::apply_background(shared, action, event);
        }
        const Elsewhere& step = time[shared.state];
        shared.state = step.state;
        return step.is_heard;
    }
    void apply_background(Shared& shared, Record& record, Action action, Event& event) const {
        if (loses_in_background[record.mark]) {
            lose(event, 0, 0);
        }
        Tables::apply_background(shared, record, action, event);
    }
    [[nodiscard]] Heard hear(const Shared& shared, Record& record, Call& call,
                             Action action) const {
        if (action.kind != ActionKind::kTime) {
            Tables::hear(shared, record);
            return {};
        }
        const Passed& step = passed[shared.state][record.mark];
        if (call.at != 0) {
            call.at = label_when_passed[record.mark][call.at];
        }
        record.mark = step.mark;
        return {static_cast<std::uint8_t>(step.is_lost ? 1 : 0)};
    }
    // A lease that has a dead holder is no leak.
    void observe(const Shared& shared, Observation& out) const {
        Tables::observe(shared, out);
        out.keys[0].counted_least = 0;
    }
    [[nodiscard]] bool idle(const Shared& shared) const { return !Tables::acts_elsewhere(shared); }
    [[nodiscard]] bool idle(const Shared& shared, const Record& record) const {
        return Tables::idle(shared, record);
    }
};
struct RandomTimed : Timed<RandomLock> {};
static_assert(Implementation<RandomTimed>);

// A line with places, first in first out, and the same as leases: what is over goes to the first in
// the line (random_line_maker_test.cpp).
struct LineTables : RandomTables<6, 4> {};
struct RandomLine : Granting<LineTables> {};
struct RandomLeaseLine : Timed<LineTables> {};
static_assert(Implementation<RandomLine> && Implementation<RandomLeaseLine>);

// Makes the lock of a seed; the same everywhere.
[[nodiscard]] RandomLock random_lock(std::uint32_t seed);
[[nodiscard]] RandomLock random_lock_that_tells(std::uint32_t seed);
[[nodiscard]] RandomTimed random_timed_lock(std::uint32_t seed);
[[nodiscard]] RandomLine random_line(std::uint32_t seed);
[[nodiscard]] RandomLeaseLine random_lease_line(std::uint32_t seed);
// Makes its callers: one or two kinds with looping scripts, crashes or none.
[[nodiscard]] WorldConfig random_callers(std::uint32_t seed);

}  // namespace lockkeeper::testing_proofs
