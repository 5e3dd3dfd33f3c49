# SPDX-License-Identifier: Apache-2.0

# The library behind version.hpp. The commit is read at every build, but version.cpp is written only
# when it changed, and no header changes: a new commit recompiles one file and links.

set(LOCKKEEPER_VERSION_SOURCE "${PROJECT_BINARY_DIR}/generated/version.cpp")

add_custom_target(lockkeeper_commit
  COMMAND "${CMAKE_COMMAND}"
    -D "SOURCE_DIR=${PROJECT_SOURCE_DIR}"
    -D "TEMPLATE=${PROJECT_SOURCE_DIR}/cmake/version/version.cpp.in"
    -D "OUTPUT=${LOCKKEEPER_VERSION_SOURCE}"
    -D "VERSION=${PROJECT_VERSION}"
    -P "${PROJECT_SOURCE_DIR}/cmake/version/write_version.cmake"
  BYPRODUCTS "${LOCKKEEPER_VERSION_SOURCE}"
  COMMENT "Reading the commit"
  VERBATIM)

add_library(lockkeeper_version STATIC "${LOCKKEEPER_VERSION_SOURCE}")
add_library(lockkeeper::version ALIAS lockkeeper_version)
add_dependencies(lockkeeper_version lockkeeper_commit)
set_target_properties(lockkeeper_version PROPERTIES EXPORT_NAME version)
target_compile_features(lockkeeper_version PUBLIC cxx_std_20)
target_sources(lockkeeper_version PUBLIC
  FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/cmake/version"
  FILES "${PROJECT_SOURCE_DIR}/cmake/version/version.hpp")
lockkeeper_warnings(lockkeeper_version)
