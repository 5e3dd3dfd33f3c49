// SPDX-License-Identifier: Apache-2.0
#include "validate/histories/order_records.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "validate/histories/process_order.hpp"

namespace lockkeeper {
namespace {

constexpr double kToleranceSeconds = 0.005;
constexpr std::int64_t kSpanShare = 1000;
constexpr std::int64_t kSpanShareOfKnownUnit = 10;

struct OutOfOrder {
    std::size_t record;
    std::string message;
};

bool all_have_times(const std::vector<Record>& records) {
    return !records.empty() &&
           std::all_of(records.begin(), records.end(),
                       [](const Record& record) { return record.time.has_value(); });
}

// Along the order of `base` both ends rise.
std::vector<TimeRange> instants_along(const std::vector<std::uint32_t>& base,
                                      const std::vector<Record>& records) {
    std::vector<TimeRange> instants;
    if (!all_have_times(records)) {
        return instants;
    }
    instants.resize(base.size());
    std::int64_t most = -kTimeMax;
    for (const std::uint32_t i : base) {
        most = std::max(most, *records[i].time);
        instants[i].latest = most;
    }
    std::int64_t least = kTimeMax;
    for (std::size_t place = base.size(); place-- > 0;) {
        least = std::min(least, *records[base[place]].time);
        instants[base[place]].earliest = least;
    }
    return instants;
}

std::vector<std::uint32_t> as_they_stand(std::size_t count) {
    std::vector<std::uint32_t> base(count);
    std::iota(base.begin(), base.end(), 0U);
    return base;
}

class Order {
  public:
    Order(RecordedHistory& history, const OrderChoice& choice)
        : history_(history),
          records_(history.records),
          choice_(choice),
          sorts_(choice.sorts_by_time || history.has_whole_operations),
          base_(as_they_stand(records_.size())) {}

    void apply() {
        set_unit();
        set_tolerance();
        if (history_.has_whole_operations) {
            sort_operations(records_);
        }
        if (sorts_) {
            sort_by_time();
        } else if (has_index()) {
            sort_by_index();
        } else {
            check_partial_index();
        }
        check_falls();
        std::vector<TimeRange> instants = instants_along(base_, records_);
        if (sorts_) {
            add_clock_error(instants);
        }
        rearrange(std::move(instants));
    }

  private:
    [[nodiscard]] std::string where(std::size_t record) const { return history_.place_of(record); }

    [[nodiscard]] std::int64_t span() const {
        std::int64_t least = kTimeMax;
        std::int64_t most = -kTimeMax;
        for (const Record& record : records_) {
            least = std::min(least, record.time.value_or(least));
            most = std::max(most, record.time.value_or(most));
        }
        return most > least ? most - least : 0;
    }

    // 0: nobody knows.
    [[nodiscard]] std::int64_t ticks_per_second() const {
        if (history_.times.form.is_calendar) {
            return kNanosecondsPerSecond;
        }
        const std::int64_t units =
            choice_.units_per_second > 0 ? choice_.units_per_second : history_.units_per_second;
        return units * power_of_ten(history_.times.digits);
    }

    // ISO times have no unit that a ttl could be in.
    void set_unit() {
        if (history_.times.form.is_calendar && choice_.units_per_second > 0) {
            history_.times.ticks_per_unit = kNanosecondsPerSecond / choice_.units_per_second;
        }
    }

    [[nodiscard]] std::int64_t tolerance_in_ticks(std::int64_t units) const {
        const std::int64_t ticks = history_.times.ticks_per_unit;
        if (ticks == 0) {
            throw HistoryError{history_.file, {0, 0}, kUnknownUnit};
        }
        return units > kTimeMax / ticks ? kTimeMax : units * ticks;
    }

    [[nodiscard]] bool is_tolerance_said() const {
        return choice_.tolerance || choice_.tolerance_seconds;
    }

