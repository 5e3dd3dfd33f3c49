# SPDX-License-Identifier: Apache-2.0

# Read by ctest itself, whenever it starts: a test for each suite of PROGRAM, in DIRECTORY. Each has the label
# ROOM; a suite whose name contains "Threads" the label `threads`, too. COST: ctest starts the highest first.
if(NOT EXISTS "${PROGRAM}")
  cmake_path(GET PROGRAM FILENAME name)
  add_test("${name}_NOT_BUILT" "${name}_NOT_BUILT")
  set_tests_properties("${name}_NOT_BUILT" PROPERTIES LABELS "${ROOM}")
  return()
endif()

execute_process(COMMAND "${PROGRAM}" --gtest_list_tests
  WORKING_DIRECTORY "${DIRECTORY}" OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "[];[\\]" "" listed "${listed}")  # what parameters print, and means something in a list
string(REPLACE "\n" ";" lines "${listed}")
set(suite)
set(suites)
foreach(line IN LISTS lines)
  if(line MATCHES "^([^ ]+)[.]( .*)?$")
    set(suite "${CMAKE_MATCH_1}")
  elseif(suite AND line MATCHES "^  [^ ]" AND NOT line MATCHES "^  DISABLED_|/DISABLED_")
    list(APPEND suites "${suite}")  # one that does something
  endif()
endforeach()
list(REMOVE_DUPLICATES suites)
if(NOT suites)
  message(FATAL_ERROR "${PROGRAM} has no tests")
endif()
foreach(suite IN LISTS suites)
  add_test("${suite}" "${PROGRAM}" "--gtest_filter=${suite}.*")
  set_tests_properties("${suite}" PROPERTIES WORKING_DIRECTORY "${DIRECTORY}" TIMEOUT 900 COST "${COST}")
  set(labels "${ROOM}")
  if(suite MATCHES "Threads")
    list(APPEND labels threads)
  endif()
  set_tests_properties("${suite}" PROPERTIES LABELS "${labels}")
endforeach()
