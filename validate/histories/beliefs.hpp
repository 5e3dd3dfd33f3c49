// SPDX-License-Identifier: Apache-2.0

// Who believed to hold a lock when, by the `until` of the grants: from the return of a grant to the
// call of the release, to `until`, or to the end of the process. Beliefs of different processes
// that certainly overlap are more than the lock has places. Called by run_black_box.
//
//   {"f": "acquire", "type": "ok", "value": {"until": T}}   T in the unit of `time`; the same in
//   the answer of any other operation prolongs what its process was granted last of the key
//
// No search: a belief begins at the record of its return, which is late, and ends at the record of
// the call that ends it, which is early. What overlaps then has overlapped. A grant without an
// `until` has no end of its own. An answer "fail" whose error begins with 22
// (docs/reference/protocol.md) tells its process that it holds the last of them no longer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "validate/histories/recorded.hpp"

namespace lockkeeper {

struct BeliefRules {
    std::int64_t clock_error = 0;  // in the unit of `time`: so much earlier a belief may be over
    std::int64_t per_millisecond = 0;  // units of `time`, for messages; 0: nobody knows
    // How many may hold at once; nothing: what each acquire says (max_per * buckets).
    std::optional<std::uint32_t> capacity;
};

struct BeliefOverlap {
    std::vector<std::size_t> records;  // the grants that overlap, the newest last
    std::int64_t capacity = 1;         // how many had room
    std::string reason;                // names the operations and their times
};

// The first overlap, of any key. Records without a time are judged by their order alone.
[[nodiscard]] std::optional<BeliefOverlap> find_overlap(const RecordedHistory& history,
                                                        const BeliefRules& rules);

}  // namespace lockkeeper
