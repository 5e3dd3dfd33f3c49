# SPDX-License-Identifier: Apache-2.0

# The Erlang side of `validate --server erlang` is part of the executable, so that an installed
# Lockkeeper has it: validate/erlang/*.erl as strings (validate/erlang/node.hpp).
function(lockkeeper_erlang_sources)
  set(directory "${PROJECT_SOURCE_DIR}/validate/erlang")
  file(GLOB modules CONFIGURE_DEPENDS "${directory}/*.erl")
  set(LOCKKEEPER_ERLANG_ROWS "")
  foreach(module IN LISTS modules)
    set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${module}")
    get_filename_component(name "${module}" NAME)
    file(READ "${module}" text)
    string(APPEND LOCKKEEPER_ERLANG_ROWS "    {\"${name}\", R\"erlang(${text})erlang\"},\n")
  endforeach()
  set(generated "${PROJECT_BINARY_DIR}/generated/erlang_sources.cpp")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/erlang_sources.cpp.in" "${generated}" @ONLY)
  target_sources(lockkeeper_validate_erlang PRIVATE "${generated}")
endfunction()
