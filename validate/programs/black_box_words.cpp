// SPDX-License-Identifier: Apache-2.0

// The ledger's findings in a recorded run, in words that name the records of the history.
#include <algorithm>

#include <fmt/format.h>

#include "validate/programs/black_box.hpp"
#include "validate/programs/black_box_run.hpp"

namespace lockkeeper {

// Called after each answer: adds a finding for each property violated for the first time.
void BlackBoxRun::tell_what_is_new() {
    for (const Property* property : ledger_.violated()) {
        const bool is_known = std::any_of(
            findings_.begin(), findings_.end(),
            [&](const BlackBoxFinding& finding) { return finding.property == property; });
        if (!is_known) {
            const std::vector<std::uint32_t>& steps = ledger_.steps_of(*property);
            const std::vector<std::size_t> records(steps.begin(), steps.end());
            findings_.push_back(finding_of(*property, reason_of(*property, records), records));
        }
    }
}

std::string BlackBoxRun::reason_of(const Property& violated,
                                   const std::vector<std::size_t>& records) const {
    switch (PropertyNumber(violated.number)) {
        case PropertyNumber::kTokenOrder: return tokens_text(records);
        case PropertyNumber::kFalseOk: return overtaken_text(records);
        case PropertyNumber::kUnderAllocation:
            return fmt::format(
                "{} was refused although a place was free since its call (record {})",
                who(records.back()), records.front() + 1);
        case PropertyNumber::kOverAllocation:
        case PropertyNumber::kBeliefOverlap: return overlap_text(records);
        default: return fmt::format("shown by {}", who(records.back()));
    }
}

// "acquire of B (record 4)"
std::string BlackBoxRun::who(std::size_t record) const {
    const Record& one = history_.records[record];
    return fmt::format("{} of {} (record {})", one.f, one.process, record + 1);
}

// The places that the acquire of this answer asked for.
std::int64_t BlackBoxRun::places_of(std::size_t answer) const {
    const std::string& process = history_.records[answer].process;
    std::size_t call = answer;
    while (history_.records[call].type != HistoryType::kInvoke ||
           history_.records[call].process != process) {
        --call;
    }
    const Datum& value = history_.records[call].value;
    const Datum* each = value.find("max_per");
    const Datum* buckets = value.find("buckets");
    return each == nullptr || buckets == nullptr ? 1 : each->integer * buckets->integer;
}

// Times count from the first record, so that a reader can compare them.
std::string BlackBoxRun::end_text(std::size_t record) const {
    const std::int64_t start =
        history_.records.front().time.value_or(0) / kNanosecondsPerMillisecond;
    for (const Caller& caller : callers_) {
        for (const BelievedHolding& holding : caller.held) {
            if (holding.window.last == record && holding.until) {
                return fmt::format(", until {} ms", time_between(start, *holding.until));
            }
        }
    }
    return ", without an end";
}

std::string BlackBoxRun::overlap_text(const std::vector<std::size_t>& records) const {
    const Record& last = history_.records[records.back()];
    const Record& first = history_.records[records.front()];
    std::string holders;
    for (const std::size_t record : records) {
        if (record != records.back()) {
            holders += (holders.empty() ? "" : ", ") + who(record) + end_text(record);
        }
    }
    const std::int64_t places = places_of(records.front());
    const std::int64_t since = (last.time.value_or(0) - history_.records.front().time.value_or(0)) /
                               kNanosecondsPerMillisecond;
    return fmt::format(
        "{} of {} returned at {} ms (record {}{}) while these believed to hold {}: {}{}", last.f,
        last.process, since, records.back() + 1, end_text(records.back()), first.key, holders,
        places > 1 ? fmt::format("; there is room for {}", places) : "");
}

std::string BlackBoxRun::tokens_text(const std::vector<std::size_t>& records) const {
    const Record& earlier = history_.records[records.front()];
    const Record& later = history_.records[records.back()];
    const std::int64_t before = earlier.value.find("token")->integer;
    const std::int64_t token = later.value.find("token")->integer;
    return fmt::format(
        "key {}: the grant of {} (record {}) has token {}, {} that of {} (record {}){}", later.key,
        later.process, records.back() + 1, token, token == before ? "the same as" : "after",
        earlier.process, records.front() + 1,
        token == before ? "" : fmt::format(", which has token {}", before));
}

// A lock that deletes its key without checking the owner deletes another caller's lock.
std::string BlackBoxRun::overtaken_text(const std::vector<std::size_t>& records) const {
    const Record& release = history_.records[records.back()];
    return fmt::format(
        "release of {} returned ok (record {}) although {} acquired (record {}) since its own "
        "acquire (record {}){}",
        release.process, records.back() + 1, history_.records[records[1]].process, records[1] + 1,
        records.front() + 1, places_of(records.front()) > 1 ? ", the last place of all" : "");
}

}  // namespace lockkeeper
