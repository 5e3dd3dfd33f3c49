#include "app/systems/broken_part.hpp"

namespace lockkeeper {

void add_broken_managers(Registry& registry) {
    add_broken_lock<broken::KeepsOneReference>(registry, "keeps_one_reference", "lost-reference",
                    "keeps one reference a caller");
    add_broken_lock<broken::KeepsTheReference>(registry, "keeps_the_reference", "foreign-reference",
                    "unlock does not remove the reference");
    add_broken_lock<broken::LosesTheNotification>(registry, "loses_the_notification", "foreign-release",
                    "the notification is lost");
    add_broken_lock<broken::ManagerWithSmallerMaxPer>(registry, "manager_with_smaller_max_per", "manager-death",
                    "the manager was started with a smaller max_per");
}

}  // namespace lockkeeper
