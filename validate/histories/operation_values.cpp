#include "validate/histories/operation_values.hpp"

namespace lockkeeper {
namespace {

// Far from where sums of a few overflow.
constexpr std::int64_t kValueMax = std::int64_t{1} << 60U;
// Far from where the sum of all operations does.
constexpr std::int64_t kPermitsInOperationMax = std::int64_t{1} << 40U;
static_assert(kPermitsInOperationMax <= INT64_MAX / 4 / std::int64_t{kRecordsMax});

DatumProblem set_number(const char* name, const Datum& datum, std::int64_t least,
                        std::optional<std::int64_t>& target, std::int64_t most = kValueMax) {
    if (datum.is(Datum::Kind::kNil)) {
        return {};
    }
    if (datum.is(Datum::Kind::kInteger) && datum.integer > most) {
        return {"\"" + std::string(name) + "\" is at most " + std::to_string(most) + ", not " +
                    datum.to_text(),
                datum.place};
    }
    if (!datum.is(Datum::Kind::kInteger) || datum.integer < least) {
        return {"\"" + std::string(name) + "\" is a whole number from " + std::to_string(least) +
                    " on, not " + datum.to_text(),
                datum.place};
    }
    target = datum.integer;
    return {};
}

DatumProblem set_permits(const Datum& datum, OperationValues& values) {
    return set_number("permits", datum, 0, values.permits, kPermitsInOperationMax);
}

DatumProblem set_token(const Datum& datum, OperationValues& values) {
    if (datum.is(Datum::Kind::kInteger) && datum.integer == values.invalid_token) {
        values.token = datum.integer;
        return {};
    }
    return set_number("token", datum, 0, values.token);
}

DatumProblem set_name(const char* name, const Datum& datum, std::optional<std::string>& target) {
    if (datum.is(Datum::Kind::kNil)) {
        return {};
    }
    if (!datum.is(Datum::Kind::kInteger) && !datum.is(Datum::Kind::kText)) {
        return {"\"" + std::string(name) + "\" is a name, not " + datum.to_text(), datum.place};
    }
    target = datum.to_text();
    return {};
}

DatumProblem set_bare(const Datum& datum, ValueMeaning bare, OperationValues& values) {
    switch (bare) {
        case ValueMeaning::kNothing: return {};
        case ValueMeaning::kToken: return set_token(datum, values);
        case ValueMeaning::kPermits: return set_permits(datum, values);
        case ValueMeaning::kCapacity: return set_number("capacity", datum, 0, values.capacity);
        case ValueMeaning::kTtl: return set_number("ttl", datum, 0, values.ttl);
        case ValueMeaning::kTag: return set_name("tag", datum, values.tag);
        case ValueMeaning::kMode: return set_name("mode", datum, values.mode);
    }
    return {};
}

DatumProblem set_named(const std::string& name, const Datum& datum, OperationValues& values) {
    if (name == "token" || name == "fence") {
        return set_token(datum, values);
    }
    if (name == "permits") {
        return set_permits(datum, values);
    }
    if (name == "capacity") {
        return set_number("capacity", datum, 0, values.capacity);
    }
    if (name == "ttl") {
        return set_number("ttl", datum, 0, values.ttl);
    }
    if (name == "owner" || name == "client") {
        return set_name("owner", datum, values.owner);
    }
    if (name == "tag") {
        return set_name("tag", datum, values.tag);
    }
    return name == "mode" ? set_name("mode", datum, values.mode) : DatumProblem{};
}

// max_per * buckets, as canal's callers see it.
DatumProblem set_capacity(const Datum& value, OperationValues& values) {
    const Datum* max_per = value.find("max_per");
    const Datum* buckets = value.find("buckets");
    if (max_per == nullptr || buckets == nullptr || values.capacity) {
        return {};
    }
    constexpr std::int64_t kFactorMax = std::int64_t{1} << 30U;
    std::optional<std::int64_t> left;
    std::optional<std::int64_t> right;
    DatumProblem problem = set_number("max_per", *max_per, 0, left);
    if (problem.is_none()) {
        problem = set_number("buckets", *buckets, 0, right);
    }
    if (problem.is_none() && left && right) {
        if (*left > kFactorMax || *right > kFactorMax) {
            return {"max_per * buckets is too large", max_per->place};
        }
        values.capacity = *left * *right;
    }
    return problem;
}

}  // namespace

DatumProblem add_values(const Datum& value, ValueMeaning bare, OperationValues& values) {
    if (!value.is(Datum::Kind::kMap)) {
        return set_bare(value, bare, values);
    }
    for (std::size_t i = 0; i + 1 < value.items.size(); i += 2) {
        DatumProblem problem = set_named(value.items[i].to_text(), value.items[i + 1], values);
        if (!problem.is_none()) {
            return problem;
        }
    }
    return set_capacity(value, values);
}

bool is_text_for_number(const Datum& value, ValueMeaning bare) {
    return value.is(Datum::Kind::kText) && bare != ValueMeaning::kNothing &&
           bare != ValueMeaning::kTag && bare != ValueMeaning::kMode;
}

std::optional<LockCode> code_of(const std::string& f) {
    for (const LockCode code : kLockCodes) {
        if (f == name_of(code)) {
            return code;
        }
    }
    return std::nullopt;
}

}  // namespace lockkeeper
