#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: python3-pymemcache 3.5.2 (Debian 12; PooledClient) with python3-gevent 22.10.2, Python 3.11.
# Expected: PooledClient's documentation says that a failed call removes its client from the pool, and names gevent for
#   socket_module and lock_generator. A call that gevent.Timeout ends gives its place back.
# Really: gevent.Timeout is a BaseException, as are GreenletExit and KeyboardInterrupt, and the pool's context manager
#   only catches Exception. The client counts as used for ever: after two such calls a pool of 2 tells everybody "Too
#   many objects", with nobody in it. There is no wait and no way back.
# Seen: the lines at the end of this script. Controls: the time-out of the client's socket, twice; a server that
#   answers.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian python3-pymemcache '3.5.2-*'
debian python3-gevent '22.10.2-*'

cat >"$tmp/pool.py" <<'PROGRAM'
import gevent
import gevent.lock
import gevent.queue
import gevent.server
import gevent.socket
from pymemcache.client.base import PooledClient

silent = True


def serve(connection, _):
    """A server that knows nothing, and says so when it speaks at all."""
    while connection.recv(4096):
        if not silent:
            connection.sendall(b"END\r\n")


def ask(client, patience):
    try:
        with gevent.Timeout(patience):
            return f"answered {client.get('key')}"
    except (gevent.Timeout, OSError) as error:
        return "time-out of gevent" if isinstance(error, gevent.Timeout) else "time-out of the socket"
    except RuntimeError as error:
        return str(error)


def run(title, address, speaks, socket_timeout, patience):
    global silent
    silent = not speaks
    client = PooledClient(
        address,
        timeout=socket_timeout,
        max_pool_size=2,
        socket_module=gevent.socket,
        lock_generator=gevent.lock.RLock,
    )
    print(title)
    for number in "first", "second":
        print(f"  the {number} call: {ask(client, patience)}")
    silent = False
    print(f"  when the server answers and nobody asks: used {len(client.client_pool.used)}")
    print(f"  one more call: {ask(client, patience)}")


server = gevent.server.StreamServer(("127.0.0.1", 0), serve)
server.start()
where = server.address
run("gevent.Timeout ends two calls", where, False, 5, 0.3)
run("control: the time-out of the socket does", where, False, 0.3, 5)
run("control: nothing does", where, True, 5, 5)
PROGRAM

as_stated 'gevent.Timeout ends two calls
  the first call: time-out of gevent
  the second call: time-out of gevent
  when the server answers and nobody asks: used 2
  one more call: Too many objects, 2 >= 2
control: the time-out of the socket does
  the first call: time-out of the socket
  the second call: time-out of the socket
  when the server answers and nobody asks: used 0
  one more call: answered None
control: nothing does
  the first call: answered None
  the second call: answered None
  when the server answers and nobody asks: used 0
  one more call: answered None' "$(timeout 50 /usr/bin/python3 "$tmp/pool.py")"
