# SPDX-License-Identifier: Apache-2.0

# liblockkeeper_threads.a: what a program that is compiled with -fsanitize=thread is linked with in the place of the
# sanitizer's runtime (validate/threads/runtime). It is one object whose names are its own but for those that it takes
# the place of: else the linker would choose, of a template that the program and the runtime both have, one that is
# watched for the runtime, or one that is not for the program.

# The judge of outside code, what it needs, and the priorities: compiled once more, for a program is linked with
# nothing else.
set(LOCKKEEPER_THREADS_JUDGE
  model/answer_counts scheduler/base/interrupt scheduler/runs/strategy
  validate/outside/ledger validate/outside/ledger_answers validate/outside/ledger_grants validate/outside/ledger_rates
  validate/outside/rate_windows validate/outside/look validate/outside/script_place
  validate/outside/tally validate/outside/call_history
  validate/histories/check_history validate/histories/linearize validate/histories/ladder
  validate/histories/judge_refusals validate/histories/freed_by_refused validate/histories/model_choice
  validate/histories/models/counting validate/histories/models/fenced_resource validate/histories/models/lease
  validate/histories/models/owned validate/histories/models/pool validate/histories/pool_waits
  validate/histories/open_operations
  validate/histories/operation_values validate/histories/order_records
  validate/histories/holding_intervals validate/histories/read_operations
  validate/histories/record_time validate/histories/recorded validate/histories/datum)

function(lockkeeper_threads_objects target)
  add_library(${target} OBJECT ${ARGN})
  lockkeeper_warnings(${target})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  # The search is the hot path of whatever is tested with it: fast in every build, its functions put into each other
  # although they could be in a shared library. Memory functions are those that it defines itself.
  target_compile_options(${target} PRIVATE -O2 -g0 -fPIC -fno-semantic-interposition -fno-builtin)
  # g++ has names for statics of templates that objcopy cannot make the object's own. It fills few bytes by a string
  # instruction, which begins slowly: each event is such.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fno-gnu-unique
      "-mmemset-strategy=unrolled_loop:256:noalign,rep_8byte:-1:noalign")
  endif()
  # Nothing but headers of other libraries.
  target_compile_definitions(${target} PRIVATE JSON_DIAGNOSTICS=1 "XXH_INLINE_ALL=")
  target_link_libraries(${target} PRIVATE fmt::fmt-header-only nlohmann_json::nlohmann_json Boost::headers
    lockkeeper_thirdparty::xxhash lockkeeper_thirdparty::eigen)
  set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
endfunction()

function(lockkeeper_threads_runtime)
  # GNU's: those of LLVM do not make one object of templates.
  find_program(LOCKKEEPER_GNU_LD NAMES ld.bfd)
  find_program(LOCKKEEPER_GNU_OBJCOPY NAMES x86_64-linux-gnu-objcopy objcopy)
  mark_as_advanced(LOCKKEEPER_GNU_LD LOCKKEEPER_GNU_OBJCOPY)
  if(NOT LOCKKEEPER_GNU_LD OR NOT LOCKKEEPER_GNU_OBJCOPY OR LOCKKEEPER_SANITIZE OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" OR
     NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
    return()
  endif()
  set(directory "${PROJECT_SOURCE_DIR}/validate/threads")
  file(GLOB sources CONFIGURE_DEPENDS "${directory}/runtime/*.cpp" "${directory}/graph/*.cpp" "${directory}/marked/*.cpp")
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  lockkeeper_threads_objects(lockkeeper_threads_objects ${sources})
  target_compile_options(lockkeeper_threads_objects PRIVATE -g1)
  list(TRANSFORM LOCKKEEPER_THREADS_JUDGE PREPEND "${PROJECT_SOURCE_DIR}/")
  list(TRANSFORM LOCKKEEPER_THREADS_JUDGE APPEND ".cpp")
  lockkeeper_threads_objects(lockkeeper_threads_judge ${LOCKKEEPER_THREADS_JUDGE})
  # Half the time; names are one folder's own.
  set_target_properties(lockkeeper_threads_objects lockkeeper_threads_judge PROPERTIES
    UNITY_BUILD "${LOCKKEEPER_UNITY}" UNITY_BUILD_BATCH_SIZE 16)
  set_target_properties(lockkeeper_threads_objects PROPERTIES UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS sources)
    string(REGEX REPLACE "^.*/threads/([a-z]+/.).*$" "\\1" group "${source}")
    string(REGEX REPLACE "^runtime/[a-h]" "runtime_first" group "${group}")
    string(REGEX REPLACE "/.$" "" group "${group}")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${group}")
  endforeach()
  set_source_files_properties("${directory}/runtime/unknown_functions.cpp" "${directory}/runtime/unseen_code.cpp"
    PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # they name things as others do
  set(library "${PROJECT_BINARY_DIR}/liblockkeeper_threads.a")
  set(names "${PROJECT_SOURCE_DIR}/validate/threads/runtime/names.txt")
  set(script "${PROJECT_SOURCE_DIR}/cmake/lockkeeper_threads.ld")
  set(check "${PROJECT_SOURCE_DIR}/cmake/check_threads_object.cmake")
  set(work "${PROJECT_BINARY_DIR}/generated/lockkeeper_threads")
  add_custom_command(
    OUTPUT "${library}"
    COMMAND "${LOCKKEEPER_GNU_LD}" -r --force-group-allocation -T "${script}" -o "${work}_all.o"
            "$<TARGET_OBJECTS:lockkeeper_threads_objects>" "$<TARGET_OBJECTS:lockkeeper_threads_judge>"
    COMMAND "${LOCKKEEPER_GNU_OBJCOPY}" --wildcard "--keep-global-symbols=${names}" "${work}_all.o" "${work}.o"
    # A source that LOCKKEEPER_THREADS_JUDGE lacks.
    COMMAND "${CMAKE_COMMAND}" -D "NM=${CMAKE_NM}" -D "OBJECT=${work}.o" -P "${check}"
    COMMAND "${CMAKE_COMMAND}" -E rm -f "${library}"
    COMMAND "${CMAKE_AR}" rcs "${library}" "${work}.o"
    DEPENDS "$<TARGET_OBJECTS:lockkeeper_threads_objects>" lockkeeper_threads_objects "${check}"
            "$<TARGET_OBJECTS:lockkeeper_threads_judge>" lockkeeper_threads_judge "${names}" "${script}"
    COMMAND_EXPAND_LISTS
    COMMENT "Making one object of the runtime for programs with threads"
    VERBATIM)
  set(all)
  if(PROJECT_IS_TOP_LEVEL)
    set(all ALL)
  endif()
  add_custom_target(lockkeeper_threads ${all} DEPENDS "${library}")
  install(FILES "${library}" DESTINATION "${CMAKE_INSTALL_LIBDIR}" OPTIONAL)
  set(headers "${PROJECT_SOURCE_DIR}/validate/threads/include")
  install(DIRECTORY "${headers}/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")

  # What tests link: lockkeeper_threads_test().
  add_library(lockkeeper_threads_library INTERFACE)
  add_library(lockkeeper::threads ALIAS lockkeeper_threads_library)
  target_include_directories(lockkeeper_threads_library INTERFACE "${headers}")
  target_link_libraries(lockkeeper_threads_library INTERFACE "${library}" -pthread -Wl,-z,now)
  add_dependencies(lockkeeper_threads_library lockkeeper_threads)
endfunction()

include(LockkeeperThreadsTest)
