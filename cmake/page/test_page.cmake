# SPDX-License-Identifier: Apache-2.0

# Run by ctest: the tests of the page (reports/web/test) in Chromium, on data and on pages that LOCKKEEPER
# writes. MADE: where the page was built, with its packages. Without npm or Chromium the test is skipped, but
# not in CI.

function(skip why)
  if(DEFINED ENV{CI})
    message(FATAL_ERROR "the tests of the page: ${why}")
  endif()
  message("skipped: ${why}")
endfunction()

find_program(CHROMIUM NAMES chromium chromium-browser google-chrome)
if(NOT NPM OR NOT EXISTS "${MADE}/dist/index.html")
  skip("the page was not built, because npm is missing")
  return()
endif()
if(NOT CHROMIUM)
  skip("chromium is not installed")
  return()
endif()
file(REMOVE_RECURSE "${MADE}/test")
file(COPY "${WEB}/test" DESTINATION "${MADE}" PATTERN out EXCLUDE)
set(ENV{CHROMIUM} "${CHROMIUM}")
set(ENV{LOCKKEEPER} "${LOCKKEEPER}")
set(ENV{LOCKKEEPER_SOURCE} "${SOURCE}")
execute_process(COMMAND "${NPM}" test WORKING_DIRECTORY "${MADE}" RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "the tests of the page have failed")
endif()
