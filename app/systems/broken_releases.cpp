#include "app/systems/broken_part.hpp"

namespace lockkeeper {

void add_broken_releases(Registry& registry) {
    add_broken_lock<broken::SubtractsTwo>(registry, "subtracts_two", "double-release",
                    "subtracts 2 always, not only when forced");
    add_broken_lock<broken::DropsTheUndo>(registry, "drops_the_undo", "negative-counter",
                    "does not put an empty bucket back to 0");
    add_broken_lock<broken::DiesOfTheMark>(registry, "dies_of_the_mark", "caller-death",
                    "has no rule for the mark");
    add_broken_lock<broken::NeverForces>(registry, "never_forces", "livelock",
                    "subtracts the mark for ever");
}

}  // namespace lockkeeper
