# SPDX-License-Identifier: Apache-2.0

# Third-party packages, all from Debian 12 (tools/packages.txt). Imported targets are SYSTEM, so
# their headers give no warnings. What the installed headers include and what the installed
# libraries link is in lockkeeper_packages and found again by cmake/lockkeeper-config.cmake.in. What
# only sources and tests include ends with the build: users are not asked for it.

if(EMSCRIPTEN)
  include(LockkeeperWasm)
  lockkeeper_wasm_packages()
  return()
endif()

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Boost REQUIRED)
find_package(TBB REQUIRED)
include(LockkeeperHeaders)
if(LOCKKEEPER_MISSING)
  message(FATAL_ERROR "not found: ${LOCKKEEPER_MISSING}")
endif()
if(LOCKKEEPER_COMMAND)
  find_package(CLI11 REQUIRED)
  # The clients of the database servers, for lockkeeper_validate_servers only.
  find_package(PostgreSQL REQUIRED)
  find_path(LOCKKEEPER_MARIADB_INCLUDE mysql.h PATH_SUFFIXES mariadb mysql REQUIRED)
endif()

add_library(lockkeeper_packages INTERFACE)
add_library(lockkeeper::packages ALIAS lockkeeper_packages)
set_target_properties(lockkeeper_packages PROPERTIES EXPORT_NAME packages)
target_compile_features(lockkeeper_packages INTERFACE cxx_std_20)
target_link_libraries(lockkeeper_packages INTERFACE
  Threads::Threads fmt::fmt nlohmann_json::nlohmann_json Boost::headers
  lockkeeper_thirdparty::xxhash lockkeeper_thirdparty::eigen
  $<BUILD_INTERFACE:$<TARGET_NAME_IF_EXISTS:CLI11::CLI11>>)

# These change what the headers mean, so every translation unit must agree, installed or not.
# XXH_INLINE_ALL is empty, not 1, so that a `#define XXH_INLINE_ALL` in a source is no redefinition.
target_compile_definitions(lockkeeper_packages INTERFACE JSON_DIAGNOSTICS=1 "XXH_INLINE_ALL=")

if(LOCKKEEPER_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
  find_package(valijson REQUIRED)
endif()
if(LOCKKEEPER_BENCH)
  find_package(benchmark REQUIRED)
endif()
