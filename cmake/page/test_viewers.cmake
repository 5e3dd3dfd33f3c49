# SPDX-License-Identifier: Apache-2.0

# Run by ctest: programs of others read what LOCKKEEPER writes (VIEWERS: reports/viewers). They are installed in
# MADE. Without npm or Chromium the test is skipped, but not in CI.

set(WHAT "the viewers of others")
include("${CMAKE_CURRENT_LIST_DIR}/browser_test.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/npm_ci.cmake")

if(NOT NPM)
  skip("npm is not installed")
  return()
endif()
file(MAKE_DIRECTORY "${MADE}")
file(COPY "${VIEWERS}/" DESTINATION "${MADE}" PATTERN node_modules EXCLUDE)
npm_ci("${VIEWERS}" "${MADE}" said)
if(said)
  skip("npm cannot install them: ${said}")
  return()
endif()
run_npm_tests()
