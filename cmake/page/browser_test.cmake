# SPDX-License-Identifier: Apache-2.0

# What tests in a browser have in common. WHAT: whose tests they are, for messages.
# The headless shell draws the same, without the rest of the browser: a test takes half of the processor's time.
find_program(CHROMIUM NAMES chromium-headless-shell chromium chromium-browser google-chrome)

# npm asks PATH for node, and each release of it wants its own.
if(NPM)
  cmake_path(GET NPM PARENT_PATH own)
  set(ENV{PATH} "${own}:$ENV{PATH}")
endif()

# Where something is missing the test is skipped, but not in CI.
function(skip why)
  if(DEFINED ENV{CI})
    message(FATAL_ERROR "${WHAT}: ${why}")
  endif()
  message("skipped: ${why}")
endfunction()

# Runs the tests of the npm package in MADE on LOCKKEEPER, in SOURCE.
function(run_npm_tests)
  if(NOT CHROMIUM)
    skip("chromium is not installed")
    return()
  endif()
  set(ENV{CHROMIUM} "${CHROMIUM}")
  set(ENV{LOCKKEEPER} "${LOCKKEEPER}")
  set(ENV{LOCKKEEPER_SOURCE} "${SOURCE}")
  execute_process(COMMAND "${NPM}" test WORKING_DIRECTORY "${MADE}" RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${WHAT} have failed")
  endif()
endfunction()
