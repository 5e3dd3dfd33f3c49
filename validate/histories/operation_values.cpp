// SPDX-License-Identifier: Apache-2.0
#include "validate/histories/operation_values.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

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

// Far from where sums of a few overflow.
constexpr std::int64_t kValueMax = std::int64_t{1} << 60U;
// Far from where the sum of all operations does.
constexpr std::int64_t kPermitsInOperationMax = std::int64_t{1} << 40U;
static_assert(kPermitsInOperationMax <= INT64_MAX / 4 / std::int64_t{kRecordsMax});

std::optional<std::int64_t> number_of(const char* name, const Datum& datum,
                                      std::int64_t most = kValueMax) {
    if (datum.is(Datum::Kind::kNil)) {
        return std::nullopt;
    }
    const std::string quoted = "\"" + std::string(name) + "\"";
    if (datum.is(Datum::Kind::kInteger) && datum.integer > most) {
        throw DatumProblem{
            quoted + " is at most " + std::to_string(most) + ", not " + datum.to_text(),
            datum.place};
    }
    if (!datum.is(Datum::Kind::kInteger) || datum.integer < 0) {
        throw DatumProblem{quoted + " is a whole number from 0 on, not " + datum.to_text(),
                           datum.place};
    }
    return datum.integer;
}

void set_number(const char* name, const Datum& datum, std::optional<std::int64_t>& target,
                std::int64_t most = kValueMax) {
    const auto number = number_of(name, datum, most);
    target = number ? number : target;
}

// A length of time, made into ticks.
void set_length(const char* name, const Datum& datum, std::int64_t ticks_per_unit,
                std::optional<std::int64_t>& target) {
    const auto read = read_decimal(datum);
    const auto* decimal = std::get_if<Decimal>(&read);
    if (decimal == nullptr || decimal->digits == 0 || decimal->number < 0) {
        const auto number = number_of(name, datum, kValueMax / ticks_per_unit);
        target = number ? std::optional(*number * ticks_per_unit) : target;
        return;
    }
    const auto ticks = decimal->in_parts(ticks_per_unit, kValueMax);
    if (!ticks) {
        throw DatumProblem{"\"" + std::string(name) + "\" " + datum.to_text() +
                               " is finer than the times of the history, or too large",
                           datum.place};
    }
    target = ticks;
}

void set_name(const char* name, const Datum& datum, std::optional<std::string>& target) {
    if (datum.is(Datum::Kind::kNil)) {
        return;
    }
    if (!datum.is(Datum::Kind::kInteger) && !datum.is(Datum::Kind::kText)) {
        throw DatumProblem{"\"" + std::string(name) + "\" is a name, not " + datum.to_text(),
                           datum.place};
    }
    target = datum.to_text();
}

void set_value(ValueMeaning meaning, const Datum& datum, OperationValues& values) {
    switch (meaning) {
        case ValueMeaning::kNothing: return;
        case ValueMeaning::kToken:
            if (datum.is(Datum::Kind::kInteger) && datum.integer == values.invalid_token) {
                values.token = datum.integer;
                return;
            }
            return set_number("token", datum, values.token);
        case ValueMeaning::kPermits:
            return set_number("permits", datum, values.permits, kPermitsInOperationMax);
        case ValueMeaning::kCapacity: return set_number("capacity", datum, values.capacity);
        case ValueMeaning::kTtl: return set_length("ttl", datum, values.ticks_per_unit, values.ttl);
        case ValueMeaning::kTimeout:
            return set_length("timeout", datum, values.ticks_per_unit, values.timeout);
        case ValueMeaning::kTag: return set_name("tag", datum, values.tag);
        case ValueMeaning::kMode: return set_name("mode", datum, values.mode);
        case ValueMeaning::kOwner: return set_name("owner", datum, values.owner);
        case ValueMeaning::kConnection: return set_name("connection", datum, values.connection);
    }
}

constexpr std::pair<std::string_view, ValueMeaning> kNamed[] = {
    {"token", ValueMeaning::kToken},
    {"fence", ValueMeaning::kToken},
    {"permits", ValueMeaning::kPermits},
    {"capacity", ValueMeaning::kCapacity},
    {"ttl", ValueMeaning::kTtl},
    {"tag", ValueMeaning::kTag},
    {"mode", ValueMeaning::kMode},
    {"owner", ValueMeaning::kOwner},
    {"client", ValueMeaning::kOwner},
    {"timeout", ValueMeaning::kTimeout},
    {"connection", ValueMeaning::kConnection},
};

// max_per * buckets, as canal's callers see it.
void set_capacity(const Datum& value, OperationValues& values) {
    const Datum* max_per = value.find("max_per");
    const Datum* buckets = value.find("buckets");
    if (max_per == nullptr || buckets == nullptr || values.capacity) {
        return;
    }
    constexpr std::int64_t kFactorMax = std::int64_t{1} << 30U;
    const auto left = number_of("max_per", *max_per);
    const auto right = number_of("buckets", *buckets);
    if (left && right) {
        if (*left > kFactorMax || *right > kFactorMax) {
            throw DatumProblem{"max_per * buckets is too large", max_per->place};
        }
        values.capacity = *left * *right;
    }
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

void add_values(const Datum& value, ValueMeaning bare, OperationValues& values) {
    if (!value.is(Datum::Kind::kMap)) {
        return set_value(bare, value, values);
    }
    for (std::size_t i = 0; i + 1 < value.items.size(); i += 2) {
        const std::string name = value.items[i].to_text();
        for (const auto& [known, meaning] : kNamed) {
            if (name == known) {
                set_value(meaning, value.items[i + 1], values);
            }
        }
    }
    set_capacity(value, values);
}

bool is_text_for_number(const Datum& value, ValueMeaning bare) {
    return value.is(Datum::Kind::kText) && bare != ValueMeaning::kNothing &&
           bare != ValueMeaning::kTag && bare != ValueMeaning::kMode;
}

std::optional<LockCode> code_of(const std::string& f) {
    for (const LockCode code : kAllCodes) {
        if (f == name_of(code)) {
            return code;
        }
    }
    return std::nullopt;
}

}  // namespace lockkeeper
