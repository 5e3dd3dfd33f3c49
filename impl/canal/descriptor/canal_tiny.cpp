#include "impl/canal/canal_lock.hpp"
#include "impl/canal/descriptor/canal_descriptors.hpp"
#include "model/world.hpp"
#include "scheduler/system_runner.hpp"

namespace lockkeeper {

std::unique_ptr<Runner> make_tiny_canal(const canal::CanalOptions& options,
                                        const WorldConfig& world) {
    using Lock = canal::CanalLock<canal::TinySize>;
    const Lock lock(options);
    return std::make_unique<SystemRunner<World<Lock>>>(World<Lock>(lock, world), world,
                                                       lock.features());
}

}  // namespace lockkeeper
