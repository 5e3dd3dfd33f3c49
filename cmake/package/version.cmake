# SPDX-License-Identifier: Apache-2.0

# Run by cpack when it begins (CPACK_PROJECT_CONFIG_FILE): the version of the package is what git says then.
#   at the tag v1.0.0            1.0.0
#   5 commits later              1.0.0+git5.0123456789
#   before there is such a tag   1.0.0~git731.0123456789, which a package manager takes for older
# With `+changes` behind it when tracked files differ from the commit; without git the project's version.
# A tree that carries another version's tag is refused.
cmake_policy(VERSION 3.25)

function(lockkeeper_package_version source version out)
  set(${out} "${version}" PARENT_SCOPE)
  find_program(git git)
  if(NOT git OR NOT EXISTS "${source}/.git")
    return()
  endif()
  function(ask result)
    execute_process(COMMAND "${git}" ${ARGN} WORKING_DIRECTORY "${source}" OUTPUT_VARIABLE said
      RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(failed)
      set(said "")
    endif()
    set(${result} "${said}" PARENT_SCOPE)
  endfunction()

  ask(tags tag --points-at HEAD --list "v[0-9]*")
  if(tags)
    string(REPLACE "\n" ";" tags "${tags}")
    if(NOT "v${version}" IN_LIST tags)
      message(FATAL_ERROR "the tag ${tags} is on a tree whose CMakeLists.txt says version ${version}")
    endif()
  endif()
  ask(described describe --tags --match "v${version}" --long --abbrev=10)
  ask(commit rev-parse --short=10 HEAD)
  ask(count rev-list --count HEAD)
  ask(changes status --porcelain --untracked-files=no)
  if(described MATCHES "-0-g[0-9a-f]+$")
    set(suffix "")
  elseif(described MATCHES "-([0-9]+)-g[0-9a-f]+$")
    set(suffix "+git${CMAKE_MATCH_1}.${commit}")
  elseif(commit)
    set(suffix "~git${count}.${commit}")
  endif()
  if(changes)
    string(APPEND suffix "+changes")
  endif()
  set(${out} "${version}${suffix}" PARENT_SCOPE)
endfunction()

if(CPACK_LOCKKEEPER_SOURCE)
  lockkeeper_package_version("${CPACK_LOCKKEEPER_SOURCE}" "${CPACK_LOCKKEEPER_VERSION}" CPACK_PACKAGE_VERSION)
elseif(DEFINED SOURCE)  # for its test: cmake -D SOURCE=... -D VERSION=... -P
  lockkeeper_package_version("${SOURCE}" "${VERSION}" said)
  message(STATUS "${said}")
endif()
