# SPDX-License-Identifier: Apache-2.0

# Writes the source file that includes the preloaded library and the script for Node.js, with a sum of
# their bytes: a cache of objects (ccache) does not look at what the assembler includes.
file(SHA256 "${LOCKKEEPER_WIRE_LIBRARY}" library)
file(SHA256 "${LOCKKEEPER_WIRE_SCRIPT}" script)
set(LOCKKEEPER_WIRE_SUMS "${library} ${script}")
configure_file("${CMAKE_CURRENT_LIST_DIR}/wire_library.cpp.in" "${LOCKKEEPER_WIRE_SOURCE}" @ONLY)
