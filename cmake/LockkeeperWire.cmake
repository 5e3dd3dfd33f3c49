# SPDX-License-Identifier: Apache-2.0

# What `validate --wire` preloads into the processes it holds is part of the executable, so that an
# installed Lockkeeper has it: validate/wire/preload/*.c as a shared library, and its bytes in a
# source file, with those of the script for Node.js. A command of its own, because no option of this build (sanitizers, warnings of C++)
# is to reach what runs in somebody else's process.
function(lockkeeper_wire_library)
  find_program(LOCKKEEPER_C_COMPILER NAMES gcc clang cc)
  mark_as_advanced(LOCKKEEPER_C_COMPILER)
  set(directory "${PROJECT_SOURCE_DIR}/validate/wire/preload")
  set(library "${PROJECT_BINARY_DIR}/generated/lockkeeper_wire.so")
  file(GLOB sources CONFIGURE_DEPENDS "${directory}/*.c")
  file(GLOB headers CONFIGURE_DEPENDS "${directory}/*.h")
  add_custom_command(
    OUTPUT "${library}"
    COMMAND "${LOCKKEEPER_C_COMPILER}" -std=gnu11 -O2 -fPIC -shared -fvisibility=hidden -Wall -Wextra
            -Werror "-I${PROJECT_SOURCE_DIR}" -o "${library}" ${sources} -ldl -pthread
    DEPENDS ${sources} ${headers}
    COMMENT "Building the library that is preloaded"
    VERBATIM)
  set(script "${directory}/node.cjs")
  set(generated "${PROJECT_BINARY_DIR}/generated/wire_library.cpp")
  set(maker "${PROJECT_SOURCE_DIR}/cmake/WireLibrarySource.cmake")
  add_custom_command(
    OUTPUT "${generated}"
    COMMAND "${CMAKE_COMMAND}" "-DLOCKKEEPER_WIRE_LIBRARY=${library}" "-DLOCKKEEPER_WIRE_SCRIPT=${script}"
            "-DLOCKKEEPER_WIRE_SOURCE=${generated}" -P "${maker}"
    DEPENDS "${library}" "${script}" "${maker}" "${PROJECT_SOURCE_DIR}/cmake/wire_library.cpp.in"
    COMMENT "Writing what includes it"
    VERBATIM)
  set_source_files_properties("${generated}" PROPERTIES OBJECT_DEPENDS "${library};${script}"
                              SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(lockkeeper_validate_wire PRIVATE "${generated}")
endfunction()
