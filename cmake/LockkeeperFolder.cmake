# SPDX-License-Identifier: Apache-2.0

# Targets from folders. Files are found, not listed: a new file is built without touching CMake.
#   *_test.cpp, *_property_test.cpp   beside the code they test; one executable <folder>_test
#   main.cpp                          the command
#   every other *.cpp and *.hpp       the folder's library

# lockkeeper_folder(<folder> [PART <name>] [SEES <folder>...] [TESTS_SEE <folder>...]
#                   [TESTS_BORROW <file>...])
# Library lockkeeper_<folder>, also lockkeeper::<folder>. A folder without sources, or without
# anything, is an INTERFACE library, so that the others can name it from the first day.
function(lockkeeper_folder folder)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PART" "SEES;TESTS_SEE;TESTS_BORROW")
  set(directory "${PROJECT_SOURCE_DIR}/${folder}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${directory}/*.cpp")
  # shared.h: what C sources need, too.
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${directory}/*.hpp" "${directory}/shared.h")
  # A library of its own: LockkeeperNative.cmake.
  list(FILTER sources EXCLUDE REGEX "/impl/native/")
  list(FILTER headers EXCLUDE REGEX "/impl/native/")
  # <folder>/*/<part>/ is a library of its own, which is named <folder>/<part>.
  foreach(files sources headers)
    if(arg_PART)
      list(FILTER ${files} INCLUDE REGEX "/${arg_PART}/")
    else()
      list(FILTER ${files} EXCLUDE REGEX "/descriptor/")
    endif()
    if(folder STREQUAL "work")  # work/results/ is a library of its own
      list(FILTER ${files} EXCLUDE REGEX "work/results/")
    endif()
  endforeach()
  if(arg_PART)
    string(APPEND folder "/${arg_PART}")
  endif()
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cpp$")
  if(LOCKKEEPER_SANITIZE STREQUAL "thread")
    # What starts threads, and what those tests share; the rest has nothing to show there.
    list(FILTER tests INCLUDE REGEX "/(explorer_jobs|fuzz_jobs|ranks|work_crew|scopes|runners_[a-z]+)_test\\.cpp$")
    set(arg_TESTS_BORROW)
  endif()

  string(REPLACE "/" "_" name "${folder}")
  set(target lockkeeper_${name})
  if(sources)
    set(scope PUBLIC)
    add_library(${target} STATIC ${sources})
    lockkeeper_warnings(${target})
    # The searches and the solvers: a tenth faster with it. Under sanitizers all that searches.
    # All else is what the build type says.
    set(family libraries)
    if(folder MATCHES "^(scheduler|measure|impl/descriptor)$" OR
       (LOCKKEEPER_SANITIZE AND folder MATCHES "^validate/(histories|programs|wire)$"))
      target_compile_options(${target} PRIVATE "${LOCKKEEPER_SEARCH_OPTIONS}")
      set(family searches)
    endif()
    # What reads, writes and talks: making it faster would take most of the compiler's time. Clang takes -Og for -O1.
    if(folder MATCHES "^(scenarios|work|work/results|reports|manual|serve|validate/(programs|servers|erlang|processes|wire)|app)$")
      target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:${LOCKKEEPER_QUICK_LEVEL}>")
    endif()
    # The address sanitizer finds a null pointer as well, and an access behind the end of an object, and only those
    # that keep the check of alignment cast, or make what does of templates: these checks of every access take a
    # sixth of the compiler's time, and with -O1 that of an object's size as much again.
    if(LOCKKEEPER_SANITIZE STREQUAL "address,undefined" AND NOT LOCKKEEPER_FUZZ)
      target_compile_options(${target} PRIVATE -fno-sanitize=null,object-size)
      if(NOT folder MATCHES "^(model|scheduler|impl/descriptor|validate/(compare|processes|wire))$")
        target_compile_options(${target} PRIVATE -fno-sanitize=alignment)
      endif()
    endif()
    # What other libraries' templates become is theirs: not instrumented, as their shared libraries are not.
    set(theirs ${sources})
    list(FILTER theirs INCLUDE REGEX "/(model/json|measure/(distributions|sparse_factors))[.]cpp$")
    set_source_files_properties(${theirs} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
    if(LOCKKEEPER_SANITIZE AND NOT LOCKKEEPER_FUZZ)
      set(theirs_options -fno-sanitize=all)
      if(LOCKKEEPER_SANITIZE MATCHES "address")  # where two thousand tests read and write JSON
        list(APPEND theirs_options -O1)
      endif()
      set_source_files_properties(${theirs} PROPERTIES COMPILE_OPTIONS "${theirs_options}")
    endif()
    if(LOCKKEEPER_UNITY)
      set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 48)
      # What takes as long as all others of its folder.
      set_source_files_properties("${directory}/erased_runner.cpp" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      if(arg_PART)  # systems name their own things alike
        set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
        foreach(source IN LISTS sources)
          string(REGEX REPLACE "^.*/([a-z_]+)/${arg_PART}/.*$" "\\1" system "${source}")
          set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${system}")
        endforeach()
      endif()
      lockkeeper_refused_apart(${target} ${sources})
      lockkeeper_usual_headers(${target} ${family})
    endif()
  else()
    set(scope INTERFACE)
    add_library(${target} INTERFACE)
  endif()
  add_library(lockkeeper::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  list(FILTER headers EXCLUDE REGEX "_test(_support)?\\.hpp$")  # not installed: they include what tests need
  target_sources(${target} ${scope}
    FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${headers})
  target_include_directories(${target} ${scope} "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>")
  list(TRANSFORM arg_SEES REPLACE "/" "_")
  list(TRANSFORM arg_SEES PREPEND lockkeeper_)
  target_link_libraries(${target} ${scope} lockkeeper_packages ${arg_SEES})
  set_property(GLOBAL APPEND PROPERTY LOCKKEEPER_LIBRARIES ${target})

  if(LOCKKEEPER_TESTS AND tests)
    list(TRANSFORM arg_TESTS_SEE REPLACE "/" "_")
    list(TRANSFORM arg_TESTS_SEE PREPEND lockkeeper_)
    lockkeeper_test(${name}_test SOURCES ${tests} ${arg_TESTS_BORROW} LIBRARIES ${target} ${arg_TESTS_SEE})
  endif()
endfunction()

# What most sources read, precompiled.
function(lockkeeper_usual_headers target family)
  if(LOCKKEEPER_UNITY)
    lockkeeper_precompiled_headers(${target} ${family}
      <algorithm> <array> <chrono> <cmath> <filesystem> <fstream> <functional> <map> <memory>
      <optional> <set> <sstream> <string> <unordered_map> <variant> <vector>
      <fmt/format.h> "${PROJECT_SOURCE_DIR}/model/json.hpp")
  endif()
endfunction()

# Adds to lockkeeper_impl_descriptor the function that registers everything that is shipped: one call for each
# system in impl/.
function(lockkeeper_shipped_systems)
  file(GLOB descriptors CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/impl/*/descriptor/register.cpp")
  set(LOCKKEEPER_DECLARATIONS)
  set(LOCKKEEPER_CALLS)
  foreach(descriptor IN LISTS descriptors)
    cmake_path(GET descriptor PARENT_PATH folder)
    cmake_path(GET folder PARENT_PATH folder)
    cmake_path(GET folder FILENAME name)
    string(APPEND LOCKKEEPER_DECLARATIONS "void register_${name}(Registry& registry);\n")
    string(APPEND LOCKKEEPER_CALLS "    register_${name}(registry);\n")
  endforeach()
  set(generated "${PROJECT_BINARY_DIR}/generated/shipped_systems.cpp")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/shipped_systems.cpp.in" "${generated}" @ONLY)
  target_sources(lockkeeper_impl_descriptor PRIVATE "${generated}")
endfunction()

# Adds to lockkeeper_impl_descriptor the sizes of the canal lock that impl/canal/canal_sizes.hpp names: an object file
# for each, so that they can be compiled side by side, and the list of them.
function(lockkeeper_canal_sizes)
  set(named "${PROJECT_SOURCE_DIR}/impl/canal/canal_sizes.hpp")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${named}")
  file(STRINGS "${named}" sizes REGEX "^using [A-Za-z]+Size = CanalSize<")
  set(templates "${PROJECT_SOURCE_DIR}/impl/canal/descriptor")
  set(generated "${PROJECT_BINARY_DIR}/generated")
  set(sources "${generated}/canal_sizes.cpp")
  set(LOCKKEEPER_SIZES)
  foreach(line IN LISTS sizes)
    if(NOT line MATCHES "^using (([A-Za-z]+)Size)")
      continue()  # what is behind the semicolon of a line
    endif()
    set(LOCKKEEPER_SIZE "${CMAKE_MATCH_1}")
    string(TOLOWER "${CMAKE_MATCH_2}" name)
    string(APPEND LOCKKEEPER_SIZES "        compiled_size<canal::${LOCKKEEPER_SIZE}>(\"${name}\"),\n")
    configure_file("${templates}/canal_size.cpp.in" "${generated}/canal_${name}.cpp" @ONLY)
    set(source "${generated}/canal_${name}.cpp")
    # With LOCKKEEPER_UNITY two of them at once: a third of each is what the compiler reads first.
    list(LENGTH sources length)
    math(EXPR pair "(${length} - 1) / 2")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "canal_${pair}")
    list(APPEND sources "${source}")
  endforeach()
  configure_file("${templates}/canal_sizes.cpp.in" "${generated}/canal_sizes.cpp" @ONLY)
  target_sources(lockkeeper_impl_descriptor PRIVATE ${sources})
endfunction()

# Adds to lockkeeper_properties the list of what stands in properties/rules/: the file leak.hpp has a function
# leak().
function(lockkeeper_written_properties)
  file(GLOB rules CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/properties/rules/*.hpp")
  set(LOCKKEEPER_INCLUDES)
  set(LOCKKEEPER_CALLS)
  foreach(rule IN LISTS rules)
    cmake_path(GET rule STEM name)
    string(APPEND LOCKKEEPER_INCLUDES "#include \"properties/rules/${name}.hpp\"\n")
    string(APPEND LOCKKEEPER_CALLS "        ${name}(),\n")
  endforeach()
  set(generated "${PROJECT_BINARY_DIR}/generated/written_properties.cpp")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/written_properties.cpp.in" "${generated}" @ONLY)
  target_sources(lockkeeper_properties PRIVATE "${generated}")
endfunction()

# The executable `lockkeeper`, directly in the build directory.
function(lockkeeper_command main)
  file(GLOB found CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${main}")
  if(NOT found)
    message(STATUS "No ${main} yet: the lockkeeper command is not built")
    return()
  endif()
  add_executable(lockkeeper "${PROJECT_SOURCE_DIR}/${main}")
  lockkeeper_warnings(lockkeeper)
  lockkeeper_usual_headers(lockkeeper libraries)
  target_link_libraries(lockkeeper PRIVATE lockkeeper_app)
  set_target_properties(lockkeeper PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  if(TARGET app_test)
    add_dependencies(app_test lockkeeper)
    target_compile_definitions(app_test PRIVATE
      "LOCKKEEPER_EXECUTABLE=\"${LOCKKEEPER_PLAIN_BINARY}/$<TARGET_FILE_NAME:lockkeeper>\"")
  endif()
endfunction()

# bench/*.cpp: one Google Benchmark executable.
function(lockkeeper_benchmarks)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/*.cpp")
  if(NOT LOCKKEEPER_BENCH OR NOT sources)
    return()
  endif()
  add_executable(lockkeeper_bench ${sources})
  lockkeeper_warnings(lockkeeper_bench)
  # As the searches of the command are built.
  target_compile_options(lockkeeper_bench PRIVATE "$<$<CONFIG:Release>:-O3>")
  target_link_libraries(lockkeeper_bench PRIVATE
    lockkeeper_app lockkeeper_native benchmark::benchmark_main)
  # What a partial-order reduction could leave out (docs/decisions/0034).
  add_executable(partial_orders "${PROJECT_SOURCE_DIR}/bench/partial_orders/partial_orders.cpp")
  lockkeeper_warnings(partial_orders)
  target_link_libraries(partial_orders PRIVATE lockkeeper_app)
endfunction()

# bench/compare/relacy: an executable of its own, because Relacy replaces operator new and much else.
# Relacy jumps between stacks, which _FORTIFY_SOURCE and sanitizers take for errors.
# The target compare_tools is there in any case: what `make compare` builds.
function(lockkeeper_relacy_benchmark)
  if(NOT LOCKKEEPER_BENCH)
    return()
  endif()
  add_custom_target(compare_tools)
  find_path(LOCKKEEPER_RELACY_INCLUDE relacy/relacy.hpp)
  if(NOT LOCKKEEPER_RELACY_INCLUDE OR LOCKKEEPER_SANITIZE)
    return()
  endif()
  add_executable(relacy_counters "${PROJECT_SOURCE_DIR}/bench/compare/relacy/counters.cpp")
  add_dependencies(compare_tools relacy_counters)
  lockkeeper_warnings(relacy_counters)
  target_compile_options(relacy_counters PRIVATE -U_FORTIFY_SOURCE)
  # Naming a directory that the compiler searches anyway would change the order of the search.
  if(NOT LOCKKEEPER_RELACY_INCLUDE IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    target_include_directories(relacy_counters SYSTEM PRIVATE "${LOCKKEEPER_RELACY_INCLUDE}")
  endif()
endfunction()

# fuzz/*_fuzz.cpp: one libFuzzer executable each.
function(lockkeeper_fuzzers)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/fuzz/*_fuzz.cpp")
  if(NOT LOCKKEEPER_FUZZ)
    return()
  endif()
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    add_executable(${name} "${source}")
    lockkeeper_warnings(${name})
    target_link_libraries(${name} PRIVATE lockkeeper_app)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  endforeach()
endfunction()
