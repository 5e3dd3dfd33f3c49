# SPDX-License-Identifier: Apache-2.0

# Run at build time: makes the playground's pages of WEB in MADE with NPM, and with the module in ENGINE the playground
# in OUT. Without npm there is none.

include("${CMAKE_CURRENT_LIST_DIR}/npm_ci.cmake")
if(NOT NPM)
  message(FATAL_ERROR "the playground: npm is not installed")
endif()
npm_sources("${WEB}" "${MADE}" said playground.html report.html own_lock.html)
if(said)
  message(FATAL_ERROR "the playground: npm cannot install its packages: ${said}")
endif()
execute_process(COMMAND "${NPM}" run --silent playground
  WORKING_DIRECTORY "${MADE}" RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said_more)
if(failed)
  message(FATAL_ERROR "the playground's pages do not build:\n${said}${said_more}")
endif()
execute_process(COMMAND "${CMAKE_COMMAND}" -E env "ENGINE=${ENGINE}" "${NODE}" "${SOURCE}/wasm/names.mjs" "${ENGINE}/names.json"
  COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${PYTHON}" "${SOURCE}/wasm/playground.py" "${ENGINE}" "${MADE}" "${OUT}"
  COMMAND_ERROR_IS_FATAL ANY)
