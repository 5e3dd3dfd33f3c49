// SPDX-License-Identifier: Apache-2.0

// The `timeout` of one database operation: how long a client of monglock waits before it declares
// failure. An operation that times out has had its effect when it was sent, or will have it; its
// client hears of the failure when the time is over. No time-out: at once.
//
//   update   applied, or under way, and not acknowledged   --`timeout` later--> DbError
//   read     fails                                         --`timeout` later--> what a failed read
//                                                                               is in its call
//
// The time-out counts in true time, from the step that sends the operation. A client may declare it
// late, as a sleeping client may wake up late. Record::wake is when the time-out is over.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "impl/monglock/monglock_words.hpp"
#include "model/relative_time.hpp"

namespace lockkeeper::monglock {

// Options of the clients of both monglock locks, and how long virtual time lasts for them.

// The time-out of what is not given one: it never becomes old.
inline constexpr std::int32_t kNeverOld = 2 * kInstantMax;

struct ClientSideOptions {
    std::int32_t grace = 0;       // own_deadline: the holder gives up so much earlier
    std::int32_t pause_most = 0;  // own_deadline: and notices it at most so much later
    std::int32_t jump = 1;        // how far a clock jumps
    std::int32_t timeout = 0;     // of one database operation; 0: what fails is told at once
    bool majority = false;        // w: a fail-over forgets only what nobody has acknowledged
    bool boom = false;            // errors are wrapped
    bool exists = true;           // the documents, at the beginning
    Budgets faults{};
    std::vector<Client> clients;
    std::vector<std::string> keys{"doc"};
    std::int32_t time_unit = 1;  // of the scenario's times in one of this lock's
};

// Beyond it there are no numbers for what a client's clock shows.
[[nodiscard]] Instant end_of_time(const ClientSideOptions& options);

// When a wait ends. Where that instant has no number the client waits, and time is refused to go
// there: only this step of time ends a search's way, and not the step that begins the wait.
[[nodiscard]] inline Instant end_of_wait(std::int32_t end) {
    return end > kInstantMax ? RelativeTime::kAfterTheEnd : instant(end);
}

class TimeLimit {
  public:
    explicit TimeLimit(const ClientSideOptions& options) {
        for (const Client& client : options.clients) {
            of_clients_.push_back(client.timeout == 0 ? options.timeout : client.timeout);
        }
    }

    // An operation of this client will not be answered. True: it waits; false: it knows at once.
    template <class Record>
    [[nodiscard]] bool wait(Instant now, Record& record, std::size_t caller) const {
        if (of_clients_[caller] == 0) {
            return false;
        }
        record.wake = end_of_wait(now + of_clients_[caller]);
        return true;
    }
    // Whether this call waits so: its next step declares failure.
    template <class Record, class Call>
    [[nodiscard]] static bool waits(const Record& record, const Call& call) {
        return record.wake != 0 && call.at != decltype(call.at)::kAsleep;
    }

  private:
    std::vector<std::int32_t> of_clients_;
};

// Values of monglock's lock that a fail-over, the application or a lagging replica may bring back.

// The lock before its newest write, and before the write before that.
template <class Value>
using Older = std::array<Value, 2>;

// Whether the newest write may still be undone, and whether one before it, too.
[[nodiscard]] inline bool undoes_a_write(const Budgets& left) {
    return left.failovers + left.save_backs > 0;
}
[[nodiscard]] inline bool undoes_two_writes(const Budgets& left) {
    return left.failovers + left.save_backs > 1;
}

// Called before a write to `lock`. `keeps_two`: the write before may be undone as well.
template <class Value>
void keep_value(Older<Value>& older, const Value& lock, bool keeps_two) {
    older[1] = keeps_two ? older[0] : Value{};
    older[0] = lock;
}

}  // namespace lockkeeper::monglock
