# SPDX-License-Identifier: Apache-2.0

# The playground: the same sources as a WebAssembly module (cmake --preset wasm, make playground), with Debian's
# emscripten. Processes, sockets, servers and Erlang are left out: wasm/browser/refused.cpp stands in their place.
# Other builds have of it the test that the module would link.

# Of these folders a page has the headers alone, and of others not these sources.
set(LOCKKEEPER_REFUSED_FOLDERS validate/processes validate/servers validate/erlang validate/wire validate/threads/command)
set(LOCKKEEPER_REFUSED_SOURCES "/(validate/programs/child_process|serve/(http_[a-z]+|serve))[.]cpp$")

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

# The folder's library without the sources that a page has not.
function(lockkeeper_wasm_without_refused target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX "${LOCKKEEPER_REFUSED_SOURCES}")
  set_target_properties(${target} PROPERTIES SOURCES "${sources}")
endfunction()

# Where sources are compiled several at once, those that a page has not are an object of their own: so it can be seen
# who calls them. The module itself is built without them.
function(lockkeeper_refused_apart target)
  set(refused ${ARGN})
  list(FILTER refused INCLUDE REGEX "${LOCKKEEPER_REFUSED_SOURCES}")
  if(refused AND NOT EMSCRIPTEN)
    set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
    set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP rest)
    set_source_files_properties(${refused} PROPERTIES UNITY_GROUP refused)
  endif()
endfunction()

# What stands before measure is built as everywhere.
function(lockkeeper_wasm)
  # Their headers alone: what they do is refused.
  foreach(folder IN LISTS LOCKKEEPER_REFUSED_FOLDERS)
    string(REPLACE "/" "_" name "${folder}")
    add_library(lockkeeper_${name} INTERFACE)
    target_link_libraries(lockkeeper_${name} INTERFACE lockkeeper_scenarios)
  endforeach()
  lockkeeper_folder(validate/histories SEES model)
  lockkeeper_folder(validate/outside SEES scheduler validate/histories)
  lockkeeper_folder(validate/programs SEES scenarios validate/outside)
  lockkeeper_wasm_without_refused(lockkeeper_validate_programs)  # wasm/browser has another child process
  lockkeeper_folder(validate/compare SEES validate/programs)
  lockkeeper_folder(validate/logs SEES scenarios validate/histories)
  lockkeeper_folder(work/results SEES measure validate/compare version)
  lockkeeper_folder(work SEES work/results validate/threads/command)
  lockkeeper_folder(reports SEES work/results)
  lockkeeper_step_lines()
  lockkeeper_folder(serve SEES work reports)
  lockkeeper_wasm_without_refused(lockkeeper_serve)
  lockkeeper_folder(app SEES impl/descriptor work reports serve validate/logs version)
  lockkeeper_folder(wasm/engine SEES app impl/descriptor serve)
  lockkeeper_wasm_module()
  lockkeeper_playground()
endfunction()

