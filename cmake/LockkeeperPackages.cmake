# Third-party packages, all from Debian 12 (tools/packages.txt). Imported targets are SYSTEM, so
# their headers give no warnings. What the libraries' users need too is in lockkeeper_packages and
# repeated by cmake/lockkeeper-config.cmake.in.

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(valijson REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Boost REQUIRED)
find_package(TBB REQUIRED)
find_path(LOCKKEEPER_XXHASH_INCLUDE xxhash.h REQUIRED)
# The clients of the database servers, for lockkeeper_databases only.
find_package(PostgreSQL REQUIRED)
find_path(LOCKKEEPER_MARIADB_INCLUDE mysql.h PATH_SUFFIXES mariadb REQUIRED)
find_library(LOCKKEEPER_MARIADB_LIBRARY mariadb REQUIRED)

add_library(lockkeeper_packages INTERFACE)
add_library(lockkeeper::packages ALIAS lockkeeper_packages)
set_target_properties(lockkeeper_packages PROPERTIES EXPORT_NAME packages)
target_compile_features(lockkeeper_packages INTERFACE cxx_std_20)
target_link_libraries(lockkeeper_packages INTERFACE
  Threads::Threads fmt::fmt nlohmann_json::nlohmann_json valijson CLI11::CLI11 Boost::headers)

# These change what the headers mean, so every translation unit must agree, installed or not.
# XXH_INLINE_ALL is empty, not 1, so that a `#define XXH_INLINE_ALL` in a source is no redefinition.
target_compile_definitions(lockkeeper_packages INTERFACE JSON_DIAGNOSTICS=1 "XXH_INLINE_ALL=")

# Only a directory that the compiler does not search anyway has to be named.
if(NOT LOCKKEEPER_XXHASH_INCLUDE IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
  target_include_directories(lockkeeper_packages SYSTEM INTERFACE
    "$<BUILD_INTERFACE:${LOCKKEEPER_XXHASH_INCLUDE}>")
endif()

if(LOCKKEEPER_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
if(LOCKKEEPER_BENCH)
  find_package(benchmark REQUIRED)
endif()
