#include "app/systems/broken_part.hpp"

namespace lockkeeper {

void add_broken(Registry& registry) {
    add_broken_counters(registry);
    add_broken_releases(registry);
    add_broken_managers(registry);
    add_broken_orders(registry);
}

}  // namespace lockkeeper
