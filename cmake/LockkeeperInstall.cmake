# SPDX-License-Identifier: Apache-2.0

# Install rules and the CMake package: find_package(lockkeeper) gives lockkeeper::model ...
# lockkeeper::app. Headers go to include/lockkeeper, so that `#include "model/action.hpp"` is
# written the same way inside and outside of this repository.

include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/lockkeeper")
set(include_dir "${CMAKE_INSTALL_INCLUDEDIR}/lockkeeper")

get_property(libraries GLOBAL PROPERTY LOCKKEEPER_LIBRARIES)
install(TARGETS ${libraries} lockkeeper_version lockkeeper_packages EXPORT lockkeeper
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  FILE_SET HEADERS DESTINATION "${include_dir}"
  INCLUDES DESTINATION "${include_dir}")
if(TARGET lockkeeper)
  install(TARGETS lockkeeper RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/NOTICE"
  "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
  DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
  FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.csv")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples" DESTINATION "${CMAKE_INSTALL_DATADIR}/lockkeeper"
  USE_SOURCE_PERMISSIONS PATTERN "node_modules" EXCLUDE PATTERN "__pycache__" EXCLUDE)
# What `lockkeeper clinic` starts. Its libraries are among the examples.
install(PROGRAMS "${PROJECT_SOURCE_DIR}/tools/clinic/clinic.py"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/lockkeeper/tools/clinic")
install(FILES "${PROJECT_SOURCE_DIR}/tools/clinic/expectation.py" "${PROJECT_SOURCE_DIR}/tools/clinic/interrupts.py"
  "${PROJECT_SOURCE_DIR}/tools/clinic/packages.py" "${PROJECT_SOURCE_DIR}/tools/clinic/run.py"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/lockkeeper/tools/clinic")

# `lockkeeper playground`, where it was made.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/build/playground"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/lockkeeper" OPTIONAL)

# Scenarios and their schemas (scenarios/schema/*.json).
install(DIRECTORY "${PROJECT_SOURCE_DIR}/scenarios"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/lockkeeper" OPTIONAL
  FILES_MATCHING PATTERN "*.json")

# The schemas of what the command prints (reports/schema/*.json).
install(DIRECTORY "${PROJECT_SOURCE_DIR}/reports/schema"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/lockkeeper/reports"
  FILES_MATCHING PATTERN "*.json")

install(EXPORT lockkeeper NAMESPACE lockkeeper:: FILE lockkeeper-targets.cmake
  DESTINATION "${package_dir}")
configure_package_config_file(cmake/lockkeeper-config.cmake.in
  "${PROJECT_BINARY_DIR}/lockkeeper-config.cmake" INSTALL_DESTINATION "${package_dir}"
  PATH_VARS CMAKE_INSTALL_DATADIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/lockkeeper-config-version.cmake"
  COMPATIBILITY SameMajorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/lockkeeper-config.cmake"
  "${PROJECT_BINARY_DIR}/lockkeeper-config-version.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/LockkeeperHeaders.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/LockkeeperThreadsTest.cmake"
  DESTINATION "${package_dir}")

# For builds without CMake: `pkg-config --cflags --libs lockkeeper`, or lockkeeper-native for the lock
# that programs link. Each static library is named before those that it uses.
set(LOCKKEEPER_PC_LIBRARIES)
foreach(library IN LISTS libraries)
  get_target_property(type ${library} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    string(PREPEND LOCKKEEPER_PC_LIBRARIES "-l${library} ")
  endif()
endforeach()
# From the directory of these files to the prefix, which is known only when it is installed.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}"
  OUTPUT_VARIABLE LOCKKEEPER_PC_PREFIX)
string(REGEX REPLACE "[^/]+" ".." LOCKKEEPER_PC_PREFIX "${LOCKKEEPER_PC_PREFIX}")
set(described lockkeeper lockkeeper-native)
if(TARGET lockkeeper_threads)
  list(APPEND described lockkeeper-threads)
endif()
foreach(name IN LISTS described)
  configure_file("cmake/${name}.pc.in" "${PROJECT_BINARY_DIR}/${name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()
