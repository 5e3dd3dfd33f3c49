# SPDX-License-Identifier: Apache-2.0

# Language level, warnings, sanitizers and ccache, for everything that is built here.

# The oldest that are known to do. What is older fails in the middle of a build, with less to say: clang 13
# takes the concept Implementation for unfulfilled.
foreach(oldest GNU:11 Clang:14)
  string(REPLACE ":" ";" oldest "${oldest}")
  list(GET oldest 0 id)
  list(GET oldest 1 version)
  if(CMAKE_CXX_COMPILER_ID STREQUAL id AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS version)
    message(FATAL_ERROR "Lockkeeper needs C++20 of g++ 11, clang 14 or newer; "
      "${CMAKE_CXX_COMPILER} is ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
  endif()
endforeach()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug or Release" FORCE)
endif()

find_program(LOCKKEEPER_CCACHE ccache)
if(LOCKKEEPER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths from the source directory on, so that another clone finds what this one compiled;
  # sloppiness as ccache's manual asks for precompiled headers (the tests have them). By the headers that the
  # compiler names: else each source that is compiled for the first time is preprocessed once more.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND};-E;env;CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}"
      "CCACHE_NOHASHDIR=1" "CCACHE_DEPEND=1" "CCACHE_SLOPPINESS=pch_defines,time_macros" "${LOCKKEEPER_CCACHE}")
endif()

# g++ collects its garbage often, for machines with little memory; seldom takes a fifteenth less time and 250 MB
# more of it.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(--param=ggc-min-expand=300 --param=ggc-min-heapsize=1500000)
endif()

# The searches and the solvers. Under sanitizers too: one of their tests in three minutes is enough.
set(LOCKKEEPER_SEARCH_OPTIONS "$<$<CONFIG:Release>:-O3>")
if(LOCKKEEPER_SANITIZE)
  list(APPEND LOCKKEEPER_SEARCH_OPTIONS -O1)
endif()

# What need not be fast: quick to compile, and in a page small.
set(LOCKKEEPER_QUICK_LEVEL -Og)
if(EMSCRIPTEN)
  set(LOCKKEEPER_QUICK_LEVEL -Os)
endif()

# Newer clangs show what libstdc++ 12 says to itself in std::stable_sort: that something of its own is
# deprecated.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS "-Werror=deprecated-declarations")
  check_cxx_source_compiles("
    #include <algorithm>
    #include <vector>
    int main() { std::vector<int> v; std::stable_sort(v.begin(), v.end()); }"
    LOCKKEEPER_SORTS_WITHOUT_WARNING)
  unset(CMAKE_REQUIRED_FLAGS)
endif()

# Warnings belong to this project, not to those who link it: added per target, never exported.
function(lockkeeper_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # Wrong in std::string (GCC bugs 105651 and 105329) and in std::map when optimised.
    target_compile_options(${target} PRIVATE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND NOT LOCKKEEPER_SORTS_WITHOUT_WARNING)
    target_compile_options(${target} PRIVATE -Wno-deprecated-declarations)
  endif()
  if(LOCKKEEPER_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# lockkeeper_precompiled_headers(<target> <family> <header>...)
# The first target of a family compiles them, the others, compiled with the same options, share them.
function(lockkeeper_precompiled_headers target family)
  get_property(first GLOBAL PROPERTY LOCKKEEPER_PRECOMPILED_${family})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    set_property(GLOBAL PROPERTY LOCKKEEPER_PRECOMPILED_${family} ${target})
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")  # or ccache would never find them again
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

find_program(LOCKKEEPER_LLD ld.lld)
if(LOCKKEEPER_SANITIZE)
  add_compile_definitions(LOCKKEEPER_SANITIZED)
  add_compile_options(-fsanitize=${LOCKKEEPER_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${LOCKKEEPER_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND LOCKKEEPER_SANITIZE MATCHES "address")
    # Two thousand processes start in the tests, each with two million relocations if it may stand anywhere.
    add_compile_options(-fno-pie)
    add_link_options(-no-pie)
    # Uses after return are not looked for, as before: clang 14 would have every function ask at run time whether
    # ASAN_OPTIONS wants it, and that takes up to a fifteenth of the compiler's time.
    add_compile_options(-fsanitize-address-use-after-return=never)
    if(LOCKKEEPER_LLD)  # twenty executables of 100 MB
      add_link_options(-fuse-ld=lld)
    endif()
  endif()
  # g++ 12 sees uninitialised members in <regex> and <functional> as soon as it instruments them.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
endif()

if(LOCKKEEPER_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "LOCKKEEPER_FUZZ needs clang: cmake --preset fuzz")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_link_options(-fsanitize=fuzzer-no-link)
endif()
