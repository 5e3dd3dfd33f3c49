# SPDX-License-Identifier: Apache-2.0

# impl/native: the canal lock for C++ programs. A library of headers, apart from lockkeeper_impl, so
# that a program which only wants the lock links nothing of the harness.

# lockkeeper_native_test(<name> <source>): an executable with a main of its own that is one test.
function(lockkeeper_native_test name source)
  add_executable(${name} "${PROJECT_SOURCE_DIR}/${source}")
  lockkeeper_warnings(${name})
  target_link_libraries(${name} PRIVATE lockkeeper_native)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300)
endfunction()

# Every execution of small scopes, weak memory included, by `lockkeeper threads`.
function(lockkeeper_native_scopes)
  if(NOT TARGET lockkeeper_threads OR NOT Python3_FOUND)
    return()
  endif()
  add_test(NAME native_scopes
    COMMAND "${Python3_EXECUTABLE}" -B examples/threads/threads_test.py --folder impl/native/threads
      --bin "${PROJECT_BINARY_DIR}" --compiler g++ --work "${PROJECT_BINARY_DIR}/native_scopes"
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  add_test(NAME beside_relacy
    COMMAND "${Python3_EXECUTABLE}" -B bench/threads/beside_relacy.py "${PROJECT_BINARY_DIR}" --quick
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(native_scopes beside_relacy PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
endfunction()

function(lockkeeper_native_lock)
  set(directory "${PROJECT_SOURCE_DIR}/impl/native")
  file(GLOB headers CONFIGURE_DEPENDS "${directory}/*.hpp")
  list(FILTER headers EXCLUDE REGEX "_test\\.hpp$")  # not installed
  # The one header of the model that it needs: the names of the steps.
  list(APPEND headers "${PROJECT_SOURCE_DIR}/impl/canal/canal_label.hpp")
  add_library(lockkeeper_native INTERFACE)
  add_library(lockkeeper::native ALIAS lockkeeper_native)
  set_target_properties(lockkeeper_native PROPERTIES EXPORT_NAME native)
  target_sources(lockkeeper_native INTERFACE
    FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${headers})
  target_include_directories(lockkeeper_native INTERFACE
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>")
  target_compile_features(lockkeeper_native INTERFACE cxx_std_20)
  target_link_libraries(lockkeeper_native INTERFACE Threads::Threads TBB::tbb)
  set_property(GLOBAL APPEND PROPERTY LOCKKEEPER_LIBRARIES lockkeeper_native)

  # Not a test and not part of `all`: `make soak`.
  add_executable(native_soak EXCLUDE_FROM_ALL "${directory}/soak/native_soak.cpp")
  lockkeeper_warnings(native_soak)
  target_link_libraries(native_soak PRIVATE lockkeeper_native)

  if(LOCKKEEPER_TESTS)
    file(GLOB tests CONFIGURE_DEPENDS "${directory}/*_test.cpp")
    if(LOCKKEEPER_SANITIZE STREQUAL "thread")
      list(FILTER tests INCLUDE REGEX "_threads_test\\.cpp$")
    endif()
    lockkeeper_test(native_test SOURCES ${tests} LIBRARIES lockkeeper_native lockkeeper_model)
    # At full speed where speed is the point.
    set_source_files_properties("${directory}/native_threads_test.cpp" PROPERTIES
      COMPILE_OPTIONS "$<$<CONFIG:Release>:-O2>" SKIP_PRECOMPILE_HEADERS ON)
    lockkeeper_native_test(native_example examples/native/connection_limiter.cpp)
    lockkeeper_native_scopes()
  endif()
endfunction()
