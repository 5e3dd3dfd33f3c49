// SPDX-License-Identifier: Apache-2.0

// A scenario of monglock becomes one of its locks. Whoever registers them calls these.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "impl/monglock/multi_lock.hpp"
#include "impl/monglock/write_lock.hpp"
#include "scenarios/registry/registry.hpp"
#include "scenarios/registry/repairs.hpp"

namespace lockkeeper::monglock {

inline constexpr std::int32_t kWriteLockTimeout = 10'000;  // where none is given
inline constexpr std::int32_t kMajority = 2;               // w, of three servers

[[nodiscard]] std::span<const NamedRepair> write_lock_repairs();
[[nodiscard]] std::span<const NamedRepair> multi_lock_repairs();

// The lock, or what is wrong with the scenario.
[[nodiscard]] std::variant<WriteLock, InputError> make_write_lock(const Scenario& scenario,
                                                                  void (*plant)(WriteLockOptions&));
[[nodiscard]] WriteLockOptions write_lock_options(const Scenario& scenario);
[[nodiscard]] std::variant<MultiLock, InputError> make_multi_lock(const Scenario& scenario,
                                                                  void (*plant)(MultiLockOptions&));

// For both locks.
void fill_in(const Scenario& scenario, ClientSideOptions& options);
[[nodiscard]] std::string limits_of_time(const Scenario& scenario);

}  // namespace lockkeeper::monglock
