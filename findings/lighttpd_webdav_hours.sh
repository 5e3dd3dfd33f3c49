#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: lighttpd 1.4.69 with mod_webdav (Debian 12). libfaketime 0.9.10 sets its clock.
# Expected: WebDAV (RFC 4918) counts the time of a lock in seconds and a refresh starts it anew. An exclusive
#   lock is the only one.
# Really: lighttpd adds the seconds to SQLite's CURRENT_TIME, a text of which a sum takes the hour alone. A lock of
#   6 s, taken at 10 o'clock, ends at 16 o'clock. Its row stays: the next morning the lock is there again, beside
#   the exclusive lock that came after it. 24 s and more never end, and who asks for no time gets 600 s. A
#   refresh is answered with its new time and changes nothing, its two values are bound the wrong way round.
# Seen: the lines at the end of this script. Control: Apache 2.4 with mod_dav, the same requests at the same
#   times. There a refresh without a time is one without an end, lighttpd answers it with 600 s.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian lighttpd '1.4.69-*'
debian lighttpd-mod-webdav '1.4.69-*'
debian apache2-bin '2.4.*'
debian libfaketime '0.9.10-*'

chmod 711 "$tmp"
mkdir -m 777 "$tmp/lighttpd" "$tmp/apache" "$tmp/files"
address=$(loopback)
faketime=$(dpkg -L libfaketime | grep -m 1 "/libfaketime\.so\.1\$")

cat >"$tmp/lighttpd.conf" <<CONFIGURATION
server.modules = ("mod_webdav")
server.document-root = "$tmp/lighttpd"
server.bind = "$address"
server.port = 8080
webdav.activate = "enable"
webdav.sqlite-db-name = "$tmp/files/locks.sqlite"
CONFIGURATION

cat >"$tmp/apache.conf" <<CONFIGURATION
ServerRoot /usr/lib/apache2
ServerName $address
Listen $address:8081
PidFile $tmp/files/pid
ErrorLog $tmp/files/log
User www-data
Group www-data
LoadModule mpm_prefork_module modules/mod_mpm_prefork.so
LoadModule authz_core_module modules/mod_authz_core.so
LoadModule dav_module modules/mod_dav.so
LoadModule dav_fs_module modules/mod_dav_fs.so
DavLockDB $tmp/files/locks
DocumentRoot $tmp/apache
<Directory $tmp/apache>
    Dav On
</Directory>
CONFIGURATION

cat >"$tmp/client.py" <<'PROGRAM'
import http.client
import re
import sys
import time

LOCK = """<?xml version="1.0"?><lockinfo xmlns="DAV:"><lockscope><exclusive/></lockscope>
<locktype><write/></locktype></lockinfo>"""
ADDRESS, PORT, STEP = sys.argv[1:]
PATHS = ("/a", "/b", "/c", "/d")


def ask(method, path, body=None, **headers):
    connection = http.client.HTTPConnection(ADDRESS, int(PORT))
    connection.request(method, path, body, headers | {"Depth": "0"})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer, text


def times(text):
    """How long each lock has left. A server may have begun the next second, or two."""
    for left in re.findall(r"timeout>\s*(\w+)-?(\d*)", text):
        begun = [asked for asked in (6, 60, 600) if left[1] and asked - 3 < int(left[1]) <= asked]
        yield f"{begun[0]} s" if begun else left[0]


def lock(path, seconds=6):
    return ask("LOCK", path, LOCK, Timeout=f"Second-{seconds}")


def hold(path, seconds, refresh=None):
    ask("PUT", path, "text")
    answer, text = lock(path, seconds)
    line = f"A locks {path}: {next(times(text))}"
    if refresh is not None:
        token = answer.headers["Lock-Token"]
        line += f", refreshes: {next(times(ask('LOCK', path, If=f'({token})', **refresh)[1]))}"
        line += f", recorded: {next(times(ask('PROPFIND', path)[1]))}"
    print(line)


if STEP == "2 10:00":
    hold("/a", 6)
    hold("/b", 6, {"Timeout": "Second-600"})
    hold("/c", 6, {})
    hold("/d", 60)
    time.sleep(8)
    print("8 s later B may lock /a", lock("/a")[0].status)
elif STEP == "3 10:00":
    print(STEP, "exclusive locks:", *(f"{path} {len(list(times(ask('PROPFIND', path)[1])))}" for path in PATHS))
else:
    print(STEP, "B may lock", *(f"{path} {lock(path)[0].status}" for path in PATHS))
PROGRAM

reachable() {
    /usr/bin/python3 -c "import socket, sys; socket.create_connection((sys.argv[1], int(sys.argv[2])))" "$address" "$1"
}

# at TIME PORT COMMAND...: January 2026, starts the server at that day and time. What it has written stays.
at() {
    background env TZ=UTC LD_PRELOAD="$faketime" FAKETIME="@2026-01-0$1:00" "${@:3}" >"$tmp/out" 2>&1
    local server=$last
    patiently reachable "$2"
    /usr/bin/python3 "$tmp/client.py" "$address" "$2" "$1"
    kill "$server"
    wait "$server" 2>/dev/null || true
}

run() {
    local time
    echo "$1"
    for time in "2 10:00" "2 10:05" "2 15:50" "2 16:00" "3 10:00"; do
        at "$time" "${@:2}"
    done
}

{
    run lighttpd 8080 lighttpd -D -f "$tmp/lighttpd.conf"
    run "control: Apache" 8081 apache2 -X -f "$tmp/apache.conf"
} >"$tmp/seen"
as_stated 'lighttpd
A locks /a: 6 s
A locks /b: 6 s, refreshes: 600 s, recorded: 6 s
A locks /c: 6 s, refreshes: 600 s, recorded: 6 s
A locks /d: 60 s
8 s later B may lock /a 423
2 10:05 B may lock /a 423 /b 423 /c 423 /d 423
2 15:50 B may lock /a 423 /b 423 /c 423 /d 423
2 16:00 B may lock /a 200 /b 200 /c 200 /d 423
3 10:00 exclusive locks: /a 2 /b 2 /c 2 /d 1
control: Apache
A locks /a: 6 s
A locks /b: 6 s, refreshes: 600 s, recorded: 600 s
A locks /c: 6 s, refreshes: Infinite, recorded: Infinite
A locks /d: 60 s
8 s later B may lock /a 200
2 10:05 B may lock /a 200 /b 423 /c 423 /d 200
2 15:50 B may lock /a 200 /b 200 /c 423 /d 200
2 16:00 B may lock /a 200 /b 200 /c 423 /d 200
3 10:00 exclusive locks: /a 0 /b 0 /c 1 /d 0' "$(cat "$tmp/seen")"
