# SPDX-License-Identifier: Apache-2.0

# Run at build time: makes the pages of WEB in MADE with NPM, and writes them as C++ strings to OUTPUT. Where
# npm is missing or cannot install the packages they are empty, with a warning; in CI that is an error.

include("${CMAKE_CURRENT_LIST_DIR}/npm_ci.cmake")
set(template "${CMAKE_CURRENT_LIST_DIR}/page_shell.cpp.in")

function(give_up why)
  if(DEFINED ENV{CI})
    message(FATAL_ERROR "the page of reports: ${why}")
  endif()
  message(WARNING "reports as pages (--report x.html) and the explorer (serve) are left out: ${why}")
  set(LOCKKEEPER_PAGE "")
  set(LOCKKEEPER_EXPLORER "")
  configure_file("${template}" "${OUTPUT}" @ONLY)
  # The next build tries again: it may have npm, or a network.
  execute_process(COMMAND touch -d @0 "${OUTPUT}")
endfunction()

if(NOT NPM)
  give_up("npm is not installed")
  return()
endif()

execute_process(COMMAND "${NPM}" version --json OUTPUT_VARIABLE versions ERROR_QUIET)
string(JSON node ERROR_VARIABLE unknown GET "${versions}" node)
if(NOT unknown AND node VERSION_LESS 18)
  give_up("Node.js ${node} is too old, 18 is needed")
  return()
endif()

npm_sources("${WEB}" "${MADE}" said index.html serve.html)
if(said)
  give_up("npm cannot install its packages: ${said}")
  return()
endif()

# An error in the page is an error of the build.
execute_process(COMMAND "${NPM}" run --silent build
  WORKING_DIRECTORY "${MADE}" RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said_more)
if(failed)
  message(FATAL_ERROR "the page of reports does not build:\n${said}${said_more}")
endif()
file(READ "${MADE}/dist/index.html" LOCKKEEPER_PAGE)
file(READ "${MADE}/dist/serve.html" LOCKKEEPER_EXPLORER)
configure_file("${template}" "${OUTPUT}" @ONLY)
