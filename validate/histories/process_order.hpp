// SPDX-License-Identifier: Apache-2.0

// In which order the processes of a file that is sorted by time made their records. Used by
// order_records only.
//
// A process does one thing after another. Its records stand in the order of their index, of the
// file, or of the file from its end, where the newest record comes first: in the one of them in
// which every end has its call before it and the times of a process fall least.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "validate/histories/recorded.hpp"

namespace lockkeeper {

struct ProcessOrder {
    std::vector<std::uint32_t> base;  // positions; those of one process in its order
    // By position: as the process had it at least, where its clock fell.
    std::vector<std::int64_t> times;
    std::size_t ends_without_call = 0;
    std::int64_t fall = 0;  // the most that times of one process fall by, `from` to `to`
    std::size_t from = 0;
    std::size_t to = 0;
};

struct ProcessState {
    std::size_t latest;                               // of the greatest time
    std::vector<const std::string*> open_calls = {};  // their `f`
};

inline ProcessOrder along(const std::vector<Record>& records, std::vector<std::uint32_t> base) {
    ProcessOrder order;
    order.times.resize(records.size());
    std::unordered_map<std::string, ProcessState> processes;
    for (const std::uint32_t i : base) {
        const Record& record = records[i];
        ProcessState& process =
            processes.try_emplace(record.process, ProcessState{i}).first->second;
        const std::int64_t most = *records[process.latest].time;
        if (most - *record.time > order.fall) {
            order.fall = most - *record.time;
            order.from = process.latest;
            order.to = i;
        }
        process.latest = *record.time >= most ? i : process.latest;
        order.times[i] = std::max(*record.time, most);
        if (record.type == HistoryType::kInvoke) {
            process.open_calls.push_back(&record.f);
        } else if (!process.open_calls.empty() && *process.open_calls.back() == record.f) {
            process.open_calls.pop_back();
        } else {
            ++order.ends_without_call;
        }
    }
    order.base = std::move(base);
    return order;
}

inline std::vector<std::uint32_t> file_positions(std::size_t count) {
    std::vector<std::uint32_t> base(count);
    std::iota(base.begin(), base.end(), 0U);
    return base;
}

inline bool all_have_index(const std::vector<Record>& records) {
    return std::all_of(records.begin(), records.end(),
                       [](const Record& record) { return record.index.has_value(); });
}

struct WholeOperation {
    std::int64_t start;
    std::int64_t end;
    std::size_t call;  // position
    bool has_return;
};

// Sorts whole operations by their times. Each is a call, perhaps with its return behind it.
inline void sort_operations(std::vector<Record>& records) {
    std::vector<WholeOperation> operations;
    for (std::size_t i = 0; i < records.size(); ++i) {
        const std::int64_t time = *records[i].time;
        if (records[i].type == HistoryType::kInvoke) {
            operations.push_back({time, kTimeMax, i, false});
        } else {
            operations.back().end = time;
            operations.back().has_return = true;
        }
    }
    std::stable_sort(operations.begin(), operations.end(),
                     [](const WholeOperation& left, const WholeOperation& right) {
                         return std::pair(left.start, left.end) < std::pair(right.start, right.end);
                     });
    std::vector<Record> sorted;
    sorted.reserve(records.size());
    for (const WholeOperation& one : operations) {
        for (std::size_t i = one.call; i <= one.call + (one.has_return ? 1 : 0); ++i) {
            sorted.push_back(std::move(records[i]));
        }
    }
    records = std::move(sorted);
}

// Every record has a time.
[[nodiscard]] inline ProcessOrder order_of_file(const std::vector<Record>& records) {
    return along(records, file_positions(records.size()));
}

[[nodiscard]] inline ProcessOrder best_order(const std::vector<Record>& records) {
    std::vector<ProcessOrder> orders;
    if (all_have_index(records)) {
        std::vector<std::uint32_t> by_index = file_positions(records.size());
        std::stable_sort(by_index.begin(), by_index.end(),
                         [&](std::uint32_t left, std::uint32_t right) {
                             return *records[left].index < *records[right].index;
                         });
        orders.push_back(along(records, std::move(by_index)));
    }
    orders.push_back(order_of_file(records));
    std::vector<std::uint32_t> from_end = file_positions(records.size());
    std::reverse(from_end.begin(), from_end.end());
    orders.push_back(along(records, std::move(from_end)));
    return std::move(*std::min_element(orders.begin(), orders.end(),
                                       [](const ProcessOrder& left, const ProcessOrder& right) {
                                           return std::pair(left.ends_without_call, left.fall) <
                                                  std::pair(right.ends_without_call, right.fall);
                                       }));
}

}  // namespace lockkeeper
