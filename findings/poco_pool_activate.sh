#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: libpoco-dev 1.11.0 (Debian 12; Poco::ObjectPool), with g++ 12.2.
# Expected: ObjectPool.h says that the pool creates an object if the peak capacity has not been reached, and that an
#   object whose activation fails is destroyed and the exception passed on to the caller. An object that was destroyed
#   takes no place.
# Really: if the object came from the pool its place stays counted. The pool of 2 has one place less for good after
#   each failure, and none after two: "size 2, available 0", nobody borrows anything, and everybody is refused. An
#   activation that asks whether the connection still lives fails in just this way.
# Seen: the lines at the end of this script. Controls: activating a new object fails; the object that is given back
#   is not valid.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian libpoco-dev '1.11.0-*'
debian g++ '4:12.2.*'

cat >"$tmp/pool.cpp" <<'PROGRAM'
#include <Poco/ObjectPool.h>

#include <cstdio>
#include <stdexcept>

struct Connection {
};

static int destroyed;
static bool activation_fails, valid;

struct Factory {
    Connection* createObject() { return new Connection; }
    bool validateObject(Connection*) { return valid; }
    void activateObject(Connection*)
    {
        if (activation_fails)
            throw std::runtime_error("connection lost");
    }
    void deactivateObject(Connection*) {}
    void destroyObject(Connection* connection)
    {
        ++destroyed;
        delete connection;
    }
};

using Pool = Poco::ObjectPool<Connection, Connection*, Factory>;

static Connection* ask(Pool& pool, const char* who)
{
    try {
        Connection* connection = pool.borrowObject(100);
        std::printf("%s: %s\n", who, connection ? "gets one" : "refused after 0.1 s");
        return connection;
    } catch (const std::runtime_error& error) {
        std::printf("%s: %s\n", who, error.what());
        return nullptr;
    }
}

static void run(const char* title, bool gives_back_valid, bool used_before)
{
    std::puts(title);
    Pool pool(2, 2);
    destroyed = 0;
    activation_fails = false;
    valid = gives_back_valid;
    if (used_before) {
        Connection* first = pool.borrowObject();
        Connection* second = pool.borrowObject();
        pool.returnObject(first);
        pool.returnObject(second);
        std::printf("two were used: size %zu, available %zu, destroyed %d\n", pool.size(), pool.available(), destroyed);
    }
    activation_fails = gives_back_valid;
    if (activation_fails) {
        ask(pool, "A");
        ask(pool, "B");
    }
    activation_fails = false;
    std::printf("nobody holds any: size %zu, available %zu, destroyed %d\n", pool.size(), pool.available(), destroyed);
    Connection* connection = ask(pool, "C");
    if (connection)
        pool.returnObject(connection);
}

int main()
{
    run("activating two used objects fails", true, true);
    run("control: activating two new objects fails", true, false);
    run("control: two objects are not valid when they come back", false, true);
}
PROGRAM
/usr/bin/g++ -std=c++17 -o "$tmp/pool" "$tmp/pool.cpp" -lPocoFoundation

as_stated 'activating two used objects fails
two were used: size 2, available 2, destroyed 0
A: connection lost
B: connection lost
nobody holds any: size 2, available 0, destroyed 2
C: refused after 0.1 s
control: activating two new objects fails
A: connection lost
B: connection lost
nobody holds any: size 0, available 2, destroyed 2
C: gets one
control: two objects are not valid when they come back
two were used: size 0, available 2, destroyed 2
nobody holds any: size 0, available 2, destroyed 2
C: gets one' "$("$tmp/pool")"
