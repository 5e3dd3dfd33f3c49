# SPDX-License-Identifier: Apache-2.0

# Test executables, and the tests of the repository itself.

find_package(Python3 COMPONENTS Interpreter)
include(LockkeeperTestLinks)

# lockkeeper_plain_path(<variable> <directory>): the directory, or a link to it where its path has what a shell
# would take apart. Tests put paths into commands as people type them.
function(lockkeeper_plain_path result directory)
  set(${result} "${directory}" PARENT_SCOPE)
  if(directory MATCHES "[^A-Za-z0-9_./+:@%,=-]")
    string(SHA256 name "${directory}")
    string(SUBSTRING "${name}" 0 16 name)
    set(link "/tmp/lockkeeper-tests-${name}")
    file(CREATE_LINK "${directory}" "${link}" SYMBOLIC)
    set(${result} "${link}" PARENT_SCOPE)
  endif()
endfunction()
lockkeeper_plain_path(LOCKKEEPER_PLAIN_SOURCE "${PROJECT_SOURCE_DIR}")
lockkeeper_plain_path(LOCKKEEPER_PLAIN_BINARY "${PROJECT_BINARY_DIR}")

# lockkeeper_test(<name> SOURCES <file>... LIBRARIES <target>...)
# Tests run in the repository's root. A suite whose name contains "Threads" gets the label
# `threads`: those are run once more under the thread sanitizer (ctest --preset tsan -L threads).
function(lockkeeper_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  add_executable(${name} ${arg_SOURCES})
  lockkeeper_warnings(${name})
  if(LOCKKEEPER_UNITY)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 24)
  endif()
  # The libraries under test keep their level; tests are compiled in half of the time without it.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O0>)
  # std::move and its like are no functions then: a twentieth less code, as g++ does when it optimises.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-ffold-simple-inlines>)
  endif()
  # It walks a system of its own, not optimised for 21 s; by itself it is compiled in 8 and runs for 5.
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    set(walks ${arg_SOURCES})
    list(FILTER walks INCLUDE REGEX "/measure/splitting_test[.]cpp$")
    set_source_files_properties(${walks} PROPERTIES
      COMPILE_OPTIONS -O1 SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
  endif()
  if(LOCKKEEPER_LLD)  # a second and a half less for each of thirty executables
    target_link_options(${name} PRIVATE -fuse-ld=lld)
  endif()
  # Of tests' own code, not of what they test: the address sanitizer finds a null pointer as well, and an object
  # that is gone, and these checks of every access take a quarter of the compiler's time.
  if(LOCKKEEPER_SANITIZE MATCHES "undefined")
    target_compile_options(${name} PRIVATE -fno-sanitize=null,alignment,vptr)
  endif()
  # Every test file reads these headers, which takes the compiler longer than most of the tests.
  lockkeeper_precompiled_headers(${name} tests
    <gtest/gtest.h> <gmock/gmock.h> <rapidcheck/gtest.h> "${PROJECT_SOURCE_DIR}/model/json.hpp")
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES}
    GTest::gtest_main GTest::gmock rapidcheck rapidcheck_gtest valijson)
  target_compile_definitions(${name} PRIVATE "LOCKKEEPER_SOURCE_DIR=\"${LOCKKEEPER_PLAIN_SOURCE}\"")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  lockkeeper_libraries_first(${name} ${arg_LIBRARIES})
  # Slow tests first, so that both processors are busy until the end.
  set(cost 1)
  if(name MATCHES "^(app|validate_.*)_test$")
    set(cost 10)
  elseif(name MATCHES "^(scheduler|measure|impl_descriptor)_test$")
    set(cost 5)
  endif()
  lockkeeper_suites(${name} ${cost})
endfunction()

