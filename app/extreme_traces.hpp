// The extreme schedules of `measure --bounds` as trace files (--out).
#pragma once

#include "app/job.hpp"
#include "reports/measure_report.hpp"

namespace lockkeeper {

// For each property a run that the worst scheduler and one that the best may bring about, replayed
// and written into the directory of --out; without it nothing. Adds to `files_written`. Errors:
// OutputError where a file cannot be written.
void write_extremes(const Session& session, const Job& job, const MeasuredPoint& point,
                    std::vector<std::string>& files_written);

}  // namespace lockkeeper
