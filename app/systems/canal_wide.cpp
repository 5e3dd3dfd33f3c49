#include "app/systems/erased.hpp"
#include "app/systems/shipped.hpp"
#include "impl/canal/canal_lock.hpp"
#include "model/world.hpp"
#include "scheduler/learned_walks.hpp"

namespace lockkeeper {

std::unique_ptr<Runner> make_wide_canal(const canal::CanalOptions& options,
                                        const WorldConfig& world) {
    using Lock = canal::CanalLock<canal::WideSize>;
    const Lock lock(options);
    return make_erased_runner(erased_for_walks(World<Lock>(lock, world)), world, lock.features());
}

}  // namespace lockkeeper
