// SPDX-License-Identifier: Apache-2.0
#include "validate/outside/tally.hpp"

#include <algorithm>

#include "model/event.hpp"

namespace lockkeeper {
namespace {

bool sleeps(const OutsideWorld& world) {
    return std::any_of(
        world.world.callers.begin(), world.world.callers.end(), [](const CallerConfig& caller) {
            return std::any_of(
                caller.script.begin(), caller.script.end(),
                [](const Operation& operation) { return operation.verb == Verb::kSleep; });
        });
}

// Says why no run has decided the property.
const char* what_it_takes(const Property& property) {
    switch (PropertyNumber(property.number)) {
        case PropertyNumber::kOverAllocation:
            return "no grant was without an end, or of several places";
        case PropertyNumber::kUnderAllocation:
            return "no acquire of a lock without an end was refused";
        case PropertyNumber::kBeliefOverlap: return "no grant of a single place had an end";
        case PropertyNumber::kFalseOk: return "no release returned ok";
        case PropertyNumber::kTokenOrder: return "no two grants of a key had a token";
        case PropertyNumber::kUnexplainedHistory: return "no history was judged";
        case PropertyNumber::kOverRate:
            return "no acquire came while as many grants as the limit has were in the window";
        case PropertyNumber::kUnderRate: return "nobody asked when a grant was a window ago";
        default: return "no run came to its end at rest";
    }
}

std::string ticks_text(std::int64_t ticks) {
    return std::to_string(ticks) + (ticks == 1 ? " tick" : " ticks");
}

}  // namespace

void OutsideTally::leave_open(PropertyNumber number, const std::string& missing) {
    Open& cases = open[number];
    ++cases.cases;
    cases.missing = missing;
}

void OutsideTally::add_grant() {
    ++answers.grants;
    events |= kAcquired;
}

void OutsideTally::add_lease(std::int64_t time) {
    has_leases = true;
    lease_time = std::max(lease_time, time);
}

void OutsideTally::add_contended(bool met_a_holder, bool met_all, bool is_judged) {
    const auto add = [&](bool met, ContendedAnswers& to) {
        (is_judged ? to.judged : to.errors) += met ? 1U : 0U;
    };
    add(met_a_holder, met_holder);
    add(met_all, met_all_taken);
}

void OutsideTally::take_histories(CallHistory& calls, const OutsideWorld& world) {
    undecided_histories = calls.take_undecided();
    if (answers.grants > 0 && calls.model().empty() &&
        world.checked(PropertyNumber::kUnexplainedHistory) != nullptr) {
        ++histories_without_model;
        remarks.insert("no model of histories fits some runs: P29 was not judged there");
    }
}

OutsideTally& OutsideTally::operator+=(const OutsideTally& other) {
    answers += other.answers;
    for (const auto& [number, cases] : other.decided) {
        decided[number] += cases;
    }
    for (const auto& [number, cases] : other.open) {
        open[number] = {open[number].cases + cases.cases, cases.missing};
    }
    for (const auto& [why, operations] : other.passed_over) {
        passed_over[why] += operations;
    }
    events |= other.events;
    has_leases = has_leases || other.has_leases;
    sees_lease_end = sees_lease_end || other.sees_lease_end;
    sees_window_end = sees_window_end || other.sees_window_end;
    lease_time = std::max(lease_time, other.lease_time);
    for (ContendedAnswers OutsideTally::*met :
         {&OutsideTally::met_holder, &OutsideTally::met_all_taken}) {
        (this->*met).judged += (other.*met).judged;
        (this->*met).errors += (other.*met).errors;
    }
    remarks.insert(other.remarks.begin(), other.remarks.end());
    not_judged = other.not_judged.empty() ? not_judged : other.not_judged;
    asks_time = asks_time || other.asks_time;
    runs_out_of_time += other.runs_out_of_time;
    grants_over_on_return += other.grants_over_on_return;
    undecided_histories += other.undecided_histories;
    histories_without_model += other.histories_without_model;
    return *this;
}

std::string OutsideTally::contention_not_judged() const {
    for (const ContendedAnswers& met : {met_all_taken, met_holder}) {
        if (met.errors > 0 && met.judged == 0) {
            return "contention was never judged: " +
                   (met.errors == 1
                        ? "the one acquire that met a holder"
                        : "all " + std::to_string(met.errors) + " acquires that met a holder") +
                   " ended in an error that is no refusal (" + answers.to_text() + ")";
        }
    }
    return "";
}

// A leak is not among them: at the end of each run somebody waits until every time limit is over.
std::string properties_of_time(const OutsideWorld& world) {
    std::string names;
    for (const Property* property : world.check) {
        if (property->is(PropertyNumber::kOverAllocation) ||
            property->is(PropertyNumber::kBeliefOverlap) ||
            property->is(PropertyNumber::kFalseOk) ||
            property->is(PropertyNumber::kUnexplainedHistory)) {
            names += (names.empty() ? "P" : ", P") + std::to_string(property->number) + " " +
                     std::string(property->name);
        }
    }
    return names;
}

std::string OutsideTally::never_decided(const OutsideWorld& world) const {
    if (!world.asked_elsewhere.empty()) {
        return "not judged here: " + world.asked_elsewhere;
    }
    for (const Property* property : world.asked) {
        const auto unknown = open.find(PropertyNumber(property->number));
        if (unknown != open.end()) {
            return unknown->second.missing + "; not judged: P" + std::to_string(property->number) +
                   " " + std::string(property->name);
        }
        if (!decided.contains(PropertyNumber(property->number))) {
            return std::string(what_it_takes(*property)) + "; not judged: P" +
                   std::to_string(property->number) + " " + std::string(property->name);
        }
    }
    return "";
}

std::string OutsideTally::rate_not_judged(const OutsideWorld& world) const {
    if (!world.rate_limit.is_given()) {
        return "";
    }
    const auto not_judged_of = [](const Property& property) {
        return "; not judged: P" + std::to_string(property.number) + " " +
               std::string(property.name);
    };
    for (const Property* property : world.check) {
        if ((property->needs & kBoundsRate) == 0) {
            continue;
        }
        if (world.ticks_max == 0 && !sleeps(world)) {
            return "time cannot pass in a window (0 ticks)" + not_judged_of(*property);
        }
        if (!sees_window_end) {
            return "no window came to its end (" + ticks_text(world.ticks_max) + ")" +
                   not_judged_of(*property);
        }
        const auto unknown = open.find(PropertyNumber(property->number));
        if (!decided.contains(PropertyNumber(property->number))) {
            return (unknown != open.end() ? unknown->second.missing : what_it_takes(*property)) +
                   not_judged_of(*property);
        }
    }
    return "";
}

std::set<std::string> OutsideTally::remarks_of_open() const {
    std::set<std::string> out;
    for (const auto& [number, cases] : open) {
        const auto found = decided.find(number);
        out.insert("P" + std::to_string(static_cast<int>(number)) + " decided " +
                   std::to_string(found == decided.end() ? 0 : found->second) + " times, unknown " +
                   std::to_string(cases.cases) + " times: " + cases.missing);
    }
    return out;
}

std::string OutsideTally::what_is_missing(const OutsideWorld& world) const {
    if (std::string missing = answers.what_is_missing(); !missing.empty()) {
        return missing;
    }
    if (std::string missing = contention_not_judged(); !missing.empty()) {
        return missing;
    }
    if (!not_judged.empty()) {
        return not_judged;
    }
    if (std::string missing = never_decided(world); !missing.empty()) {
        return missing;
    }
    if (std::string missing = rate_not_judged(world); !missing.empty()) {
        return missing;
    }
    const bool asks_histories_alone =
        world.check.size() == 1 && world.check.front()->is(PropertyNumber::kUnexplainedHistory);
    if (histories_without_model > 0 && asks_histories_alone) {
        return "no model of histories fits these calls; not judged: P29 unexplained-history";
    }
    if (undecided_histories > 0) {
        return "a history was too hard to judge; not judged: P29 unexplained-history";
    }
    if (grants_over_on_return == answers.grants && answers.grants > 0) {
        return "the time of every grant was over when it was returned: " + answers.to_text();
    }
    if (runs_out_of_time > 0 && runs_out_of_time == answers.runs) {
        return "every run came to the end of the clock with somebody waiting for a later time";
    }
    const std::string of_time = properties_of_time(world);
    if ((!asks_time && !has_leases) || of_time.empty()) {
        return "";
    }
    if (world.ticks_max == 0 && !sleeps(world)) {
        return std::string("time matters (") +
               (has_leases ? "a grant carried until" : "the program asks for the time") +
               ") but cannot pass (0 ticks); not judged: " + of_time;
    }
    if (has_leases && !sees_lease_end) {
        const std::int64_t longest = (lease_time + world.tick_width - 1) / world.tick_width;
        return "no grant ever came to its end (" + ticks_text(world.ticks_max) +
               ", the longest grant takes " + ticks_text(longest) + "); not judged: " + of_time;
    }
    return "";
}

}  // namespace lockkeeper
