# SPDX-License-Identifier: Apache-2.0

# The playground: the same sources as a WebAssembly module (cmake --preset wasm, make playground), with Debian's
# emscripten. Processes, sockets, servers and Erlang are left out: wasm/browser/refused.cpp stands in their place.
# No other build reads this.

# The libraries of headers are those of the machine that builds: only they, not its C library's headers.
function(lockkeeper_wasm_packages)
  set(headers "${PROJECT_BINARY_DIR}/headers")
  file(MAKE_DIRECTORY "${headers}")
  foreach(name nlohmann fmt boost CLI xxhash.h xxh3.h eigen3)
    if(EXISTS "/usr/include/${name}")
      file(CREATE_LINK "/usr/include/${name}" "${headers}/${name}" SYMBOLIC)
    elseif(NOT name STREQUAL "xxh3.h")
      message(FATAL_ERROR "not found: /usr/include/${name}")
    endif()
  endforeach()
  add_library(lockkeeper_packages INTERFACE)
  target_compile_features(lockkeeper_packages INTERFACE cxx_std_20)
  target_include_directories(lockkeeper_packages SYSTEM INTERFACE "${headers}" "${headers}/eigen3")
  target_compile_definitions(lockkeeper_packages INTERFACE JSON_DIAGNOSTICS=1 "XXH_INLINE_ALL=" FMT_HEADER_ONLY=1)
  # The header has the parts that libc++ 13 lacks. A size has 32 bits: no file and no memory is larger.
  target_compile_options(lockkeeper_packages INTERFACE -fwasm-exceptions -Wno-shorten-64-to-32 -Wno-sign-conversion
    "SHELL:-include \"${PROJECT_SOURCE_DIR}/wasm/browser/libcxx13.hpp\"")
endfunction()

# lockkeeper_wasm_without(<target> <pattern>): the folder's library without these sources.
function(lockkeeper_wasm_without target pattern)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX "${pattern}")
  set_target_properties(${target} PROPERTIES SOURCES "${sources}")
endfunction()

# What stands before measure is built as everywhere.
function(lockkeeper_wasm)
  # Their headers alone: what they do is refused.
  foreach(folder validate/processes validate/servers validate/erlang validate/wire validate/threads/command)
    string(REPLACE "/" "_" name "${folder}")
    add_library(lockkeeper_${name} INTERFACE)
    target_link_libraries(lockkeeper_${name} INTERFACE lockkeeper_scenarios)
  endforeach()
  lockkeeper_folder(validate/histories SEES model)
  lockkeeper_folder(validate/outside SEES scheduler validate/histories)
  lockkeeper_folder(validate/programs SEES scenarios validate/outside)
  lockkeeper_wasm_without(lockkeeper_validate_programs "/child_process[.]cpp$")  # wasm/browser has another
  lockkeeper_folder(validate/compare SEES validate/programs)
  lockkeeper_folder(validate/logs SEES scenarios validate/histories)
  lockkeeper_folder(work/results SEES measure validate/compare version)
  lockkeeper_folder(work SEES work/results validate/threads/command)
  lockkeeper_folder(reports SEES work/results)
  lockkeeper_step_lines()
  lockkeeper_folder(serve SEES work reports)
  lockkeeper_wasm_without(lockkeeper_serve "/serve/(http_[a-z]+|serve)[.]cpp$")
  lockkeeper_folder(app SEES impl/descriptor work reports serve validate/logs version)
  lockkeeper_folder(wasm/engine SEES app impl/descriptor serve)
  lockkeeper_wasm_module()
  lockkeeper_playground()
endfunction()

# engine.js and engine.wasm, for a worker of a page and for Node.js.
function(lockkeeper_wasm_module)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/wasm/browser/*.cpp")
  add_executable(engine ${sources})
  lockkeeper_warnings(engine)
  target_link_libraries(engine PRIVATE lockkeeper_wasm_engine)
  target_link_options(engine PRIVATE -O2 -fwasm-exceptions
    -sMODULARIZE=1 -sEXPORT_NAME=lockkeeper_engine -sENVIRONMENT=worker,node
    -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=4GB -sTOTAL_STACK=8MB
    -sEXPORTED_FUNCTIONS=_malloc,_free -sEXPORTED_RUNTIME_METHODS=UTF8ToString,stringToUTF8,lengthBytesUTF8)
  # Another Node.js than Debian's does not look for emscripten's acorn there.
  set_target_properties(engine PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}"
    CXX_LINKER_LAUNCHER "${CMAKE_COMMAND};-E;env;NODE_PATH=/usr/share/nodejs")
endfunction()

# build/playground: static files. A target of its own, not part of `all`.
function(lockkeeper_playground)
  set(web "${PROJECT_SOURCE_DIR}/reports/web")
  find_program(LOCKKEEPER_NPM npm)
  find_program(LOCKKEEPER_PYTHON python3 REQUIRED)
  add_custom_target(playground
    COMMAND "${CMAKE_COMMAND}"
      -D "NPM=${LOCKKEEPER_NPM}"
      -D "PYTHON=${LOCKKEEPER_PYTHON}"
      -D "WEB=${web}"
      -D "MADE=${PROJECT_BINARY_DIR}/page"
      -D "ENGINE=${PROJECT_BINARY_DIR}"
      -D "SOURCE=${PROJECT_SOURCE_DIR}"
      -D "OUT=${PROJECT_SOURCE_DIR}/build/playground"
      -P "${PROJECT_SOURCE_DIR}/cmake/page/build_playground.cmake"
    COMMENT "Making the playground"
    VERBATIM)
  add_dependencies(playground engine)
endfunction()