# Modules for a worker of a page and for Node.js: engine.js and engine.wasm, and api.js and api.wasm, which are
# smaller and answer the explorer alone.
function(lockkeeper_wasm_module)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/wasm/browser/*.cpp")
  # A call of the compiler's own memcpy is the instruction there, not itself.
  set_source_files_properties("${PROJECT_SOURCE_DIR}/wasm/browser/memory.cpp" PROPERTIES
    COMPILE_OPTIONS "-O3;-fno-builtin;-mbulk-memory")
  add_library(lockkeeper_browser OBJECT ${sources})
  lockkeeper_warnings(lockkeeper_browser)
  target_link_libraries(lockkeeper_browser PRIVATE lockkeeper_wasm_engine)
  foreach(module engine api)
    # What no exported function calls is left out by the linker.
    set(objects "$<TARGET_OBJECTS:lockkeeper_browser>")
    if(module STREQUAL "api")
      set(objects "$<FILTER:${objects},EXCLUDE,exports_command>")
    endif()
    add_executable(${module} ${objects})
    set_target_properties(${module} PROPERTIES LINKER_LANGUAGE CXX)
    target_link_libraries(${module} PRIVATE lockkeeper_wasm_engine)
    target_link_options(${module} PRIVATE "$<$<CONFIG:Release>:-O2>" -fwasm-exceptions
      -sMODULARIZE=1 -sEXPORT_NAME=lockkeeper_engine -sENVIRONMENT=worker,node
      -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=4GB -sTOTAL_STACK=8MB
      -sEXPORTED_FUNCTIONS=_malloc,_free -sEXPORTED_RUNTIME_METHODS=UTF8ToString,stringToUTF8,lengthBytesUTF8)
    # Another Node.js than Debian's does not look for emscripten's acorn there.
    set_target_properties(${module} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}"
      CXX_LINKER_LAUNCHER "${CMAKE_COMMAND};-E;env;NODE_PATH=/usr/share/nodejs")
  endforeach()
endfunction()

# build/playground: static files. A target of its own, not part of `all`.
function(lockkeeper_playground)
  set(web "${PROJECT_SOURCE_DIR}/reports/web")
  find_program(LOCKKEEPER_NPM npm)
  find_program(LOCKKEEPER_PYTHON python3 REQUIRED)
  find_program(LOCKKEEPER_NODE NAMES node nodejs REQUIRED)
  add_custom_target(playground
    COMMAND "${CMAKE_COMMAND}"
      -D "NPM=${LOCKKEEPER_NPM}"
      -D "PYTHON=${LOCKKEEPER_PYTHON}"
      -D "NODE=${LOCKKEEPER_NODE}"
      -D "WEB=${web}"
      -D "MADE=${PROJECT_BINARY_DIR}/page"
      -D "ENGINE=${PROJECT_BINARY_DIR}"
      -D "SOURCE=${PROJECT_SOURCE_DIR}"
      -D "OUT=${PROJECT_SOURCE_DIR}/build/playground"
      -P "${PROJECT_SOURCE_DIR}/cmake/page/build_playground.cmake"
    COMMENT "Making the playground"
    VERBATIM)
  add_dependencies(playground engine api)
endfunction()

# The libraries that a target is linked with, and theirs. Those of LOCKKEEPER_REFUSED_FOLDERS are an end.
function(lockkeeper_seen_from target refused result)
  set(${result} ${${result}} ${target})
  get_target_property(linked ${target} INTERFACE_LINK_LIBRARIES)
  foreach(library IN LISTS linked)
    if(library MATCHES "^lockkeeper_" AND TARGET ${library} AND NOT library IN_LIST ${result})
      get_target_property(type ${library} TYPE)
      if(type STREQUAL "STATIC_LIBRARY" AND NOT library IN_LIST refused)
        lockkeeper_seen_from(${library} "${refused}" ${result})
      endif()
    endif()
  endforeach()
  set(${result} ${${result}} PARENT_SCOPE)
endfunction()

# Nobody but who makes the playground has emscripten. So each build looks in its own objects for what the module would
# lack: the same libraries without what a page has not, and wasm/browser in its place (wasm/test/links.py). Optimised
# builds alone: in others functions are called that the module's compiler leaves out.
function(lockkeeper_wasm_link_test)
  if(LOCKKEEPER_SANITIZE OR NOT CMAKE_BUILD_TYPE STREQUAL "Release" OR NOT Python3_FOUND OR NOT CMAKE_NM OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/wasm/browser/*.cpp")
  list(FILTER sources EXCLUDE REGEX "/memory[.]cpp$")  # other C libraries have better ones
  add_library(lockkeeper_browser OBJECT ${sources})
  set_target_properties(lockkeeper_browser PROPERTIES UNITY_BUILD OFF)
  lockkeeper_warnings(lockkeeper_browser)
  target_include_directories(lockkeeper_browser SYSTEM PRIVATE "${PROJECT_SOURCE_DIR}/wasm/test/native")
  target_link_libraries(lockkeeper_browser PRIVATE lockkeeper_wasm_engine)
  list(TRANSFORM LOCKKEEPER_REFUSED_FOLDERS REPLACE "/" "_" OUTPUT_VARIABLE refused)
  list(TRANSFORM refused PREPEND lockkeeper_)
  set(seen)
  lockkeeper_seen_from(lockkeeper_wasm_engine "${refused}" seen)
  list(TRANSFORM seen REPLACE "(.+)" "$<TARGET_FILE:\\1>")
  list(TRANSFORM refused REPLACE "(.+)" "$<TARGET_FILE:\\1>")
  set(calls)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # another compiler calls others
    set(calls --c-library "${PROJECT_SOURCE_DIR}/wasm/test/c_library.txt")
  endif()
  add_test(NAME playground_links
    COMMAND "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/wasm/test/links.py" --nm "${CMAKE_NM}" ${calls}
      --browser "$<TARGET_OBJECTS:lockkeeper_browser>" --libraries ${seen} --refused ${refused}
    COMMAND_EXPAND_LISTS)
  # The same for a native linker: these archives by their files, and no others.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_executable(engine_alone_test "${PROJECT_SOURCE_DIR}/wasm/test/alone_test.cpp" $<TARGET_OBJECTS:lockkeeper_browser>)
    set_target_properties(engine_alone_test PROPERTIES UNITY_BUILD OFF LINK_DEPENDS "${seen}"
      RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
    lockkeeper_warnings(engine_alone_test)
    target_include_directories(engine_alone_test SYSTEM PRIVATE "$<TARGET_PROPERTY:lockkeeper_browser,INCLUDE_DIRECTORIES>")
    target_compile_definitions(engine_alone_test PRIVATE "$<TARGET_PROPERTY:lockkeeper_browser,COMPILE_DEFINITIONS>"
      "LOCKKEEPER_SOURCE_DIR=\"${LOCKKEEPER_PLAIN_SOURCE}\"")
    add_dependencies(engine_alone_test lockkeeper_wasm_engine)
    # The table of a class that g++ names in its destructor (wasm/test/links.py).
    target_link_options(engine_alone_test PRIVATE -Wl,--defsym=_ZTVN10lockkeeper4wire7WireRunE=0)
    target_link_libraries(engine_alone_test PRIVATE -Wl,--start-group ${seen} -Wl,--end-group fmt::fmt GTest::gtest_main)
    add_test(NAME engine_alone COMMAND engine_alone_test)
  endif()
endfunction()
