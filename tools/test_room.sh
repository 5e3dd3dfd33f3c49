#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0

# Builds and tests one room, a folder that has tests: tools/test_room.sh validate/wire [REGEX OF TESTS]
# With clang and without optimisation, which is built soonest: build/quick.
set -euo pipefail
cd "$(dirname "$0")/.."
room="${1#./}"
room="${room%/}"
case "$room" in
    impl/native) name=native ;;
    impl/*) [[ "$room" == impl/descriptor ]] && name=impl_descriptor || name=impl ;;
    *) name="${room//\//_}" ;;
esac
rooms() {
    ninja -C build/quick -t targets all | sed -n 's/^\([a-z_]*\)_test: phony$/\1/p' | sort
}
[[ -f build/quick/build.ninja ]] || LOCKKEEPER_TARGETS=lockkeeper_version tools/build.sh quick
if [[ -z "$name" ]] || ! rooms | grep -qx "$name"; then
    echo "make test-room: ROOM is one of these folders ('_' for '/'):" $(rooms) >&2
    exit 64
fi
LOCKKEEPER_TARGETS="${name}_test" tools/build.sh quick
ctest --preset quick --parallel "$(nproc)" -L "^$name\$" -R "${2:-.}"