    void set_tolerance() {
        const std::int64_t ticks = ticks_per_second();
        const auto in_ticks = [&](double seconds) {
            return static_cast<std::int64_t>(
                std::min(std::ceil(seconds * static_cast<double>(ticks)), 4e18));
        };
        if (choice_.tolerance) {
            tolerance_ = tolerance_in_ticks(*choice_.tolerance);
        } else if (choice_.tolerance_seconds) {
            if (ticks == 0) {
                throw HistoryError{history_.file, {0, 0}, kUnknownUnit};
            }
            tolerance_ = in_ticks(*choice_.tolerance_seconds);
        } else {
            tolerance_ = ticks > 0
                             ? std::min(span() / kSpanShareOfKnownUnit, in_ticks(kToleranceSeconds))
                             : span() / kSpanShare;
        }
        history_.clock_tolerance = tolerance_;
    }

    [[nodiscard]] bool has_index() const {
        return !records_.empty() &&
               std::all_of(records_.begin(), records_.end(),
                           [](const Record& record) { return record.index.has_value(); });
    }

    void sort_by_index() {
        history_.order = RecordOrder::kIndex;
        std::stable_sort(base_.begin(), base_.end(), [&](std::uint32_t left, std::uint32_t right) {
            return *records_[left].index < *records_[right].index;
        });
        for (std::size_t i = 1; i < base_.size(); ++i) {
            if (*records_[base_[i - 1]].index == *records_[base_[i]].index) {
                throw OutOfOrder{base_[i],
                                 "the index " + std::to_string(*records_[base_[i]].index) +
                                     " is that of " + where(base_[i - 1]) + ", too" + kManyLogs};
            }
        }
    }

    // Where only some records have an index, it must not contradict the file.
    void check_partial_index() const {
        std::optional<std::size_t> before;
        for (std::size_t i = 0; i < records_.size(); ++i) {
            if (!records_[i].index) {
                continue;
            }
            if (before && *records_[i].index <= *records_[*before].index) {
                throw OutOfOrder{
                    i, "the index " + std::to_string(*records_[i].index) +
                           " comes after the index " + std::to_string(*records_[*before].index) +
                           " of " + where(*before) + ", and not every record has one" + kManyLogs};
            }
            before = i;
        }
    }

    void sort_by_time() {
        history_.order = RecordOrder::kTime;
        const auto timeless = std::find_if(records_.begin(), records_.end(),
                                           [](const Record& record) { return !record.time; });
        if (timeless != records_.end()) {
            throw OutOfOrder{static_cast<std::size_t>(timeless - records_.begin()),
                             "a record without \"time\" cannot be sorted by time"};
        }
        ProcessOrder order = best_order(records_);
        if (order.fall > tolerance_) {
            const ProcessOrder file = order_of_file(records_);
            throw OutOfOrder{file.to, fall_text(file.from, file.to) + ", both of process " +
                                          records_[file.to].process + kNoOrder};
        }
        base_ = std::move(order.base);
        std::stable_sort(base_.begin(), base_.end(), [&](std::uint32_t left, std::uint32_t right) {
            return order.times[left] < order.times[right];
        });
    }

    [[nodiscard]] std::string fall_text(std::size_t from, std::size_t to) const {
        const std::int64_t high = *records_[from].time;
        const std::int64_t low = *records_[to].time;
        return "time falls by " + history_.times.duration_text(high - low) + ", from " +
               history_.time_of(from) + " in " + where(from) + " to " + history_.time_of(to) +
               " in " + where(to);
    }

    [[noreturn]] void refuse_fall(std::size_t record, const std::string& text) const {
        const bool is_unit_open = !is_tolerance_said() && ticks_per_second() == 0;
        throw OutOfOrder{record, text + (is_unit_open ? kUnitUnsaid : "") + kManyLogs};
    }

    void check_falls() {
        std::optional<std::size_t> highest;
        for (const std::uint32_t i : base_) {
            const Record& record = records_[i];
            if (!record.time) {
                continue;
            }
            if (!highest || *record.time >= *records_[*highest].time) {
                highest = i;
                continue;
            }
            if (sorts_) {
                continue;
            }
            if (*records_[*highest].time - *record.time > tolerance_) {
                const std::string text = fall_text(*highest, i) + "; --clock-tolerance allows " +
                                         history_.times.duration_text(tolerance_);
                if (history_.order == RecordOrder::kIndex) {
                    history_.time_problem = text;  // of models that look at times
                    return;
                }
                refuse_fall(i, text);
            }
            if (!is_tolerance_said() && history_.order != RecordOrder::kIndex) {
                check_late(i, *highest);
            }
        }
    }

