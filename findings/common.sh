#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Read in by the scripts of this folder: a temporary folder, packages of a stated version, servers
# that end with the script, and the comparison.

set -euo pipefail

tmp=$(mktemp -d)
started=()

# Ends what was started, the youngest first, and by force what is still there two seconds later.
finish() {
    local index pid tries
    for ((index = ${#started[@]} - 1; index >= 0; index--)); do
        pid=${started[index]}
        kill "$pid" 2>/dev/null || continue
        for ((tries = 0; tries < 20; tries++)); do
            kill -0 "$pid" 2>/dev/null || break
            sleep 0.1
        done
        kill -KILL "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    rm -rf "$tmp"
}
trap finish EXIT

# Nothing where it is not there, or was removed and its settings were left.
installed_version() {
    dpkg-query -W -f '${db:Status-Status} ${Version}' "$1" 2>/dev/null | sed -n 's/^installed //p' || true
}

# debian NAME PATTERN: the package in a version that the pattern matches. Root installs what is missing.
debian() {
    local version
    version=$(installed_version "$1")
    if [[ -z $version && $(id -u) == 0 ]]; then
        local get=(env DEBIAN_FRONTEND=noninteractive apt-get -qq)
        "${get[@]}" -y --no-install-recommends install "$1" >"$tmp/apt" 2>&1 ||
            { "${get[@]}" update && "${get[@]}" -y --no-install-recommends install "$1"; } >"$tmp/apt" 2>&1 ||
            { tail -n 3 "$tmp/apt" >&2; }
        version=$(installed_version "$1")
    fi
    # shellcheck disable=SC2053  # the right side is a pattern
    if [[ $version != $2 ]]; then
        echo "needs Debian's $1 $2, found ${version:-none}: nothing was judged" >&2
        exit 2
    fi
}

# npm_packages NAME@VERSION...: into the temporary folder. Their scripts do not run.
npm_packages() {
    npm install --prefix "$tmp" --silent --no-audit --no-fund --no-save --ignore-scripts "$@" >"$tmp/npm" 2>&1 ||
        { tail -n 3 "$tmp/npm" >&2; echo "not to be had: $*: nothing was judged" >&2; exit 2; }
}

# background COMMAND...: ends with the script. Its process id is in $last.
background() {
    "$@" &
    last=$!
    started+=("$last")
}

# patiently COMMAND...: tries it for up to ten seconds.
patiently() {
    local tries
    for ((tries = 0; tries < 100; tries++)); do
        "$@" >/dev/null 2>&1 && return 0
        sleep 0.1
    done
    echo "did not come true in ten seconds: $*" >&2
    exit 2
}

# An address of this machine that another run at the same time is not likely to use.
loopback() {
    echo "127.$((RANDOM % 200 + 20)).$((RANDOM % 250 + 1)).$((RANDOM % 250 + 1))"
}

# etcd 3.4.23 of Debian, empty; etcdctl then speaks to it.
start_etcd() {
    debian etcd-server '3.4.23-*'
    debian etcd-client '3.4.23-*'
    local address client peer
    address=$(loopback)
    client="http://$address:2379" peer="http://$address:2380"
    background etcd --data-dir "$tmp/etcd" --listen-client-urls "$client" --advertise-client-urls "$client" \
        --listen-peer-urls "$peer" --initial-advertise-peer-urls "$peer" --initial-cluster "default=$peer" 2>"$tmp/log"
    export ETCDCTL_API=3 ETCDCTL_ENDPOINTS=$client
    patiently etcdctl endpoint health
}

# start_postgresql SETTING...: PostgreSQL 15 of Debian, empty, with its socket in the temporary folder. Its programs are
# in $programs, its superuser is "tester".
start_postgresql() {
    debian postgresql-15 '15.*'
    programs=/usr/lib/postgresql/15/bin
    local setting settings=() as_owner=()
    for setting in listen_addresses= fsync=off "$@"; do
        settings+=(-c "$setting")
    done
    mkdir "$tmp/data"
    if [[ $(id -u) == 0 ]]; then
        chown postgres "$tmp" "$tmp/data"
        as_owner=(setpriv --reuid postgres --regid postgres --clear-groups)
    fi
    "${as_owner[@]}" "$programs/initdb" -D "$tmp/data" -U tester -A trust --no-sync >"$tmp/log" 2>&1
    background "${as_owner[@]}" "$programs/postgres" -D "$tmp/data" -k "$tmp" "${settings[@]}" 2>>"$tmp/log"
    patiently "$programs/pg_isready" -h "$tmp"
}

# ZooKeeper 3.8.0 of Debian, empty; its address is in $zookeeper.
start_zookeeper() {
    debian libzookeeper-java '3.8.0-*'
    debian openjdk-17-jre-headless '17.*'
    local jars java address
    jars=$(printf '/usr/share/java/%s.jar:' zookeeper zookeeper-jute slf4j-api slf4j-nop netty-all metrics-core snappy-java)
    java=(/usr/lib/jvm/java-17-openjdk-*/bin/java)
    address=$(loopback)
    mkdir "$tmp/zookeeper"
    printf '%s\n' "clientPortAddress=$address" clientPort=2181 "dataDir=$tmp/zookeeper" admin.enableServer=false >"$tmp/settings"
    background "${java[0]}" -cp "$jars" org.apache.zookeeper.server.ZooKeeperServerMain "$tmp/settings" >"$tmp/log" 2>&1
    patiently timeout 2 bash -c "exec 3<>/dev/tcp/$address/2181; echo srvr >&3; grep -q Mode: <&3"
    zookeeper=$address:2181
}

# as_stated EXPECTED SEEN: both texts, and exit code 1, when they differ.
as_stated() {
    if [[ $1 != "$2" ]]; then
        printf 'the behaviour changed\n--- stated\n%s\n--- seen\n%s\n' "$1" "$2"
        exit 1
    fi
    printf '%s\nas stated\n' "$2"
}
