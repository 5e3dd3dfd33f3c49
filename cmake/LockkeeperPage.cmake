# SPDX-License-Identifier: Apache-2.0

# The page of reports and the explorer (reports/web/) are part of the executable, so that it needs nothing when
# it runs. npm makes them in the build directory, of exactly the packages that package-lock.json names. Without
# npm the command builds all the same, and says of pages that it has none.

# Adds to lockkeeper_reports the source with both pages, as strings.
function(lockkeeper_page)
  set(web "${PROJECT_SOURCE_DIR}/reports/web")
  set(made "${PROJECT_BINARY_DIR}/page")
  set(source "${PROJECT_BINARY_DIR}/generated/page_shell.cpp")
  find_program(LOCKKEEPER_NPM npm)
  file(GLOB_RECURSE inputs CONFIGURE_DEPENDS "${web}/src/*")
  list(APPEND inputs "${web}/index.html" "${web}/serve.html" "${web}/vite.config.js" "${web}/tsconfig.json"
    "${web}/package.json" "${web}/package-lock.json")
  set(script "${PROJECT_SOURCE_DIR}/cmake/page/build_page.cmake")
  add_custom_command(OUTPUT "${source}"
    COMMAND "${CMAKE_COMMAND}"
      -D "NPM=${LOCKKEEPER_NPM}"
      -D "WEB=${web}"
      -D "MADE=${made}"
      -D "OUTPUT=${source}"
      -P "${script}"
    DEPENDS ${inputs} "${script}" "${PROJECT_SOURCE_DIR}/cmake/page/page_shell.cpp.in"
    COMMENT "Making the page of reports and the explorer"
    VERBATIM)
  # A long string: the limit of 65,536 characters is none of these compilers'.
  set_source_files_properties("${source}" PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON
    COMPILE_OPTIONS "-Wno-overlength-strings")
  target_sources(lockkeeper_reports PRIVATE "${source}")
endfunction()