    // With one clock a record is late only between being stamped and being written, and a process
    // has at most one such record. Two of its records behind one later one are from another log.
    void check_late(std::size_t record, std::size_t highest) {
        const auto [found, is_first] =
            late_.emplace(records_[record].process, Late{record, highest});
        if (is_first) {
            return;
        }
        const Late before = std::exchange(found->second, Late{record, highest});
        const std::int64_t high = *records_[before.highest].time;
        if (*records_[record].time < high) {
            refuse_fall(before.record, fall_text(before.highest, before.record) + ", and process " +
                                           records_[record].process + " goes on before " +
                                           history_.time_of(before.highest) + " in " +
                                           where(record) + "; --clock-tolerance allows that");
        }
    }

    // Clocks of two processes differ by at most so much: any of them may be late.
    void add_clock_error(std::vector<TimeRange>& instants) const {
        for (TimeRange& instant : instants) {
            const std::int64_t error = is_tolerance_said() ? tolerance_ : 0;
            instant.latest = std::min(instant.latest, kTimeMax - error) + error;
        }
    }

    // Calls at their earliest, returns at their latest instant, calls first where the two are the
    // same: one operation is before another only if it certainly was.
    void rearrange(std::vector<TimeRange> instants) {
        const bool orders_by_time =
            !instants.empty() && history_.order != RecordOrder::kIndex && (span() > 0);
        std::vector<std::uint32_t> sorted = base_;
        if (orders_by_time) {
            history_.order = RecordOrder::kTime;
            const auto key = [&](std::uint32_t i) {
                const bool is_call = records_[i].type == HistoryType::kInvoke;
                return std::pair(is_call ? instants[i].earliest : instants[i].latest, !is_call);
            };
            std::stable_sort(
                sorted.begin(), sorted.end(),
                [&](std::uint32_t left, std::uint32_t right) { return key(left) < key(right); });
        }
        std::vector<Record> records;
        records.reserve(records_.size());
        std::vector<std::uint32_t> position(records_.size());
        for (const std::uint32_t i : sorted) {
            position[i] = static_cast<std::uint32_t>(records.size());
            records.push_back(std::move(records_[i]));
            if (!instants.empty()) {
                history_.instants.push_back(instants[i]);
            }
        }
        history_.records = std::move(records);
        if (sorted != base_) {
            for (const std::uint32_t i : base_) {
                history_.concurrent_records += position[i] != history_.as_written.size() ? 1 : 0;
                history_.as_written.push_back(position[i]);
            }
        }
    }

    static constexpr const char* kManyLogs =
        "; logs of several workers put together? --sort-by-time orders records by time";
    static constexpr const char* kNoOrder =
        "; in no order (of the file, of the file from its end, of an index) do the times of each "
        "process rise: does every worker have a process of its own?";
    static constexpr const char* kUnitUnsaid = "; --time-unit says the unit of the times";
    static constexpr const char* kUnknownUnit =
        "--clock-tolerance: the unit of the history's times is not known; say it (--time-unit ns, "
        "us, ms or s), or give the tolerance as a number in that unit";

    // A record whose time is below that of one before it in the file.
    struct Late {
        std::size_t record;
        std::size_t highest;  // of the records before it
    };

    RecordedHistory& history_;
    std::vector<Record>& records_;
    const OrderChoice& choice_;
    bool sorts_;                                  // by time
    std::unordered_map<std::string, Late> late_;  // by process: the last one
    std::vector<std::uint32_t> base_;  // positions, in the order that the records themselves say
    std::int64_t tolerance_ = 0;
};

}  // namespace

std::vector<TimeRange> instants_of(const RecordedHistory& history) {
    return history.instants.empty()
               ? instants_along(as_they_stand(history.records.size()), history.records)
               : history.instants;
}

std::optional<HistoryError> order_records(RecordedHistory& history, const OrderChoice& choice) {
    try {
        Order(history, choice).apply();
    } catch (const HistoryError& error) {
        return error;
    } catch (const OutOfOrder& problem) {
        const Record& record = history.records[problem.record];
        return HistoryError{history.file, {record.line, record.column}, problem.message};
    }
    return std::nullopt;
}

}  // namespace lockkeeper