# A process for each suite, not for each case: to start takes longer than most cases, under sanitizers up to 100 ms.
function(lockkeeper_suites name cost)
  string(REGEX REPLACE "_test$" "" room "${name}")
  set(included "${PROJECT_BINARY_DIR}/${name}_suites.cmake")
  file(GENERATE OUTPUT "${included}" CONTENT "set(PROGRAM \"$<TARGET_FILE:${name}>\")
set(DIRECTORY \"${PROJECT_SOURCE_DIR}\")
set(COST ${cost})
set(ROOM ${room})
include(\"${PROJECT_SOURCE_DIR}/cmake/ctest_suites.cmake\")
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${included}")
endfunction()

# Each scenario file meets its expectation: verdict, steps, states, results. Under sanitizers those
# that take a moment; the rest is done by an optimised build of either compiler, but for one that has the label
# `long`. Those of canal with as many workers
# as there are processors, the others with one: ctest keeps the processors busy anyway, and workers that search
# together take half as much of their time again.
function(lockkeeper_scenario_tests)
  set(canal broken livelock mailbox repairs resizes signals)
  set(others every_number single_counter measure)
  if(NOT LOCKKEEPER_SANITIZE)
    list(APPEND canal findings large_scopes repaired seeds small_scopes)
    list(APPEND others leases monglock transactional)
    # Of the wave test the two with some million states take as long as all others.
    set(wave "${PROJECT_SOURCE_DIR}/scenarios/canal/wave")
    file(GLOB waves CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "${wave}/*.json")
    list(FILTER waves EXCLUDE REGEX "/published(_warm)?[.]json$")
    add_test(NAME scenarios_canal_wave COMMAND lockkeeper run -q --jobs 1 ${waves}
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set_tests_properties(scenarios_canal_wave PROPERTIES TIMEOUT 900 COST 20)
    add_test(NAME scenarios_canal_wave_long COMMAND lockkeeper run -q --jobs 1
      scenarios/canal/wave/published.json scenarios/canal/wave/published_warm.json
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set_tests_properties(scenarios_canal_wave_long PROPERTIES LABELS long TIMEOUT 900)
  endif()
  list(TRANSFORM canal PREPEND scenarios/canal/)
  add_test(NAME scenarios_canal COMMAND lockkeeper run -q ${canal}
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(scenarios_canal PROPERTIES TIMEOUT 900 COST 20)
  foreach(folder IN LISTS others)
    string(REPLACE "/" "_" name "scenarios_${folder}")
    add_test(NAME ${name} COMMAND lockkeeper run -q --jobs 1 scenarios/${folder}
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set_tests_properties(${name} PROPERTIES TIMEOUT 900 COST 20)
  endforeach()
endfunction()

# One for each adapter, so that ctest names those that are skipped because a library is missing. Where
# the variable CI is set they fail instead. They keep to real time: each has the machine for itself.
function(lockkeeper_library_tests name folder)
  file(GLOB adapters CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/${folder}"
    "${PROJECT_SOURCE_DIR}/${folder}/*.py" "${PROJECT_SOURCE_DIR}/${folder}/*.js"
    "${PROJECT_SOURCE_DIR}/${folder}/*.rb")
  list(REMOVE_ITEM adapters installed.js load.js private_server.py real_locks_test.py)
  foreach(adapter IN LISTS adapters)
    string(REGEX REPLACE "[.][a-z]+$" "" test "${name}_${adapter}")
    add_test(NAME ${test}
      COMMAND "${Python3_EXECUTABLE}" examples/real_locks/real_locks_test.py
        "$<TARGET_FILE_DIR:lockkeeper>" ${adapter} --folder ${folder}
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set_tests_properties(${test} PROPERTIES
      SKIP_RETURN_CODE 77 TIMEOUT 300 RUN_SERIAL TRUE)
  endforeach()
endfunction()

function(lockkeeper_real_locks_tests)
  lockkeeper_library_tests(real_locks examples/real_locks)
  # What install.sh brings is skipped also in CI.
  lockkeeper_library_tests(wire_library examples/wire/libraries)
endfunction()

# lockkeeper_sweep_test(<name> <timeout> [LABEL <label>] <argument>...)
function(lockkeeper_sweep_test name timeout)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "LABEL" "")
  add_test(NAME "sweep_${name}" COMMAND lockkeeper sweep -q ${arg_UNPARSED_ARGUMENTS}
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties("sweep_${name}" PROPERTIES TIMEOUT ${timeout} COST 20)
  if(arg_LABEL)
    set_tests_properties("sweep_${name}" PROPERTIES LABELS ${arg_LABEL})
  endif()
endfunction()

# The members of the JSON object at this place of `text`, as flags: `--where AXIS=CHOICE`.
function(lockkeeper_where result text)
  set(flags)
  string(JSON last LENGTH "${text}" ${ARGN})
  math(EXPR last "${last} - 1")
  foreach(index RANGE ${last})
    string(JSON axis MEMBER "${text}" ${ARGN} ${index})
    string(JSON type TYPE "${text}" ${ARGN} "${axis}")
    string(JSON choice GET "${text}" ${ARGN} "${axis}")
    if(type STREQUAL "STRING")
      list(APPEND flags --where "${axis}=${choice}")
      continue()
    endif()
    string(JSON last_choice LENGTH "${choice}")
    math(EXPR last_choice "${last_choice} - 1")
    foreach(number RANGE ${last_choice})
      string(JSON one GET "${choice}" ${number})
      list(APPEND flags --where "${axis}=${one}")
    endforeach()
  endforeach()
  set(${result} "${flags}" PARENT_SCOPE)
endfunction()

# docs/sweeps/: each sweep finds what its stored table says. `long`: all rows of the largest tables,
# the long points that have rows, and a repaired lock in all scopes, up to two clients. `hours`: each
# condition of the file is a test by itself, so that what was found until then stays when the rest is
# broken off.
function(lockkeeper_sweep_tests)
  set(folder "${PROJECT_SOURCE_DIR}/docs/sweeps")
  file(GLOB sweeps CONFIGURE_DEPENDS RELATIVE "${folder}" "${folder}/*.table.json")
  list(TRANSFORM sweeps REPLACE "[.]table[.]json$" "")
  foreach(name IN LISTS sweeps)
    set(sweep "docs/sweeps/${name}.sweep.json")
    set(check --check "docs/sweeps/${name}.table.json")
    # The four that take three quarters of the time: every day their small rows, which are most.
    if(name MATCHES "^(canal|lease_db|lease_service|monglock_multi)$")
      lockkeeper_sweep_test(${name} 900 ${sweep} ${check} --check-up-to 10000)
      lockkeeper_sweep_test(${name}_whole 3600 LABEL long ${sweep} ${check})
    else()
      lockkeeper_sweep_test(${name} 900 ${sweep} ${check})
    endif()
    file(READ "${folder}/${name}.sweep.json" text)
    file(READ "${folder}/${name}.table.json" table)
    string(FIND "${table}" "\"effort\":\"long\"" has_long_rows)
    string(JSON measure ERROR_VARIABLE explores GET "${text}" measure)
    if(NOT explores)
      if(NOT has_long_rows EQUAL -1)
        lockkeeper_sweep_test(${name}_long 21600 LABEL long ${sweep} ${check} --long --jobs 1)
      endif()
      continue()
    endif()
    if(NOT has_long_rows EQUAL -1)
      lockkeeper_sweep_test(${name}_faithful_long 21600 LABEL long
        ${sweep} ${check} --long --where variant=faithful)
    endif()
    if(text MATCHES "\"repaired\"")
      set(where --where variant=repaired)
      if(text MATCHES "\"name\": \"clients\"" AND NOT name STREQUAL "session_lock_pool")
        list(APPEND where --where clients=2)
      endif()
      lockkeeper_sweep_test(${name}_long 21600 LABEL long
        ${sweep} --long ${where} --max-states 200000000)
    endif()
    string(JSON hours ERROR_VARIABLE none LENGTH "${text}" hours)
    if(none)
      continue()
    endif()
    math(EXPR last "${hours} - 1")
    foreach(index RANGE ${last})
      lockkeeper_where(where "${text}" hours ${index})
      lockkeeper_sweep_test(${name}_hours_${index} 86400 LABEL hours ${sweep} --hours ${where})
    endforeach()
  endforeach()
endfunction()

# The commands in the documentation, the counts of other tools, the checks of tools/, the installed
# package, and the sources in another project's build.
function(lockkeeper_repository_tests)
  foreach(long every_number:scheduler:RandomLocksTest every_number_leases:scheduler:LeaseCoordinatorProofTest
               every_number_write_locks:scheduler:WriteLockProofTest
               every_number_other_leases:scheduler:OtherLeasesProofTest
               every_number_pools:scheduler:PoolProofTest every_number_transactional:scheduler:TransactionalProofTest
               prove_against_explore:app:ProveAgainstExplore every_byte:app:EveryByte
               wire:validate_wire:ShippedTcp wire_sources:validate_wire:WireSources
               wire_shipped:validate_wire:ShippedWire wire_search:validate_wire:WireSearch
               erlang_client:validate_programs:ErlangClient small_locks:validate_table:RandomSmallLocks
               models_as_sources:validate_table:ModelsAsSources
               local_steps:impl_descriptor:LocalSteps symmetry:impl_descriptor:Symmetry
               faults_left:impl_descriptor:FaultsLeft)
    string(REPLACE ":" ";" long "${long}")
    list(GET long 0 name)
    list(GET long 1 folder)
    list(GET long 2 suite)
    if(TARGET ${folder}_test)
      add_test(NAME ${name}_long COMMAND ${folder}_test --gtest_also_run_disabled_tests
          "--gtest_filter=${suite}.DISABLED_Long*"
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
      # What an older program does not have yet it would pass over.
      set_tests_properties(${name}_long PROPERTIES LABELS long TIMEOUT 21600
        FAIL_REGULAR_EXPRESSION "Running 0 tests")
    endif()
  endforeach()
  # All of them in whole scopes: is_short_run() in model/slow_build_test.hpp.
  foreach(folder impl_descriptor measure scheduler validate_histories validate_programs validate_wire)
    if(TARGET ${folder}_test)
      add_test(NAME ${folder}_whole_long COMMAND ${folder}_test WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
      set_tests_properties(${folder}_whole_long PROPERTIES LABELS long TIMEOUT 21600 ENVIRONMENT LOCKKEEPER_LONG=1)
    endif()
  endforeach()
  if(TARGET lockkeeper)
    lockkeeper_scenario_tests()
    if(LOCKKEEPER_SANITIZE)
      # A sample; the whole is done by an optimised build.
      lockkeeper_sweep_test(sample 900 docs/sweeps/canal.sweep.json --check docs/sweeps/canal.table.json
        --where variant=repaired --where callers=1 --where callers=2 --where "circumstance=one lock")
    endif()
  endif()
  if(LOCKKEEPER_DOC_TESTS AND TARGET lockkeeper AND Python3_FOUND)
    add_test(NAME documentation_commands
      COMMAND "${Python3_EXECUTABLE}" tools/check_docs.py --bin "$<TARGET_FILE_DIR:lockkeeper>"
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set_tests_properties(documentation_commands PROPERTIES TIMEOUT 900 COST 100
      FIXTURES_REQUIRED own_lock)
    if(NOT LOCKKEEPER_SANITIZE)
      lockkeeper_sweep_tests()
      lockkeeper_real_locks_tests()
      lockkeeper_page_tests()
      lockkeeper_viewer_tests()
    endif()
    # Skipped, as ctest shows it, where SPIN or Rumur is not installed.
    add_test(NAME compare_counts
      COMMAND "${Python3_EXECUTABLE}" bench/compare/counts_test.py "$<TARGET_FILE:lockkeeper>"
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set_tests_properties(compare_counts PROPERTIES
      LABELS compare SKIP_RETURN_CODE 77 TIMEOUT 300)
    # Each within a minute on two cores (docs/decisions/0034-relative-time.md); here for longer, which
    # a busy machine takes.
    add_test(NAME opposite_orders_long
      COMMAND "${Python3_EXECUTABLE}" bench/opposite_orders/run.py
        --lockkeeper "$<TARGET_FILE:lockkeeper>" --time-limit 600s
        -- lease_coordinator lease_db lease_service monglock_write transactional_innodb transactional_pg
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set_tests_properties(opposite_orders_long PROPERTIES LABELS long TIMEOUT 3600)
    foreach(what replays kills)
      add_test(NAME wire_${what}_long
        COMMAND "${Python3_EXECUTABLE}" tools/endurance.py ${what} --lockkeeper "$<TARGET_FILE:lockkeeper>"
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
      set_tests_properties(wire_${what}_long PROPERTIES LABELS long TIMEOUT 21600)
    endforeach()
    # Skipped where MkDocs is not installed; fails in CI then.
    add_test(NAME site
      COMMAND tools/site/build.sh "${PROJECT_BINARY_DIR}/site"
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set_tests_properties(site PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
    # Pages and pictures that the command writes.
    foreach(tool reference pictures)
      add_test(NAME documentation_${tool}
        COMMAND "${Python3_EXECUTABLE}" tools/site/${tool}.py --check
          --bin "$<TARGET_FILE_DIR:lockkeeper>"
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
      set_tests_properties(documentation_${tool} PROPERTIES TIMEOUT 120)
    endforeach()
    # The libraries that `make setup` installs; and the pages of all.
    add_test(NAME clinic
      COMMAND "${Python3_EXECUTABLE}" -B tools/clinic/clinic.py --ci --bin "$<TARGET_FILE:lockkeeper>"
        --cache "${PROJECT_BINARY_DIR}/clinic"
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set_tests_properties(clinic PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600 RUN_SERIAL TRUE)
    add_test(NAME documentation_clinic
      COMMAND "${Python3_EXECUTABLE}" -B tools/clinic/pages.py --check
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    foreach(directory tools tools/clinic tools/lint tools/site wasm/test)
      string(REPLACE "/" "_" name "${directory}_test")
      add_test(NAME ${name}
        COMMAND "${Python3_EXECUTABLE}" -B -m unittest discover -s "${directory}" -p "*_test.py"
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
      set_tests_properties(${name} PROPERTIES TIMEOUT 120)
    endforeach()
  endif()

  file(GLOB example_sources CONFIGURE_DEPENDS
    "${PROJECT_SOURCE_DIR}/examples/your_own_lock/*.cpp")
  if(example_sources AND NOT LOCKKEEPER_SANITIZE)
    add_test(NAME installed_package
      COMMAND "${CMAKE_COMMAND}"
        -D "BUILD_DIR=${PROJECT_BINARY_DIR}"
        -D "EXAMPLE_DIR=${PROJECT_SOURCE_DIR}/examples/your_own_lock"
        -D "WORK_DIR=${PROJECT_BINARY_DIR}/documentation"
        -D "GENERATOR=${CMAKE_GENERATOR}"
        -D "BUILD_TYPE=${CMAKE_BUILD_TYPE}"
        -D "CXX_COMPILER=${CMAKE_CXX_COMPILER}"
        -D "COMPILER_LAUNCHER=${LOCKKEEPER_CCACHE}"
        -P "${PROJECT_SOURCE_DIR}/cmake/test_installed_package.cmake")
    set_tests_properties(installed_package PROPERTIES TIMEOUT 600 COST 200
      FIXTURES_SETUP own_lock)
  endif()
  if(LOCKKEEPER_DOC_TESTS AND NOT LOCKKEEPER_SANITIZE)
    # Not optimised, clang takes less than half of the time.
    find_program(LOCKKEEPER_CLANG NAMES clang++ clang++-14)
    set(quickest "${LOCKKEEPER_CLANG}")
    if(NOT quickest)
      set(quickest "${CMAKE_CXX_COMPILER}")
    endif()
    add_test(NAME source_in_your_build
      COMMAND "${CMAKE_COMMAND}"
        -D "EXAMPLE_DIR=${PROJECT_SOURCE_DIR}/examples/in_your_build"
        -D "WORK_DIR=${PROJECT_BINARY_DIR}/in_your_build"
        -D "GENERATOR=${CMAKE_GENERATOR}"
        -D "CXX_COMPILER=${quickest}"
        -P "${PROJECT_SOURCE_DIR}/cmake/test_source_in_your_build.cmake")
    set_tests_properties(source_in_your_build PROPERTIES TIMEOUT 600 COST 150)
  endif()
endfunction()
