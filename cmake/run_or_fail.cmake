# SPDX-License-Identifier: Apache-2.0

# For scripts that ctest runs: a command, whose output is shown where it fails.
function(run_or_fail)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed
    OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(failed)
    string(JOIN " " command ${ARGN})
    message(FATAL_ERROR "${command}\n${output}")
  endif()
endfunction()
