# SPDX-License-Identifier: Apache-2.0

# `cpack` in a build directory, or `make package`: a .deb with the command, its scenarios, examples
# and pages, the libraries and headers. It depends on the shared libraries that the command loads and
# on nothing else: no server, no compiler, no package that only tests need.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME lockkeeper)
set(CPACK_PACKAGE_CONTACT "The Lockkeeper authors <lockkeeper@invalid>")
set(CPACK_LOCKKEEPER_SOURCE "${PROJECT_SOURCE_DIR}")
set(CPACK_LOCKKEEPER_VERSION "${PROJECT_VERSION}")
set(CPACK_PROJECT_CONFIG_FILE "${PROJECT_SOURCE_DIR}/cmake/package/version.cmake")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "simulates and verifies locks, limiters and leases")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Lockkeeper runs a lock in a world where it decides everything that happens
next: it enumerates all interleavings of a small scope, and shows the shortest
one that breaks a promise, with a line that repeats it.")
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/package/debian_files.cmake")
set(CPACK_STRIP_FILES ON)
# For tests of a lock of one's own in C++, and for `validate --server`.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "g++, cmake, libfmt-dev, nlohmann-json3-dev, libboost-dev, libeigen3-dev, libxxhash-dev, libtbb-dev, pkgconf, libpq-dev, libmariadb-dev, postgresql, mariadb-server, erlang-base")
include(CPack)
