# SPDX-License-Identifier: Apache-2.0

# Run at build time: writes OUTPUT from TEMPLATE with VERSION and the commit of SOURCE_DIR.
# configure_file leaves an unchanged file alone, so that nothing is recompiled for nothing.

set(COMMIT "unknown")
find_program(git git)
# The repository must be this project's own: a release unpacked inside another checkout is not it.
if(git AND EXISTS "${SOURCE_DIR}/.git")
  execute_process(
    COMMAND "${git}" describe --always --exclude=* --abbrev=12 --dirty=+changes
    WORKING_DIRECTORY "${SOURCE_DIR}"
    OUTPUT_VARIABLE described RESULT_VARIABLE failed
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failed)
    set(COMMIT "${described}")
  endif()
endif()
configure_file("${TEMPLATE}" "${OUTPUT}" @ONLY)
