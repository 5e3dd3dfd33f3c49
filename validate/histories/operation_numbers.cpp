// SPDX-License-Identifier: Apache-2.0
#include "validate/histories/operation_numbers.hpp"

#include <algorithm>
#include <set>

namespace lockkeeper {
namespace {

std::string set_ttl(const SequentialModel& model, const OperationValues& values,
                    LockOperation& operation) {
    if (operation.code != LockCode::kAcquire && operation.code != LockCode::kRenew) {
        return "";
    }
    operation.ttl = values.ttl.value_or(kUnknownNumber);
    return values.ttl || model.choice().ttl > 0
               ? ""
               : "neither the operation nor the model (" +
                     std::string(description_of(model.choice().kind).name) +
                     ":ttl=TIME) says \"ttl\"";
}

void set_token(const OperationValues& values, LockOperation& operation) {
    if (!values.token) {
        return;
    }
    const bool is_invalid = values.token == values.invalid_token;
    operation.number = is_invalid ? kInvalidToken : *values.token;
}

std::string set_mode(const OperationValues& values, LockOperation& operation) {
    if (!values.mode || (*values.mode != "read" && *values.mode != "write")) {
        return "an acquire or release says its \"mode\", read or write";
    }
    operation.mode = *values.mode == "write" ? 1 : 0;
    return "";
}

}  // namespace

std::string set_numbers(const SequentialModel& model, const TagNames& tags,
                        const OperationValues& values, LockOperation& operation) {
    if (model.has_tokens()) {
        set_token(values, operation);
    }
    if (model.knows_time()) {
        return set_ttl(model, values, operation);
    }
    switch (model.choice().kind) {
        case ModelKind::kSemaphore: operation.amount = values.permits.value_or(1); return "";
        case ModelKind::kResizableSemaphore:
            if (operation.code == LockCode::kAcquire && !values.capacity) {
                return "an acquire says \"capacity\", or \"max_per\" and \"buckets\"";
            }
            operation.number =
                operation.code == LockCode::kAcquire ? *values.capacity : kUnknownNumber;
            return "";
        case ModelKind::kReadWriteLock:
        case ModelKind::kReentrantReadWriteLock:
            return operation.code == LockCode::kExit || operation.code == LockCode::kWrite
                       ? ""
                       : set_mode(values, operation);
        case ModelKind::kMultiLock:
            if (operation.code == LockCode::kWrite && !values.tag) {
                operation.mode = kAnyTag;
            } else if (operation.code != LockCode::kExit) {
                if (!values.tag) {
                    return "an acquire or release says its \"tag\"";
                }
                operation.mode = tags.find(*values.tag).value_or(kOtherTag);
            }
            return "";
        default: return "";
    }
}

void count_exits(KeyOperations& list) {
    std::vector<std::int64_t> held(list.owners.size(), 0);
    for (TimedOperation& timed : list.operations) {
        LockOperation& operation = timed.operation;
        std::int64_t& own = held[operation.owner];
        if (operation.code == LockCode::kExit) {
            operation.amount = own;
            own = 0;
        } else if (operation.code == LockCode::kRelease) {
            own = std::max<std::int64_t>(0, own - operation.amount);
        } else if (operation.code == LockCode::kAcquire && !operation.is_refused) {
            own += operation.amount;
        }
        operation.owner = 0;
    }
}

void mark_granted(KeyOperations& list) {
    std::set<std::int64_t> granted;
    for (const TimedOperation& timed : list.operations) {
        if (timed.operation.code == LockCode::kAcquire && !timed.operation.is_refused &&
            says_token(timed.operation.number)) {
            granted.insert(timed.operation.number);
        }
    }
    for (TimedOperation& timed : list.operations) {
        timed.operation.is_token_granted =
            timed.operation.code == LockCode::kWrite && granted.count(timed.operation.number) > 0;
    }
}

}  // namespace lockkeeper
