# SPDX-License-Identifier: Apache-2.0

# The pages of `man lockkeeper` and the completion of shells, made from the command's table of flags
# when it is built: build/<preset>/share/, laid out as below the prefix.

function(lockkeeper_written_manual)
  add_executable(lockkeeper_write_manual "${PROJECT_SOURCE_DIR}/manual/main.cpp")
  lockkeeper_warnings(lockkeeper_write_manual)
  lockkeeper_usual_headers(lockkeeper_write_manual libraries)
  target_link_libraries(lockkeeper_write_manual PRIVATE lockkeeper_manual)
  set(share "${PROJECT_BINARY_DIR}/share")
  string(TIMESTAMP date "%Y-%m-%d" UTC)  # or SOURCE_DATE_EPOCH
  add_custom_command(OUTPUT "${share}/man/man1/lockkeeper.1"
    COMMAND lockkeeper_write_manual "${share}" "${date}"
    DEPENDS lockkeeper_write_manual
    COMMENT "Writing manual pages and completion"
    VERBATIM)
  add_custom_target(lockkeeper_share ALL DEPENDS "${share}/man/man1/lockkeeper.1")

  install(DIRECTORY "${share}/man/" DESTINATION "${CMAKE_INSTALL_MANDIR}" OPTIONAL)
  foreach(shell bash-completion zsh fish)
    install(DIRECTORY "${share}/${shell}" DESTINATION "${CMAKE_INSTALL_DATADIR}" OPTIONAL)
  endforeach()
endfunction()
