# SPDX-License-Identifier: Apache-2.0

# Libraries that Lockkeeper uses and that have no CMake package of their own, as imported targets
# lockkeeper_thirdparty::xxhash, ::eigen, ::mariadb. Included by the build, and from its installed
# place by lockkeeper-config.cmake: so the exported targets name no path of the machine that built
# them. LOCKKEEPER_MISSING lists what is not there.

set(LOCKKEEPER_MISSING)

# lockkeeper_thirdparty_headers(<name> <header> [<folder>]): a library of headers, perhaps in a folder of
# its own. Only a directory that the compiler does not search anyway has to be named.
function(lockkeeper_thirdparty_headers name header)
  find_path(LOCKKEEPER_${name}_HEADERS "${header}" PATH_SUFFIXES ${ARGN})
  mark_as_advanced(LOCKKEEPER_${name}_HEADERS)
  if(NOT LOCKKEEPER_${name}_HEADERS)
    set(LOCKKEEPER_MISSING ${LOCKKEEPER_MISSING} "${header}" PARENT_SCOPE)
  elseif(NOT TARGET lockkeeper_thirdparty::${name})
    add_library(lockkeeper_thirdparty::${name} INTERFACE IMPORTED)
    if(NOT LOCKKEEPER_${name}_HEADERS IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
      set_target_properties(lockkeeper_thirdparty::${name} PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${LOCKKEEPER_${name}_HEADERS}")
    endif()
  endif()
endfunction()

lockkeeper_thirdparty_headers(xxhash xxhash.h)
lockkeeper_thirdparty_headers(eigen Eigen/Dense eigen3)

# The rest is what the command links. An installed Lockkeeper always has the command.
if(DEFINED LOCKKEEPER_COMMAND AND NOT LOCKKEEPER_COMMAND)
  return()
endif()

# The client library only: its headers are not among those that are installed. vcpkg and Conan have CMake
# packages for it, each by a name of its own, which know what a static library needs besides.
find_package(unofficial-libmariadb QUIET CONFIG)
find_package(mariadb-connector-c QUIET CONFIG)
find_library(LOCKKEEPER_MARIADB_LIBRARY mariadb)
mark_as_advanced(LOCKKEEPER_MARIADB_LIBRARY unofficial-libmariadb_DIR mariadb-connector-c_DIR)
foreach(packaged unofficial::libmariadb mariadb-connector-c::mariadb-connector-c)
  if(TARGET ${packaged} AND NOT TARGET lockkeeper_thirdparty::mariadb)
    add_library(lockkeeper_thirdparty::mariadb INTERFACE IMPORTED)
    set_target_properties(lockkeeper_thirdparty::mariadb PROPERTIES INTERFACE_LINK_LIBRARIES ${packaged})
  endif()
endforeach()
if(NOT TARGET lockkeeper_thirdparty::mariadb)
  if(LOCKKEEPER_MARIADB_LIBRARY)
    add_library(lockkeeper_thirdparty::mariadb UNKNOWN IMPORTED)
    set_target_properties(lockkeeper_thirdparty::mariadb PROPERTIES
      IMPORTED_LOCATION "${LOCKKEEPER_MARIADB_LIBRARY}")
  else()
    list(APPEND LOCKKEEPER_MISSING "libmariadb")
  endif()
endif()
