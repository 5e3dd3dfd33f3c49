#include "impl/canal/canal_lock.hpp"
#include "impl/canal/descriptor/canal_descriptors.hpp"
#include "model/world.hpp"
#include "scheduler/erased_runner.hpp"
#include "scheduler/runs/learned_walks.hpp"

namespace lockkeeper {

std::unique_ptr<Runner> make_keys_canal(const canal::CanalOptions& options,
                                        const WorldConfig& world) {
    using Lock = canal::CanalLock<canal::KeysSize>;
    const Lock lock(options);
    const World<Lock> system(lock, world);
    return make_erased_runner(ErasedSystem(system), learned_walkers_of(system), world,
                              lock.features());
}

}  // namespace lockkeeper
