// SPDX-License-Identifier: Apache-2.0

// A lock with a queue: who finds it taken stands in line, and a release hands it to the first. The
// server gives up on a connection that is gone and takes it out of the line.
//
//   acquire   kAsk: stands at the end of the line --> kWait: blocked until first in line
//             kWait ------------------------------------------------------> acquired
//   release   kLeave: everybody behind moves up --------------------------> released
//   the server: takes a dead caller out of the line; everybody behind moves up
//
// A queue is a place in each Record: 0 not in line, 1 holds the lock, 2 is next. Names of callers
// would tell callers apart that are alike. Moving up concerns the records of others, so step takes
// all records and the number of its caller.
#pragma once

#include <string>

#include "model/implementation.hpp"

namespace my_service {

using namespace lockkeeper;

enum class Leave { kMovesAllUp, kMovesOneUp };  // as it should be, and forgets who is behind that

class QueueLock : public BasicImplementation<> {
  public:
    enum class At : std::uint8_t { kNowhere, kAsk, kWait, kLeave };
    struct Shared {
        std::uint8_t in_line;
    };
    struct Record {
        std::uint8_t place;
        std::uint8_t is_dead;
    };
    struct Call {
        At at;
    };

    explicit QueueLock(Leave leave) : leave_(leave) {}

    Shared initial_shared() const { return {}; }

    void begin(const Operation& operation, Call& call) const {
        call.at = operation.verb == Verb::kAcquire ? At::kAsk : At::kLeave;
    }

    bool blocked(const Shared&, const Record& record, const Call& call) const {
        return call.at == At::kWait && record.place != 1;
    }

    // `caller` is good for this step only: it must not be kept.
    Outcome step(Shared& shared, Records<Record> records, std::size_t caller, Call& call,
                 const Operation&, Event&) const {
        switch (call.at) {
            case At::kAsk:
                records[caller].place = ++shared.in_line;
                call.at = At::kWait;
                return Outcome::kContinues;
            case At::kWait: return Outcome::kAcquired;
            case At::kLeave: leave(shared, records, caller); return Outcome::kReleased;
            case At::kNowhere: break;
        }
        unreachable("a label of the queue lock");
    }

    void on_death(Shared&, Record& record) const { record.is_dead = record.place > 0 ? 1 : 0; }
    void background(const Shared&, Records<const Record> records, ActionList& out) const {
        for (std::size_t i = 0; i < records.size(); ++i) {
            if (records[i].is_dead != 0) {
                out.add({static_cast<std::uint8_t>(i), ActionKind::kBackground, 0});
            }
        }
    }
    void apply_background(Shared& shared, Records<Record> records, Action action, Event&) const {
        leave(shared, records, action.actor);
        records[action.actor].is_dead = 0;
    }
    bool idle(const Shared& shared, Records<const Record> records) const {
        ActionList due;
        background(shared, records, due);
        return due.size() == 0;
    }
    std::uint32_t pending_cleanup(const Shared&, Records<const Record> records, std::size_t) const {
        std::uint32_t holders = 0;
        for (std::size_t i = 0; i < records.size(); ++i) {
            holders += records[i].is_dead != 0 && records[i].place == 1 ? 1U : 0U;
        }
        return holders;
    }

    void observe(const Shared&, Records<const Record> records, Observation& out) const {
        KeyObservation& row = out.keys[0];
        std::uint32_t held = 0;
        for (std::size_t i = 0; i < records.size(); ++i) {
            held += records[i].place == 1 ? 1U : 0U;
        }
        row.counters = {static_cast<std::int32_t>(held)};
        row.counted_least = row.counted_most = held;
    }

    std::string describe_step(const Shared&, const Record&, const Call& call,
                              const Operation&) const {
        return call.at == At::kAsk ? "stand in line" : call.at == At::kWait ? "enter" : "leave";
    }
    std::string describe_background(const Shared&, Records<const Record>, Action) const {
        return "server: takes @ out of the line";
    }
    std::string show(const Shared& shared) const {
        return "in line " + std::to_string(shared.in_line);
    }

  private:
    void leave(Shared& shared, Records<Record> records, std::size_t caller) const {
        const std::uint8_t left = records[caller].place;
        records[caller].place = 0;
        --shared.in_line;
        for (std::size_t i = 0; i < records.size(); ++i) {
            const bool moves = leave_ == Leave::kMovesAllUp ? records[i].place > left
                                                            : records[i].place == left + 1;
            records[i].place = static_cast<std::uint8_t>(records[i].place - (moves ? 1 : 0));
        }
    }

    Leave leave_;
};

}  // namespace my_service
