#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0

# Installs the package that `make package` made in a clean Debian 12 and uses it there. Run by hand before a
# release, as root with debootstrap; CI has neither the time nor the network for it.
# Usage: try_deb.sh [PACKAGE.deb [MIRROR]]
set -euo pipefail
cd "$(dirname "$0")/../.."
# What is mounted here ends with this process.
[[ "${1:-}" == --mounted ]] && shift || exec unshare --mount "$0" --mounted "$@"

fail() {
    echo "try_deb: $*" >&2
    exit 1
}
package="${1:-$(ls -t build/release/lockkeeper_*.deb 2>/dev/null | head -n 1)}"
# Where this machine's own apt takes Debian 12's packages from.
apt_source() {
    apt-get indextargets --format '$(SITE)|$(CODENAME)|$(COMPONENT)' 'Identifier: Packages' |
        sed -n 's/|bookworm|main$//p' | head -n 1
}
mirror="${2:-$(apt_source)}"
# debootstrap asks for it with wget, which does not know apt's proxy.
eval "$(apt-config shell http_proxy Acquire::http::Proxy)"
export http_proxy="${http_proxy:-}"
[[ -n "$mirror" ]] || fail "apt has no source of bookworm; name one: try_deb.sh PACKAGE.deb MIRROR"
[[ -f "$package" ]] || fail "no package; run make package first"
command -v debootstrap >/dev/null || fail "debootstrap is not installed"

root="$(mktemp -d)"
chmod 755 "$root"
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf --one-file-system "$root"' EXIT
debootstrap --variant=minbase bookworm "$root" "$mirror" >"$root.log" 2>&1 || { cat "$root.log" >&2; fail "no root"; }
rm -f "$root.log"
mount -t proc proc "$root/proc"
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "$@"; }
installed() { inside dpkg-query -W -f '${Package} ${Version} ${Installed-Size}\n' | sort; }

cp "$package" "$root/tmp/"
inside apt-get update -qq
installed >"$root/tmp/before"
inside DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    "/tmp/$(basename "$package")" >"$root/tmp/log" 2>&1 || { cat "$root/tmp/log" >&2; fail "apt cannot install it"; }
installed >"$root/tmp/after"
echo "== $(basename "$package"), $(stat -c %s "$package") bytes. apt installed (version, KiB):"
comm -13 "$root/tmp/before" "$root/tmp/after" | tee "$root/tmp/new"
if grep -E '^(postgresql|mariadb-server|redis|erlang|nodejs|npm|g\+\+|cmake|lib(gtest|gmock|rapidcheck|valijson|benchmark))' "$root/tmp/new"; then
    fail "these are not for running the command"
fi

# expect CODE COMMAND...
expect() {
    local wanted=$1 code=0
    shift
    inside "$@" >"$root/tmp/said" 2>&1 || code=$?
    if [[ $code != "$wanted" ]]; then
        cat "$root/tmp/said" >&2
        fail "$* ended with $code, not $wanted"
    fi
    echo "exit $code: $*"
}
scenarios=/usr/share/lockkeeper/scenarios
echo "== $(inside lockkeeper --version)"
expect 1 lockkeeper explore -q "$scenarios/canal/findings/leak_two_callers.json" --report /tmp/leak.html
grep -q '</html>' "$root/tmp/leak.html" || fail "the page was not written"
expect 0 lockkeeper explore -q "$scenarios/canal/repaired/leak_two_callers.json"
expect 0 lockkeeper run -q "$scenarios/single_counter"
expect 0 lockkeeper measure -q "$scenarios/measure/leak_two_callers.json"
expect 0 lockkeeper list
expect 0 /usr/share/lockkeeper/examples/ci/check_locks.sh "$scenarios/single_counter" /tmp/reports

missing=0
have() { [[ -s "$root/$1" ]] || { echo "try_deb: /$1 is not there" >&2; missing=1; }; }
for verb in "" $(inside lockkeeper --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]\+\) .*/-\1/p'); do
    have "usr/share/man/man1/lockkeeper$verb.1.gz"
done
have usr/share/bash-completion/completions/lockkeeper
have usr/share/zsh/site-functions/_lockkeeper
have usr/share/fish/vendor_completions.d/lockkeeper.fish
have usr/share/doc/lockkeeper/NOTICE
have usr/share/doc/lockkeeper/copyright
have usr/share/lockkeeper/scenarios/schema/scenario.schema.json
[[ $missing == 0 ]] || fail "files are missing"
echo "== $(inside dpkg -L lockkeeper | wc -l) files and folders; manual pages, completion and schemas are there"
