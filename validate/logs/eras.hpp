// SPDX-License-Identifier: Apache-2.0

// Files whose times count from different beginnings: klog has no year, other logs have no day, a
// stopwatch has neither. Side by side as they were read, all lines of one would be years before
// those of the other. Called by read_log.cpp when all files have been read.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "validate/logs/observation.hpp"

namespace lockkeeper::logs {

// Times of a day, in the order of their file: those behind midnight are of the next day. False:
// none are.
bool go_past_midnight(std::vector<std::pair<std::string, Observation>>& read);

// The same time of the day, on the day on which it is nearest to `near`.
[[nodiscard]] std::int64_t on_day_near(std::int64_t time, std::int64_t near);

// Gives the times of files without year or day those of the files that have them: the nearest, with
// a remark where it is another year, or day. LogError: nobody can say which.
void put_in_one_era(Logs& logs);

// Remarks files whose times have no zone, where others have one. LogError: it is missing, since
// only by the offset of some zone do their lines come near those of the others.
void doubt_zones(Logs& logs);

}  // namespace lockkeeper::logs
