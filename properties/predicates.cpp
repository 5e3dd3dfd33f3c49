#include "properties/predicates.hpp"

#include <algorithm>

namespace lockkeeper::predicates {
namespace {

template <class Test>
bool any_key(const Observation& observation, Test test) {
    // A dead manager took the tables with it: that is P11, not a property of counters.
    return !observation.manager_dead &&
           std::any_of(observation.keys.begin(), observation.keys.begin() + observation.keys_count,
                       test);
}

template <class Test>
bool any_reference(const Observation& observation, Test test) {
    for (std::size_t i = 0; i < observation.callers_count && !observation.manager_dead; ++i) {
        const CallerObservation& caller = observation.callers[i];
        for (std::size_t key = 0; key < observation.keys_count; ++key) {
            if (test(caller.references[key], caller.believed[key])) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace

bool over_allocated(const Observation&, const Event& event) {
    return event.holding_before >= event.capacity;
}

bool leaked(const Observation& observation, const Event&) {
    return any_key(observation,
                   [](const KeyObservation& key) { return key.counted_least > key.believed; });
}

bool failed_although_done(const Observation&, const Event& event) { return event.committed; }

bool refused_without_reason(const Observation&, const Event& event) {
    return event.possible_most < event.capacity;
}

bool released_twice(const Observation& observation, const Event&) {
    return any_key(observation,
                   [](const KeyObservation& key) { return key.counted_most < key.believed; });
}

bool negative_at_rest(const Observation& observation, const Event&) {
    return any_key(observation, [](const KeyObservation& key) { return key.lowest_counter < 0; });
}

bool count_is_wrong(const Observation&, const Event& event) {
    return event.count < static_cast<std::int64_t>(event.certain_least) + 1 ||
           event.count > static_cast<std::int64_t>(event.possible_most) + 1;
}

bool reference_lost(const Observation& observation, const Event&) {
    return any_reference(observation, [](std::uint32_t references, std::uint32_t believed) {
        return references < believed;
    });
}

bool reference_foreign(const Observation& observation, const Event&) {
    return any_reference(observation, [](std::uint32_t references, std::uint32_t believed) {
        return references > believed;
    });
}

bool grants_overlap(const Observation& observation, const Event&) {
    return observation.grants_overlap;
}

bool phantom(const Observation& observation, const Event&) {
    return any_key(observation, [](const KeyObservation& key) { return key.phantoms > 0; });
}

bool happened(const Observation&, const Event&) { return true; }

bool poisoned(const Observation& observation, const Event&) {
    return any_key(observation, [](const KeyObservation& key) { return !key.releasable; });
}

bool acquired_out_of_order(const Observation& observation, const Event& event) {
    const auto buckets = observation.keys[event.key].buckets();
    for (std::size_t i = 0; i + 1 < event.bucket && i < buckets.size(); ++i) {
        if (buckets[i] < static_cast<std::int32_t>(event.max_per)) {
            return true;
        }
    }
    return false;
}

bool released_out_of_order(const Observation& observation, const Event& event) {
    const auto buckets = observation.keys[event.key].buckets();
    for (std::size_t i = event.bucket; i < buckets.size(); ++i) {
        if (buckets[i] > 0) {
            return true;
        }
    }
    return false;
}

}  // namespace lockkeeper::predicates
