# SPDX-License-Identifier: Apache-2.0

# Run by ctest: examples/in_your_build, a project that builds Lockkeeper's sources with its own, by
# FetchContent and by add_subdirectory. Not optimised, because what is tested is the build.
# Lockkeeper asks for ccache by itself, so that the compiler does not preprocess each source once more.

set(without)
foreach(package valijson GTest rapidcheck benchmark CLI11 PostgreSQL)
  list(APPEND without "-DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON")
endforeach()
file(REMOVE_RECURSE "${WORK_DIR}")

include("${CMAKE_CURRENT_LIST_DIR}/run_or_fail.cmake")

function(configure build)
  run_or_fail("${CMAKE_COMMAND}" -S "${EXAMPLE_DIR}" -B "${build}" -G "${GENERATOR}" ${ARGN}
      "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}"
      -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DLOCKKEEPER_UNITY=ON ${without})
endfunction()

set(build "${WORK_DIR}/build")
configure("${build}")
run_or_fail("${CMAKE_COMMAND}" --build "${build}")
run_or_fail("${CMAKE_CTEST_COMMAND}" --test-dir "${build}" --output-on-failure --no-tests=error)
file(GLOB_RECURSE built RELATIVE "${build}" "${build}/*.a")
list(TRANSFORM built REPLACE ".*/" "")
list(SORT built)
set(linked liblockkeeper_model.a liblockkeeper_properties.a liblockkeeper_scenarios.a
    liblockkeeper_scheduler.a)
if(NOT built STREQUAL linked)
  message(FATAL_ERROR "built are ${built}; linked is only ${linked}")
endif()
run_or_fail("${CMAKE_COMMAND}" --install "${build}" --prefix "${WORK_DIR}/installed")
if(EXISTS "${WORK_DIR}/installed")
  message(FATAL_ERROR "the project has no rules of installation, and something was installed")
endif()

configure("${build}" -DBY_FETCH_CONTENT=OFF)
run_or_fail("${CMAKE_COMMAND}" --build "${build}")
run_or_fail("${CMAKE_CTEST_COMMAND}" --test-dir "${build}" --output-on-failure --no-tests=error)
