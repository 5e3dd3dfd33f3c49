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
  PATH_VARS CMAKE_INSTALL_DATADIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/lockkeeper-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/lockkeeper-config.cmake"
  "${PROJECT_BINARY_DIR}/lockkeeper-config-version.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/LockkeeperHeaders.cmake"
  DESTINATION "${package_dir}")
