// SPDX-License-Identifier: Apache-2.0

// In which order the records of a file happened. Called after read_history and before
// check_history, by whoever judges a file; what this project records itself is in order already.
//
//   index          where every record has one: that order, and nothing else
//   time and file  else one record came before another only where both say so. Times that are
//                  equal, or fall by no more than the tolerance, leave the two unordered
//   file           where there are no times, or all of them are the same
//   time           with sorts_by_time: for logs of several workers put one after another, for files
//                  whose newest record comes first, for shuffled files with an index
//   time           whole operations (a call and its return on one line), whatever the choice
//
// The records of one process are in the order of the file (of the index) in any case, and with
// sorts_by_time in that of process_order.hpp. A time that
// is contradicted by others is an instant that is not known exactly: from the least time behind it
// to the greatest before it. Where times fall by more than the tolerance, the file is refused; and
// where nobody has said a tolerance, also where two records of one process stand behind a record
// of a later time, which one clock cannot show.
#pragma once

#include <optional>
#include <string_view>

#include "validate/histories/recorded.hpp"

namespace lockkeeper {

struct OrderChoice {
    bool sorts_by_time = false;
    // By how much times may fall; with sorts_by_time: by how much the clocks of two processes may
    // differ. Unsaid: a thousandth of the time that the history covers; where its unit is known 5
    // ms, and no more than a tenth of that time; 0 with sorts_by_time.
    std::optional<std::int64_t> tolerance = {};  // in the history's unit
    std::optional<double> tolerance_seconds = {};
    // The unit of the history's times and of every ttl; with ISO times, of every ttl alone. 0: the
    // unit that the reader found.
    std::int64_t units_per_second = 0;
};

// Puts the records in the order in which they are to be judged, calls before returns where the two
// are not ordered. An error leaves the history in no particular order.
[[nodiscard]] std::optional<HistoryError> order_records(RecordedHistory& history,
                                                        const OrderChoice& choice);

// When each record was made; empty where not all of them say so. A history that is not from a file
// is in order as it stands.
[[nodiscard]] std::vector<TimeRange> instants_of(const RecordedHistory& history);

}  // namespace lockkeeper
