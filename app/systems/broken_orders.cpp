#include "app/systems/broken_part.hpp"

namespace lockkeeper {

void add_broken_orders(Registry& registry) {
    add_broken_lock<broken::ForgetsToRegister>(registry, "forgets_to_register", "poisoned-key",
                    "does not register the first bucket");
    add_broken_lock<broken::ForgetsToReply>(registry, "forgets_to_reply", "deadlock",
                    "handles unlock and does not reply");
    add_broken_lock<broken::AcquiresFromTheRight>(registry, "acquires_from_the_right", "acquire-order",
                    "begins with the newest bucket");
    add_broken_lock<broken::ReleasesFromTheLeft>(registry, "releases_from_the_left", "release-order",
                    "gives back to the oldest bucket first");
}

}  // namespace lockkeeper
