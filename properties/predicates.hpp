// The predicates behind the catalogue: each true when the promise is broken. Numbers as there.
#pragma once

#include "model/event.hpp"
#include "model/observation.hpp"

namespace lockkeeper::predicates {

bool over_allocated(const Observation&, const Event& event);           // P1
bool leaked(const Observation& observation, const Event&);             // P2
bool refused_without_reason(const Observation&, const Event& event);   // P3
bool released_twice(const Observation& observation, const Event&);     // P4
bool negative_at_rest(const Observation& observation, const Event&);   // P5
bool count_is_wrong(const Observation&, const Event& event);           // P6
bool reference_lost(const Observation& observation, const Event&);     // P7
bool reference_foreign(const Observation& observation, const Event&);  // P8
bool grants_overlap(const Observation& observation, const Event&);     // P18
bool phantom(const Observation& observation, const Event&);            // P22
bool happened(const Observation&, const Event&);                       // by trigger: P9 to P11 ...
bool failed_although_done(const Observation&, const Event& event);     // P28
bool poisoned(const Observation& observation, const Event&);           // P12
bool acquired_out_of_order(const Observation& observation, const Event& event);  // P15
bool released_out_of_order(const Observation& observation, const Event& event);  // P16

}  // namespace lockkeeper::predicates
