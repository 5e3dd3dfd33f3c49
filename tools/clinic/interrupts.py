# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C, SIGTERM and SIGHUP end the clinic within a second with what was found: main() meets Interrupted."""

import os
import signal
import subprocess

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
EXIT_INTERRUPTED = 130
SECONDS_FOR_THE_END = 0.9
SECONDS_FOR_A_PROGRAM = 0.6  # to clean up


class Interrupted(BaseException):
    """No Exception: nobody takes it for a failure of a library."""


def end_at_once(*_):
    """The second signal, or nobody reads what is printed."""
    os._exit(EXIT_INTERRUPTED)


def interrupt(*_):
    for one in SIGNALS:
        signal.signal(one, end_at_once)
    signal.signal(signal.SIGALRM, end_at_once)
    signal.setitimer(signal.ITIMER_REAL, SECONDS_FOR_THE_END)
    raise Interrupted


def watch():
    """`lockkeeper clinic` has held the signals until there are handlers. Who ignores SIGHUP wants to go on."""
    for one in SIGNALS:
        if one != signal.SIGHUP or signal.getsignal(one) != signal.SIG_IGN:
            signal.signal(one, interrupt)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def run(words, timeout=None, **how):
    """subprocess.run with its output as text. An interrupt ends the program by SIGTERM: it may clean up."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, **how) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except Interrupted:
            end_gently(process)
            raise
        except BaseException:
            process.kill()
            raise
        return subprocess.CompletedProcess(words, process.returncode, out, err)


def end_gently(process):
    process.terminate()
    try:
        process.communicate(timeout=SECONDS_FOR_A_PROGRAM)
    except subprocess.TimeoutExpired:
        process.kill()
