# SPDX-License-Identifier: Apache-2.0

# Run by ctest: a project that builds Lockkeeper's sources with its own tests its threads, by
# FetchContent and by add_subdirectory.

include("${CMAKE_CURRENT_LIST_DIR}/run_or_fail.cmake")

file(REMOVE_RECURSE "${WORK_DIR}")
file(COPY "${SOURCE_DIR}/examples/threads/limiter.cpp" "${SOURCE_DIR}/examples/threads/lost_update.cpp"
     DESTINATION "${WORK_DIR}")
file(WRITE "${WORK_DIR}/CMakeLists.txt" [[
cmake_minimum_required(VERSION 3.25)
project(my_service LANGUAGES CXX)
enable_testing()
set(LOCKKEEPER_COMMAND OFF)
if(BY_FETCH_CONTENT)
  include(FetchContent)
  FetchContent_Declare(lockkeeper SOURCE_DIR "${LOCKKEEPER_SOURCE}")
  FetchContent_MakeAvailable(lockkeeper)
else()
  add_subdirectory("${LOCKKEEPER_SOURCE}" "${CMAKE_BINARY_DIR}/_deps/lockkeeper-build")
endif()
lockkeeper_threads_test(right limiter.cpp)
lockkeeper_threads_test(wrong lost_update.cpp)
set_tests_properties(wrong PROPERTIES WILL_FAIL ON)
]])
foreach(by_fetch_content ON OFF)
  run_or_fail("${CMAKE_COMMAND}" -S "${WORK_DIR}" -B "${WORK_DIR}/build" -G "${GENERATOR}"
    "-DLOCKKEEPER_SOURCE=${SOURCE_DIR}" "-DBY_FETCH_CONTENT=${by_fetch_content}"
    "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}" -DLOCKKEEPER_UNITY=ON)
  run_or_fail("${CMAKE_COMMAND}" --build "${WORK_DIR}/build" -j 1)
  run_or_fail("${CMAKE_CTEST_COMMAND}" --test-dir "${WORK_DIR}/build" --output-on-failure --no-tests=error)
endforeach()
