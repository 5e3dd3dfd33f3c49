# SPDX-License-Identifier: Apache-2.0
"""A private server for an adapter: in the run's data directory, on a unix socket, and gone when the
adapter ends, however it ends."""

import atexit
import ctypes
import os
import pwd
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "outside"))
import lockkeeper_client  # noqa: E402,F401: the adapters take it from here

PR_SET_PDEATHSIG = 1
SECONDS_MAX = 20


def missing(what):
    """Ends the adapter where a library or a server is not installed; real_locks_test.py knows it."""
    sys.exit(f"not installed: {what}; see examples/real_locks/README.md")


def start(command, is_ready, user=None, end_by=signal.SIGKILL):
    """Runs the server until the adapter ends. `is_ready()` raises as long as the server is not."""
    libc = ctypes.CDLL(None)
    adapter = os.getpid()

    def end_with_the_adapter():  # SIGKILL of the adapter included
        libc.prctl(PR_SET_PDEATHSIG, end_by)
        if os.getppid() != adapter:
            os._exit(1)

    try:
        server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  user=user, preexec_fn=end_with_the_adapter)
    except FileNotFoundError:
        missing(command[0])
    atexit.register(lambda: (server.send_signal(end_by), server.wait()))
    end = time.monotonic() + SECONDS_MAX
    while True:
        try:
            return is_ready()
        except Exception as error:
            if server.poll() is not None or time.monotonic() > end:
                sys.exit(f"{command[0]} does not start: {error}")
            time.sleep(0.005)


def user_for(name, directory):
    """Whom a server that refuses root runs as; the directory becomes theirs."""
    if os.geteuid() != 0:
        return None
    os.chown(directory, pwd.getpwnam(name).pw_uid, -1)
    return name
