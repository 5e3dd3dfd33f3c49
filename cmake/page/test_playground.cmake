# SPDX-License-Identifier: Apache-2.0

# Run by ctest: the playground's pages of WEB, built in MADE, in Chromium, with LOCKKEEPER in the place of the module,
# which only who has emscripten can make. PAGE: where the pages of reports were built, whose packages these take.
# Without npm or Chromium the test is skipped, but not in CI.

set(WHAT "the tests of the playground")
include("${CMAKE_CURRENT_LIST_DIR}/browser_test.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/npm_ci.cmake")

if(NOT NPM OR NOT EXISTS "${PAGE}/dist/index.html")
  skip("its page was not built, because npm is missing")
  return()
endif()
file(MAKE_DIRECTORY "${MADE}")
file(CREATE_LINK "${PAGE}/node_modules" "${MADE}/node_modules" SYMBOLIC)
file(COPY "${PAGE}/installed" DESTINATION "${MADE}")
npm_sources("${WEB}" "${MADE}" said playground.html report.html own_lock.html)
execute_process(COMMAND "${NPM}" run --silent playground
  WORKING_DIRECTORY "${MADE}" RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said_more)
if(failed)
  message(FATAL_ERROR "the playground's pages do not build:\n${said}${said_more}")
endif()
file(REMOVE_RECURSE "${MADE}/test")
file(GLOB tests "${WEB}/test/playground*" "${WEB}/test/browser.mjs" "${WEB}/test/stand_in.mjs")
file(COPY ${tests} DESTINATION "${MADE}/test")
run_npm_tests()
