# SPDX-License-Identifier: Apache-2.0

# Run by cpack between installing and packing: what Debian wants of a package beside the files of a plain
# installation. Manual pages are compressed, and the copyright stands where Debian looks for it.

set(share "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share")
file(GLOB pages "${share}/man/man*/*.[0-9]")
foreach(page IN LISTS pages)
  execute_process(COMMAND gzip -9 -n -f "${page}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()

file(READ "${share}/doc/lockkeeper/NOTICE" notice)
file(WRITE "${share}/doc/lockkeeper/copyright"
  "${notice}\nOn Debian systems the Apache License 2.0 is in /usr/share/common-licenses/Apache-2.0.\n")
file(REMOVE "${share}/doc/lockkeeper/LICENSE")
execute_process(COMMAND gzip -9 -n -f "${share}/doc/lockkeeper/CHANGELOG.md" COMMAND_ERROR_IS_FATAL ANY)
