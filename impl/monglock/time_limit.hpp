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

#include <cstdint>
#include <vector>

#include "impl/monglock/client_side_options.hpp"

namespace lockkeeper::monglock {

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
        record.wake = instant(now + of_clients_[caller]);
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

}  // namespace lockkeeper::monglock
