# SPDX-License-Identifier: Apache-2.0

# Run by ctest: installs the build into a fresh prefix, then configures, builds and tests the
# example against it, as somebody would who has the installed package only, and nothing that only
# tests need. tools/check_docs.py goes on with both directories (docs/start/your_lock_cpp.md).

set(prefix "${WORK_DIR}/lockkeeper")
set(build "${WORK_DIR}/your_own_lock")
set(for_tests valijson GTest rapidcheck benchmark CLI11)
file(REMOVE_RECURSE "${WORK_DIR}")
file(MAKE_DIRECTORY "${WORK_DIR}")

include("${CMAKE_CURRENT_LIST_DIR}/run_or_fail.cmake")

run_or_fail("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${prefix}")

# Somebody else's machine has other paths, and a package may be installed into another place.
file(GLOB_RECURSE exported "${prefix}/*.cmake")
if(NOT exported)
  message(FATAL_ERROR "no CMake package was installed")
endif()
foreach(file IN LISTS exported)
  file(STRINGS "${file}" lines REGEX "[\"';=>: ]/[A-Za-z]")
  list(FILTER lines EXCLUDE REGEX "^ *#")
  if(lines)
    message(FATAL_ERROR "${file} names an absolute path: ${lines}")
  endif()
  foreach(package IN LISTS for_tests)
    file(STRINGS "${file}" lines REGEX "${package}")
    if(lines)
      message(FATAL_ERROR "${file} asks for ${package}, which only the build needs: ${lines}")
    endif()
  endforeach()
endforeach()
# What `man` and shells know of the command.
foreach(file man/man1/lockkeeper.1 man/man1/lockkeeper-explore.1
        bash-completion/completions/lockkeeper zsh/site-functions/_lockkeeper
        fish/vendor_completions.d/lockkeeper.fish)
  if(NOT EXISTS "${prefix}/share/${file}")
    message(FATAL_ERROR "share/${file} is not installed")
  endif()
endforeach()
# `lockkeeper clinic` finds its tool and its libraries.
find_program(python python3)
if(python)
  execute_process(COMMAND "${prefix}/bin/lockkeeper" clinic no-such-lock
    RESULT_VARIABLE code ERROR_VARIABLE said OUTPUT_QUIET)
  if(NOT code EQUAL 65 OR NOT said MATCHES "there is no folder no-such-lock; there are advanced-pool,")
    message(FATAL_ERROR "lockkeeper clinic: exit code ${code}: ${said}")
  endif()
elseif(NOT DEFINED ENV{CI})
  message(STATUS "lockkeeper clinic is not tried: python3 is not installed on this machine")
else()
  message(FATAL_ERROR "python3 is not installed on this machine (CI is set: what is missing fails)")
endif()
file(GLOB_RECURSE test_headers "${prefix}/*_test.hpp")
if(test_headers)
  message(FATAL_ERROR "headers of tests are installed: ${test_headers}")
endif()
file(GLOB_RECURSE installed_headers "${prefix}/include/*.hpp")
if(NOT installed_headers)
  message(FATAL_ERROR "no headers are installed")
endif()
foreach(file IN LISTS installed_headers)
  file(STRINGS "${file}" lines REGEX "# *include *<(gtest|gmock|rapidcheck|benchmark|valijson|CLI)")
  if(lines)
    message(FATAL_ERROR "${file} includes what only the build needs: ${lines}")
  endif()
endforeach()

list(TRANSFORM for_tests PREPEND "-DCMAKE_DISABLE_FIND_PACKAGE_" OUTPUT_VARIABLE without)
list(TRANSFORM without APPEND "=ON")
run_or_fail("${CMAKE_COMMAND}" -S "${EXAMPLE_DIR}" -B "${build}" -G "${GENERATOR}"
    "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_BUILD_TYPE=${BUILD_TYPE}"
    -DCMAKE_CXX_FLAGS_RELEASE=-O0  # what is tested is the package
    "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${COMPILER_LAUNCHER}"
    ${without})
run_or_fail("${CMAKE_COMMAND}" --build "${build}")
run_or_fail("${CMAKE_CTEST_COMMAND}" --test-dir "${build}" --output-on-failure --no-tests=error)

# Without CMake: what pkg-config says is enough for the compiler. The whole command is linked above.
find_program(pkg_config pkg-config)
if(pkg_config)
  file(GLOB_RECURSE described "${prefix}/lockkeeper-native.pc")
  cmake_path(GET described PARENT_PATH folder)
  set(ENV{PKG_CONFIG_PATH} "${folder}")
  execute_process(COMMAND "${pkg_config}" --cflags --libs lockkeeper-native lockkeeper
    OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY OUTPUT_STRIP_TRAILING_WHITESPACE)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  file(WRITE "${WORK_DIR}/by_pkg_config.cpp" [[
#include "app/command_line.hpp"
#include "impl/native/native_lock.hpp"
#include "measure/extrapolation.hpp"
int main() {
    lockkeeper::native::RepairedCanalLock lock;
    auto holder = lock.join();
    return lock.acquire(holder, "db", {.max_per = 1, .buckets = 1}) ? 0 : 1;
}
]])
  run_or_fail("${CXX_COMPILER}" "${WORK_DIR}/by_pkg_config.cpp" -o "${WORK_DIR}/by_pkg_config" ${flags})
  run_or_fail("${WORK_DIR}/by_pkg_config")
endif()

# Tests of threads: by CMake, and by pkg-config.
file(GLOB_RECURSE threads "${prefix}/liblockkeeper_threads.a")
if(threads)
  set(project "${WORK_DIR}/threads")
  file(COPY "${EXAMPLE_DIR}/../threads/limiter.cpp" "${EXAMPLE_DIR}/../threads/lost_update.cpp"
       DESTINATION "${project}")
  file(WRITE "${project}/CMakeLists.txt" [[
cmake_minimum_required(VERSION 3.25)
project(threads LANGUAGES CXX)
find_package(lockkeeper REQUIRED)
enable_testing()
lockkeeper_threads_test(right limiter.cpp)
lockkeeper_threads_test(wrong lost_update.cpp)
set_tests_properties(wrong PROPERTIES WILL_FAIL ON)
]])
  run_or_fail("${CMAKE_COMMAND}" -S "${project}" -B "${project}/build" -G "${GENERATOR}"
      "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}" ${without})
  run_or_fail("${CMAKE_COMMAND}" --build "${project}/build")
  run_or_fail("${CMAKE_CTEST_COMMAND}" --test-dir "${project}/build" --output-on-failure --no-tests=error)
  if(pkg_config)
    foreach(what cflags libs)
      execute_process(COMMAND "${pkg_config}" "--${what}" lockkeeper-threads
        OUTPUT_VARIABLE ${what} COMMAND_ERROR_IS_FATAL ANY OUTPUT_STRIP_TRAILING_WHITESPACE)
      separate_arguments(${what} UNIX_COMMAND "${${what}}")
    endforeach()
    run_or_fail("${CXX_COMPILER}" -std=c++20 ${cflags} -c "${project}/limiter.cpp" -o "${project}/limiter.o")
    run_or_fail("${CXX_COMPILER}" "${project}/limiter.o" ${libs} -o "${project}/limiter")
    run_or_fail("${project}/limiter")
  endif()
endif()
