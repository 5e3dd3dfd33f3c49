# SPDX-License-Identifier: Apache-2.0

# lockkeeper_threads_test(<name> <source>... [LIBRARIES <target>...]): a program and a ctest of that name, which fails
# where an execution of the program's threads is wrong, or where not all of them were run. Its main is the test, or
# calls explore_threads() (lockkeeper/threads.hpp) by a framework. Libraries are compiled with -fsanitize=thread, too,
# but for the framework. Used by Lockkeeper's own build and, installed, by lockkeeper-config.cmake.
function(lockkeeper_threads_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES")
  if(NOT TARGET lockkeeper::threads)
    message(FATAL_ERROR "lockkeeper_threads_test(${name}): this Lockkeeper was built without "
                        "liblockkeeper_threads.a, which needs x86-64 and GNU's linker")
  endif()
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  # -O1: the optimiser takes away races that have no effect.
  target_compile_options(${name} PRIVATE -fsanitize=thread -fno-builtin -g -O1 -fno-sanitize=address,undefined)
  target_compile_features(${name} PRIVATE cxx_std_17)
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} lockkeeper::threads)
  add_test(NAME ${name} COMMAND ${name})
endfunction()