# Both in a browser, with this build's command.
function(lockkeeper_page_tests)
  add_test(NAME page
    COMMAND "${CMAKE_COMMAND}"
      -D "NPM=${LOCKKEEPER_NPM}"
      -D "WEB=${PROJECT_SOURCE_DIR}/reports/web"
      -D "MADE=${PROJECT_BINARY_DIR}/page"
      -D "SOURCE=${PROJECT_SOURCE_DIR}"
      -D "LOCKKEEPER=$<TARGET_FILE:lockkeeper>"
      -P "${PROJECT_SOURCE_DIR}/cmake/page/test_page.cmake")
  set_tests_properties(page PROPERTIES
    SKIP_REGULAR_EXPRESSION "skipped: " TIMEOUT 900 COST 50)
  # The playground's pages, with the command in the place of the module.
  add_test(NAME playground_pages
    COMMAND "${CMAKE_COMMAND}"
      -D "NPM=${LOCKKEEPER_NPM}"
      -D "WEB=${PROJECT_SOURCE_DIR}/reports/web"
      -D "PAGE=${PROJECT_BINARY_DIR}/page"
      -D "MADE=${PROJECT_BINARY_DIR}/playground_page"
      -D "SOURCE=${PROJECT_SOURCE_DIR}"
      -D "LOCKKEEPER=$<TARGET_FILE:lockkeeper>"
      -P "${PROJECT_SOURCE_DIR}/cmake/page/test_playground.cmake")
  set_tests_properties(playground_pages PROPERTIES
    SKIP_REGULAR_EXPRESSION "skipped: " TIMEOUT 1800 COST 60)
  # Skipped where there is no module. Nothing checks that a module is of these sources: make playground before.
  add_test(NAME playground_long COMMAND wasm/test/run.sh --all WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(playground_long PROPERTIES SKIP_RETURN_CODE 77 LABELS long TIMEOUT 21600
    ENVIRONMENT "LOCKKEEPER=$<TARGET_FILE:lockkeeper>")
endfunction()

# Programs of others read the other formats of this build's command.
function(lockkeeper_viewer_tests)
  add_test(NAME viewers
    COMMAND "${CMAKE_COMMAND}"
      -D "NPM=${LOCKKEEPER_NPM}"
      -D "VIEWERS=${PROJECT_SOURCE_DIR}/reports/viewers"
      -D "MADE=${PROJECT_BINARY_DIR}/viewers"
      -D "SOURCE=${PROJECT_SOURCE_DIR}"
      -D "LOCKKEEPER=$<TARGET_FILE:lockkeeper>"
      -P "${PROJECT_SOURCE_DIR}/cmake/page/test_viewers.cmake")
  set_tests_properties(viewers PROPERTIES
    SKIP_REGULAR_EXPRESSION "skipped: " TIMEOUT 900 COST 50)
endfunction()

# The lines of a source as a list. What means something in a list of CMake's is left out.
function(lockkeeper_lines file out)
  set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(READ "${file}" text)
  string(REGEX REPLACE "[];[\\]" "" text "${text}")
  string(REPLACE "\n" ";" lines "${text}")
  set(${out} "${lines}" PARENT_SCOPE)
endfunction()

# The names of the labels that the header declares, in their order: `enum class At`, `enum class LeaseDbAt`.
function(lockkeeper_labels header out)
  lockkeeper_lines("${header}" lines)
  set(labels)
  set(inside FALSE)
  foreach(line IN LISTS lines)
    if(line MATCHES "^enum class [A-Za-z]*At : ")
      set(inside TRUE)
    endif()
    string(REGEX REPLACE "//.*" "" code "${line}")
    if(inside)
      string(REGEX MATCHALL "[ {]k[A-Z][A-Za-z0-9]*" found " ${code}")
      list(TRANSFORM found REPLACE "[ {]" "")
      list(APPEND labels ${found})
    endif()
    if(inside AND code MATCHES "}")
      set(inside FALSE)
    endif()
  endforeach()
  set(${out} "${labels}" PARENT_SCOPE)
endfunction()

# Adds to lockkeeper_reports the line of each step: where in `Outcome ... step(` each label has its case.
# Sources that do that, and have `unreachable("a label of` behind the cases, are found by themselves; the labels
# are those of the header beside them that has all of their names.
function(lockkeeper_step_lines)
  set(LOCKKEEPER_STEP_LINES "")
  file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/impl/*/*.hpp")
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/impl/*/*.hpp" "${PROJECT_SOURCE_DIR}/impl/*/*.cpp")
  list(FILTER sources EXCLUDE REGEX "_test[.]|planted_bugs|impl/native/")
  foreach(source IN LISTS sources)
    file(STRINGS "${source}" ends REGEX "unreachable\\(.a label of" LIMIT_COUNT 1)
    if(NOT ends)
      continue()
    endif()
    lockkeeper_lines("${source}" lines)
    set(names)
    set(numbers)
    set(number 0)
    set(inside FALSE)
    foreach(line IN LISTS lines)
      math(EXPR number "${number} + 1")
      if(line MATCHES "^ *Outcome [A-Za-z:]*step\\(")
        set(inside TRUE)
      elseif(line MATCHES "unreachable\\(.a label of")
        set(inside FALSE)
      elseif(inside AND line MATCHES "case At::(k[A-Za-z0-9]+):")
        list(APPEND names "${CMAKE_MATCH_1}")
        list(APPEND numbers "${number}")
      endif()
    endforeach()
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE shown)
    foreach(header IN LISTS headers)
      cmake_path(GET header PARENT_PATH beside)
      if(NOT beside STREQUAL folder OR NOT names)
        continue()
      endif()
      lockkeeper_labels("${header}" labels)
      if(NOT labels)
        continue()
      endif()
      set(unknown ${names})
      list(REMOVE_ITEM unknown ${labels})
      if(unknown)
        continue()
      endif()
      foreach(name line IN ZIP_LISTS names numbers)
        list(FIND labels "${name}" label)
        string(APPEND LOCKKEEPER_STEP_LINES "        {\"${shown}\", ${label}, ${line}},\n")
      endforeach()
    endforeach()
  endforeach()
  set(generated "${PROJECT_BINARY_DIR}/generated/step_lines.cpp")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/step_lines.cpp.in" "${generated}" @ONLY)
  target_sources(lockkeeper_reports PRIVATE "${generated}")
endfunction()
