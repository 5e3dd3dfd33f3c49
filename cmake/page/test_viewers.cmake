# SPDX-License-Identifier: Apache-2.0

# Run by ctest: programs of others read what LOCKKEEPER writes (VIEWERS: reports/viewers). They are installed in
# MADE. Without npm or Chromium the test is skipped, but not in CI.

include("${CMAKE_CURRENT_LIST_DIR}/npm_ci.cmake")

function(skip why)
  if(DEFINED ENV{CI})
    message(FATAL_ERROR "the viewers of others: ${why}")
  endif()
  message("skipped: ${why}")
endfunction()

find_program(CHROMIUM NAMES chromium chromium-browser google-chrome)
if(NOT NPM)
  skip("npm is not installed")
  return()
endif()
if(NOT CHROMIUM)
  skip("chromium is not installed")
  return()
endif()
file(MAKE_DIRECTORY "${MADE}")
file(COPY "${VIEWERS}/" DESTINATION "${MADE}" PATTERN node_modules EXCLUDE)
npm_ci("${VIEWERS}" "${MADE}" said)
if(said)
  skip("npm cannot install them: ${said}")
  return()
endif()
set(ENV{CHROMIUM} "${CHROMIUM}")
set(ENV{LOCKKEEPER} "${LOCKKEEPER}")
set(ENV{LOCKKEEPER_SOURCE} "${SOURCE}")
execute_process(COMMAND "${NPM}" test WORKING_DIRECTORY "${MADE}" RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "a viewer does not read what is written for it")
endif()
