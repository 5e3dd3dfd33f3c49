// SPDX-License-Identifier: Apache-2.0

// Small histories made from a list of numbers, so that a failing one shrinks: each number is one
// record of one of four processes, right or wrong as it comes. For the tests of histories/.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "validate/histories/check_history.hpp"

namespace lockkeeper::testing_histories {

inline constexpr std::string_view kPassed = Passed::kName;
inline constexpr std::string_view kViolated = Violated::kName;

inline constexpr const char* kModels[] = {
    "mutex",
    "mutex:refusals=judged",
    "owner-aware-mutex",
    "owner-aware-mutex:refusals=judged",
    "reentrant-mutex:depth=2",
    "fenced-mutex",
    "reentrant-fenced-mutex",
    "semaphore:2",
    "semaphore:2,refusals=judged",
    "resizable-semaphore",
    "resizable-semaphore:refusals=judged",
    "read-write-lock",
    "read-write-lock:refusals=judged",
    "reentrant-read-write-lock",
    "reentrant-read-write-lock:depth=2,refusals=judged",
    "multi-lock:excludes=a-b+c>a+b-b",
    "lease:ttl=6,error=1",
    "lease:ttl=6,error=1,refusals=judged",
    "fenced-lease:ttl=6,error=1",
    "fenced-resource",
    "owner-aware-mutex:refusals=fair",
    "read-write-lock:refusals=fair",
    "reentrant-read-write-lock:refusals=fair",
    "multi-lock:excludes=a-b+c>a+b-b,refusals=fair",
    "owner-aware-mutex:writes=holder",
    "reentrant-mutex:depth=2,writes=holder",
    "read-write-lock:writes=holder",
    "multi-lock:excludes=a-b+c-c,writes=holder",
    "lease:ttl=6,error=1,writes=holder",
    "lease:ttl=6,writes=holder,refusals=judged",
    "fenced-lease:ttl=6,writes=holder",
};

inline ModelChoice model_of(const std::string& text) {
    return std::get<ModelChoice>(parse_model(text));
}

// The same on every machine; `random` goes on from call to call.
inline std::vector<std::uint32_t> pseudo_random_numbers(std::size_t count, std::uint32_t& random) {
    std::vector<std::uint32_t> numbers(count);
    for (std::uint32_t& number : numbers) {
        random = random * 1664525U + 1013904223U;
        number = random >> 8U;
    }
    return numbers;
}

class HistoryMaker {
  public:
    // `has_effects`: writes are among the operations, whatever the kind.
    HistoryMaker(ModelKind kind, bool is_keyed, bool has_effects = false)
        : kind_(kind), is_keyed_(is_keyed), has_effects_(has_effects) {}

    RecordedHistory make(const std::vector<std::uint32_t>& numbers) {
        for (const std::uint32_t number : numbers) {
            add(number);
        }
        return std::move(history_);
    }

  private:
    struct Process {
        std::size_t name;
        bool is_calling = false;
        int believed = 0;
        Record record = {};
    };

    // Takes a number below `bound` from what is left of it.
    static std::uint32_t take(std::uint32_t& number, std::uint32_t bound) {
        const std::uint32_t taken = number % bound;
        number /= bound;
        return taken;
    }

    void add(std::uint32_t number) {
        Process& process = processes_[take(number, 4)];
        now_ += take(number, 4);
        process.is_calling ? complete(process, number) : invoke(process, number);
    }

    void invoke(Process& process, std::uint32_t number) {
        Record record;
        record.process = std::to_string(process.name);
        const std::uint32_t what = take(number, 8);
        const bool gives_back = process.believed > 0 ? what != 0 : what == 0;
        record.f = what == 7 ? "exit" : gives_back ? "release" : "acquire";
        const bool is_lease = kind_ == ModelKind::kLease || kind_ == ModelKind::kFencedLease;
        if (what == 6 && is_lease) {
            record.f = "renew";
        }
        if ((what == 6 && has_tokens() && !is_lease) || (what == 5 && is_lease && has_tokens())) {
            record.f = "write";  // with the last token, or one before, or one that nobody got
            const std::int64_t back = take(number, 6);
            record.value.set("token",
                             Datum::of(std::max<std::int64_t>(0, token_ + 1 - (back + 2) / 3)));
        }
        if (has_effects_ && (what == 4 || what == 5) && take(number, 2) == 0) {
            record.f = "write";
        }
        if (record.f == "exit" && !gone_.empty() && take(number, 2) == 0) {
            record.process = gone_.back();  // what it acquired last, nobody knows
            gone_.pop_back();
        }
        set_value(record, number);
        if (is_keyed_) {
            record.key = take(number, 2) == 0 ? "x" : "y";
        }
        record.time = now_;
        history_.records.push_back(record);
        process.is_calling = true;
        process.record = record;
    }

    void set_value(Record& record, std::uint32_t& number) const {
        if (record.f == "exit") {
            return;
        }
        constexpr const char* kTags[] = {"a", "b", "c", "d"};
        switch (kind_) {
            case ModelKind::kSemaphore:
            case ModelKind::kResizableSemaphore:
                record.value = Datum::of(std::int64_t{1 + take(number, 2)});
                return;
            case ModelKind::kReadWriteLock:
            case ModelKind::kReentrantReadWriteLock:
                record.value = Datum::of(std::string(take(number, 2) == 0 ? "read" : "write"));
                return;
            case ModelKind::kLease:
            case ModelKind::kFencedLease:
                if (record.f != "write" && take(number, 2) == 0) {  // else the model's
                    record.value.set("ttl", Datum::of(std::int64_t{take(number, 12)}));
                }
                return;
            case ModelKind::kMultiLock:
                record.value = Datum::of(std::string(kTags[take(number, 4)]));
                return;
            default: return;
        }
    }

    void complete(Process& process, std::uint32_t number) {
        Record record = process.record;
        const std::uint32_t how = take(number, 8);
        record.type = how == 0   ? HistoryType::kInfo
                      : how == 1 ? HistoryType::kFail
                                 : HistoryType::kOk;
        if (has_tokens() && record.f == "acquire" && how > 2) {
            token_ += take(number, 3);
            record.value = {};
            record.value.set("token", Datum::of(token_));
        }
        record.time = now_;
        history_.records.push_back(record);
        process.is_calling = false;
        if (record.type == HistoryType::kOk) {
            process.believed += record.f == "acquire" ? 1 : record.f == "release" ? -1 : 0;
        } else if (record.type == HistoryType::kInfo) {
            gone_.push_back(process.record.process);
            process = {names_++};
        }
    }

    [[nodiscard]] bool has_tokens() const {
        return kind_ == ModelKind::kFencedMutex || kind_ == ModelKind::kReentrantFencedMutex ||
               kind_ == ModelKind::kFencedLease || kind_ == ModelKind::kFencedResource;
    }

    ModelKind kind_;
    bool is_keyed_;
    bool has_effects_;
    RecordedHistory history_{"random", {}, 0};
    std::array<Process, 4> processes_{Process{0}, Process{1}, Process{2}, Process{3}};
    std::size_t names_ = 4;
    std::vector<std::string> gone_;  // processes whose last call has no known end
    std::int64_t now_ = 0;
    std::int64_t token_ = 1;
};

}  // namespace lockkeeper::testing_histories
