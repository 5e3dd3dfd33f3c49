# SPDX-License-Identifier: Apache-2.0

# Installs in `made` the packages that the lock file of `folder` names, with NPM. What was installed stays where
# the lock file is the same. `said`: what npm complained about, empty when all went well.
function(npm_ci folder made said)
  set(${said} "" PARENT_SCOPE)
  file(SHA256 "${folder}/package-lock.json" wanted)
  set(installed "")
  if(EXISTS "${made}/installed")
    file(READ "${made}/installed" installed)
  endif()
  if(installed STREQUAL wanted)
    return()
  endif()
  file(COPY "${folder}/package-lock.json" DESTINATION "${made}")
  execute_process(COMMAND "${NPM}" ci --no-audit --no-fund --loglevel=error
      --fetch-retry-mintimeout=500 --fetch-retry-maxtimeout=2000
    WORKING_DIRECTORY "${made}" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE complaint)
  if(failed)
    set(${said} "exit ${failed}: ${complaint}" PARENT_SCOPE)
    return()
  endif()
  file(WRITE "${made}/installed" "${wanted}")
endfunction()

# The same with copies of the sources that are named, from `folder`, in `made`: what was there goes.
function(npm_sources folder made said)
  file(MAKE_DIRECTORY "${made}")
  foreach(name IN LISTS ARGN ITEMS src vite.config.js tsconfig.json package.json .npmrc)
    file(REMOVE_RECURSE "${made}/${name}")
    if(EXISTS "${folder}/${name}")
      file(COPY "${folder}/${name}" DESTINATION "${made}")
    endif()
  endforeach()
  npm_ci("${folder}" "${made}" complaint)
  set(${said} "${complaint}" PARENT_SCOPE)
endfunction()
