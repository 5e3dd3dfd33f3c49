# SPDX-License-Identifier: Apache-2.0

# Libraries that Lockkeeper uses and that have no CMake package of their own, as imported targets
# lockkeeper_thirdparty::xxhash, ::eigen, ::mariadb, ::httplib. Included by the build, and from its installed
# place by lockkeeper-config.cmake: so the exported targets name no path of the machine that built
# them. LOCKKEEPER_MISSING lists what is not there.

set(LOCKKEEPER_MISSING)

# A library of headers. Only a directory that the compiler does not search anyway has to be named.
function(lockkeeper_thirdparty_headers name header)
  find_path(LOCKKEEPER_${name}_INCLUDE "${header}")
  mark_as_advanced(LOCKKEEPER_${name}_INCLUDE)
  if(NOT LOCKKEEPER_${name}_INCLUDE)
    set(LOCKKEEPER_MISSING ${LOCKKEEPER_MISSING} "${header}" PARENT_SCOPE)
  elseif(NOT TARGET lockkeeper_thirdparty::${name})
    add_library(lockkeeper_thirdparty::${name} INTERFACE IMPORTED)
    if(NOT LOCKKEEPER_${name}_INCLUDE IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
      set_target_properties(lockkeeper_thirdparty::${name} PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${LOCKKEEPER_${name}_INCLUDE}")
    endif()
  endif()
endfunction()

lockkeeper_thirdparty_headers(xxhash xxhash.h)
lockkeeper_thirdparty_headers(eigen eigen3/Eigen/Dense)

# The rest is what the command links. An installed Lockkeeper always has the command.
if(DEFINED LOCKKEEPER_COMMAND AND NOT LOCKKEEPER_COMMAND)
  return()
endif()

# The client library only: its headers are not among those that are installed.
find_library(LOCKKEEPER_MARIADB_LIBRARY mariadb)
mark_as_advanced(LOCKKEEPER_MARIADB_LIBRARY)
if(NOT LOCKKEEPER_MARIADB_LIBRARY)
  list(APPEND LOCKKEEPER_MISSING "libmariadb")
elseif(NOT TARGET lockkeeper_thirdparty::mariadb)
  add_library(lockkeeper_thirdparty::mariadb UNKNOWN IMPORTED)
  set_target_properties(lockkeeper_thirdparty::mariadb PROPERTIES
    IMPORTED_LOCATION "${LOCKKEEPER_MARIADB_LIBRARY}")
endif()

# As its own CMake package, or by pkg-config: Debian's library says there with which options it was
# compiled, which change its classes.
find_package(httplib QUIET CONFIG)
if(NOT httplib_FOUND)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(LOCKKEEPER_HTTPLIB QUIET cpp-httplib)
  endif()
endif()
if(NOT httplib_FOUND AND NOT LOCKKEEPER_HTTPLIB_FOUND)
  list(APPEND LOCKKEEPER_MISSING "cpp-httplib")
elseif(NOT TARGET lockkeeper_thirdparty::httplib)
  add_library(lockkeeper_thirdparty::httplib INTERFACE IMPORTED)
  if(httplib_FOUND)
    set_target_properties(lockkeeper_thirdparty::httplib PROPERTIES
      INTERFACE_LINK_LIBRARIES httplib::httplib)
  else()
    set_target_properties(lockkeeper_thirdparty::httplib PROPERTIES
      INTERFACE_COMPILE_OPTIONS "${LOCKKEEPER_HTTPLIB_CFLAGS_OTHER}"
      INTERFACE_LINK_LIBRARIES "${LOCKKEEPER_HTTPLIB_LINK_LIBRARIES}")
  endif()
endif()
