#include "app/systems/broken_part.hpp"

namespace lockkeeper {

void add_broken_counters(Registry& registry) {
    add_broken_lock<broken::GrantsAtCap>(registry, "grants_at_cap", "over-allocation",
                    "takes the cap for the last unit");
    add_broken_lock<broken::LeavesTheMark>(registry, "leaves_the_mark", "leak",
                    "does not subtract again when it took the mark");
    add_broken_lock<broken::RefusesTheLastUnit>(registry, "refuses_the_last_unit", "under-allocation",
                    "takes the last unit for the cap");
    add_broken_lock<broken::CountsFromZero>(registry, "counts_from_zero", "wrong-count",
                    "the count does not include the new lock");
}

}  // namespace lockkeeper
