# SPDX-License-Identifier: Apache-2.0

# Run by ctest: the tests of the page (reports/web/test) in Chromium, on data and on pages that LOCKKEEPER
# writes. MADE: where the page was built, with its packages. Without npm or Chromium the test is skipped, but
# not in CI.

set(WHAT "the tests of the page")
include("${CMAKE_CURRENT_LIST_DIR}/browser_test.cmake")

if(NOT NPM OR NOT EXISTS "${MADE}/dist/index.html")
  skip("the page was not built, because npm is missing")
  return()
endif()
file(REMOVE_RECURSE "${MADE}/test")
file(COPY "${WEB}/test" DESTINATION "${MADE}" PATTERN out EXCLUDE)
run_npm_tests()
