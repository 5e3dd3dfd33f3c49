# SPDX-License-Identifier: Apache-2.0

# Which copy of a function a test executable gets.

# Of an inline function that a library and a test both have, the linker takes the one that it meets first: not the
# test's, which is not optimised. The searches come first, and last what is quick to compile. With sanitizers only what
# is tested comes before the tests: of some other libraries not everything is instrumented.
function(lockkeeper_libraries_first name)
  set(all)
  if(NOT LOCKKEEPER_SANITIZE)
    lockkeeper_linked_libraries(all ${ARGN})
  endif()
  set(libraries)
  foreach(fast "scheduler|measure|impl_descriptor" "model|impl|properties" ".*")
    set(some ${all})
    list(FILTER some INCLUDE REGEX "^lockkeeper_(${fast})$")
    list(APPEND libraries ${some})
  endforeach()
  list(APPEND libraries ${ARGN})
  list(REMOVE_DUPLICATES libraries)
  foreach(library IN LISTS libraries)
    get_target_property(type ${library} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      target_link_options(${name} PRIVATE
        "LINKER:--whole-archive,$<TARGET_FILE:${library}>,--no-whole-archive")
    endif()
  endforeach()
endfunction()

# Adds to the list `result` the static libraries among the targets, and those that they are linked with.
function(lockkeeper_linked_libraries result)
  set(found ${${result}})
  foreach(library IN LISTS ARGN)
    if(NOT library MATCHES "^lockkeeper_" OR NOT TARGET ${library} OR library IN_LIST found)
      continue()
    endif()
    get_target_property(type ${library} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      list(APPEND found ${library})
    endif()
    get_target_property(linked ${library} INTERFACE_LINK_LIBRARIES)
    if(linked)
      lockkeeper_linked_libraries(found ${linked})
    endif()
  endforeach()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# lockkeeper_shipped_searches_first(<test>...): the searches that these tests instantiate and that impl/descriptor
# ships, they get from there, optimised: two thirds of their time. Not in builds for a change that is being made, which
# would wait for all systems, nor with sanitizers, where impl/descriptor has no such searches or is not built.
function(lockkeeper_shipped_searches_first)
  if(LOCKKEEPER_SANITIZE OR NOT CMAKE_BUILD_TYPE STREQUAL "Release")
    return()
  endif()
  foreach(test IN LISTS ARGN)
    if(TARGET ${test})
      target_link_libraries(${test} PRIVATE lockkeeper_impl_descriptor)
      lockkeeper_libraries_first(${test} lockkeeper_impl_descriptor)
    endif()
  endforeach()
endfunction()
