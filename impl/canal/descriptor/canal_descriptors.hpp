// What the descriptors of the canal lock share: the published lock, its repairs, the planted bugs.
#pragma once

#include "impl/canal/canal_options.hpp"
#include "scenarios/registry/registry.hpp"

namespace lockkeeper {

void add_planted_canal_bugs(Registry& registry);

[[nodiscard]] Vocabulary canal_vocabulary();
[[nodiscard]] RealServer canal_server();
[[nodiscard]] canal::CanalOptions canal_options(const Scenario& scenario, std::uint8_t repairs);

// Null when the scenario does not fit the size.
using CanalMaker = std::unique_ptr<Runner> (*)(const canal::CanalOptions&, const WorldConfig&);
[[nodiscard]] std::unique_ptr<Runner> make_tiny_canal(const canal::CanalOptions&,
                                                      const WorldConfig&);
[[nodiscard]] std::unique_ptr<Runner> make_small_canal(const canal::CanalOptions&,
                                                       const WorldConfig&);
[[nodiscard]] std::unique_ptr<Runner> make_crowd_canal(const canal::CanalOptions&,
                                                       const WorldConfig&);
[[nodiscard]] std::unique_ptr<Runner> make_throng_canal(const canal::CanalOptions&,
                                                        const WorldConfig&);
[[nodiscard]] std::unique_ptr<Runner> make_keys_canal(const canal::CanalOptions&,
                                                      const WorldConfig&);
[[nodiscard]] std::unique_ptr<Runner> make_wide_canal(const canal::CanalOptions&,
                                                      const WorldConfig&);

}  // namespace lockkeeper
