// SPDX-License-Identifier: Apache-2.0
#include "measure/result_message.hpp"

#include "scheduler/ranks/property_message.hpp"

// Each type has one list of its members, pass(way, value), for both ways: so none is written that
// is not read, nor in another order.
namespace lockkeeper {
namespace {

struct Outward {
    MessageWriter& out;
};
struct Inward {
    MessageReader& in;
};

// Plain values without pointers.
template <class T>
concept IsPlain = std::is_arithmetic_v<T> || std::is_enum_v<T> || std::same_as<T, Figure> ||
    std::same_as<T, ServedShares> || std::same_as<T, Law> || std::same_as<T, Load> ||
    std::same_as<T, Action>;

template <IsPlain T>
void pass(const Outward& way, T& value) {
    way.out.value(value);
}
template <IsPlain T>
void pass(const Inward& way, T& value) {
    value = way.in.value<T>();
}
void pass(const Outward& way, std::string& text) { way.out.text(text); }
void pass(const Inward& way, std::string& text) { text = way.in.text(); }
void pass(const Outward& way, const Property*& property) { write_property(property, way.out); }
void pass(const Inward& way, const Property*& property) { property = read_property(way.in); }

template <class Way, class T>
void pass(const Way& way, std::optional<T>& value);
template <class Way, class T>
void pass(const Way& way, std::vector<T>& values);
template <class Way>
void pass(const Way& way, MeasureResult& result);

template <class Way, class... Members>
void pass_all(const Way& way, Members&... members) {
    (pass(way, members), ...);
}

template <class Way>
void pass(const Way& way, std::pair<std::string, double>& named) {
    pass_all(way, named.first, named.second);
}
template <class Way>
void pass(const Way& way, Schedule& schedule) {
    pass_all(way, schedule.seed, schedule.actions);
}
template <class Way>
void pass(const Way& way, ExtremeRates& rates) {
    pass_all(way, rates.least, rates.most, rates.schedule_least, rates.schedule_most);
}
template <class Way>
void pass(const Way& way, PropertyRates& rates) {
    pass_all(way, rates.property, rates.per_run, rates.count_per_run, rates.per_acquire,
             rates.to_first, rates.fraction_of_time, rates.violating_seconds, rates.overlap_lasts,
             rates.overlap_lasts_if_any, rates.extremes, rates.hits);
}
template <class Way>
void pass(const Way& way, MeasureResult& result) {
    pass_all(way, result.method, result.law, result.complete, result.limit, result.properties,
             result.acquires_per_run, result.capacity_lost, result.seconds_to_seizure,
             result.seconds_per_run, result.served, result.states, result.transitions, result.runs,
             result.steps, result.cut_runs, result.confidence, result.is_below, result.seconds);
}
template <class Way>
void pass(const Way& way, FigureDifference& difference) {
    pass_all(way, difference.property, difference.which, difference.exact, difference.sampled);
}
template <class Way>
void pass(const Way& way, Agreement& agreement) {
    pass_all(way, agreement.sampled, agreement.figures, agreement.difference);
}
template <class Way>
void pass(const Way& way, EventsPerDay& events) {
    pass_all(way, events.property, events.per_day);
}
template <class Way>
void pass(const Way& way, Forecast& forecast) {
    pass_all(way, forecast.load, forecast.events, forecast.has_capacity, forecast.units_per_acquire,
             forecast.units_per_day, forecast.seconds_to_seizure, forecast.restart_seconds);
}
template <class Way>
void pass(const Way&, RunsNeverEnd&) {}
template <class Way>
void pass(const Way& way, RunsWereCut& cut) {
    pass_all(way, cut.cut, cut.runs);
}
template <class Way>
void pass(const Way& way, SamplingEnded& ended) {
    pass(way, ended.limit);
}
template <class Way>
void pass(const Way&, std::monostate&) {}

// The alternative with this index, made where it is read.
template <std::size_t kIndex>
void become(NotCompared& why, std::size_t index) {
    if constexpr (kIndex < std::variant_size_v<NotCompared>) {
        if (index == kIndex) {
            why.emplace<kIndex>();
        } else {
            become<kIndex + 1>(why, index);
        }
    } else {
        unreachable("a reason of another version");
    }
}
template <class Way>
void pass(const Way& way, NotCompared& why) {
    std::uint64_t index = why.index();
    pass(way, index);
    if (index != why.index()) {
        become<0>(why, index);
    }
    std::visit([&](auto& reason) { pass(way, reason); }, why);
}

template <class Way>
void pass(const Way& way, MeasuredPoint& point) {
    pass_all(way, point.system, point.variant, point.scope, point.at, point.capacity, point.result,
             point.agreement, point.not_compared, point.forecast);
}
template <class Way>
void pass(const Way& way, SweptViolation& violation) {
    pass_all(way, violation.property, violation.steps);
}
template <class Way>
void pass(const Way& way, SweptPoint& point) {
    pass_all(way, point.callers, point.states, point.complete, point.violations, point.measured);
}

template <class Way, class T>
void pass(const Way& way, std::optional<T>& value) {
    bool is_there = value.has_value();
    pass(way, is_there);
    if (is_there) {
        pass(way, value ? *value : value.emplace());
    }
}
template <class Way, class T>
void pass(const Way& way, std::vector<T>& values) {
    std::uint64_t count = values.size();
    pass(way, count);
    values.resize(count);
    for (T& value : values) {
        pass(way, value);
    }
}

}  // namespace

void write_result(const MeasureResult& result, MessageWriter& out) {
    MeasureResult copy = result;
    pass(Outward{out}, copy);
}
MeasureResult read_result(MessageReader& in) {
    MeasureResult result;
    pass(Inward{in}, result);
    return result;
}

void write_point(const SweptPoint& point, MessageWriter& out) {
    SweptPoint copy = point;
    pass(Outward{out}, copy);
}
SweptPoint read_point(MessageReader& in) {
    SweptPoint point;
    pass(Inward{in}, point);
    return point;
}

}  // namespace lockkeeper
