// SPDX-License-Identifier: Apache-2.0

// The naive twin of the canal lock: whole operations on vectors, one after the other, written from
// the text and not from the steps. Buckets are created from left to right, so `highest` is their
// number and needs no variable.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace lockkeeper::testing_canal {

enum class Result { kAcquired, kFull, kOk, kDied };

class SequentialCanal {
  public:
    SequentialCanal(std::size_t keys, int manager_max_per, int max_decr_tries)
        : counters(keys), manager_max_per_(manager_max_per), max_decr_tries_(max_decr_tries) {}

    std::vector<std::vector<int>> counters;                         // per key, per bucket
    std::map<std::pair<std::size_t, std::size_t>, int> references;  // of (caller, key)
    bool manager_dead = false;

    std::pair<Result, int> acquire(std::size_t caller, std::size_t key, int max_per, int buckets) {
        if (manager_dead) {
            return {Result::kDied, 0};
        }
        std::vector<int>& row = counters[key];
        int bucket = 1;
        while (bucket <= static_cast<int>(row.size())) {
            int& counter = row[static_cast<std::size_t>(bucket - 1)];
            counter = std::min(counter + 1, max_per + 1);
            if (counter <= max_per) {
                break;
            }
            if (bucket == buckets) {
                return {Result::kFull, 0};
            }
            ++bucket;
        }
        if (bucket > static_cast<int>(row.size())) {
            row.push_back(1);
        }
        ++references[{caller, key}];
        return {Result::kAcquired,
                (bucket - 1) * max_per + row[static_cast<std::size_t>(bucket - 1)]};
    }

    Result release(std::size_t caller, std::size_t key, int max_per) {
        if (manager_dead || !give_back(counters[key], max_per)) {
            return Result::kDied;
        }
        int& known = references[{caller, key}];
        known = std::max(known - 1, 0);
        return Result::kOk;
    }

    void died(std::size_t caller) {
        for (std::size_t key = 0; key < counters.size() && !manager_dead; ++key) {
            for (int& known = references[{caller, key}]; known > 0 && !manager_dead; --known) {
                manager_dead = !give_back(counters[key], manager_max_per_);
            }
        }
        if (manager_dead) {
            counters.assign(counters.size(), {});
            references.clear();
        }
    }

  private:
    // False: whoever does it dies.
    [[nodiscard]] bool give_back(std::vector<int>& row, int max_per) const {
        if (row.empty()) {
            return false;
        }
        const auto last = std::find_if(row.rbegin(), row.rend(), [](int n) { return n > 0; });
        if (last == row.rend()) {
            return true;
        }
        const bool marked = --*last == max_per;
        if (marked) {
            *last = std::max(*last - (max_decr_tries_ > 0 ? 1 : 2), 0);
        }
        return marked || *last < max_per;
    }

    int manager_max_per_;
    int max_decr_tries_;
};

}  // namespace lockkeeper::testing_canal
