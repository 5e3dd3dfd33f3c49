#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Package: beanstalkd 1.12 (Debian 12), with -b, so that its jobs outlive it.
# Expected: the manual says that jobs and changes of their state are written to the binlog. The protocol says
#   that release puts a job back into the ready queue, with a new priority; RELEASED means that this is done.
# Really: a release without a delay is not written. After a restart the job is again what it was before the reservation:
#   buried, though it was released (no worker gets it until somebody kicks it), or delayed for the rest of its old time,
#   or ready with the old priority (for that alone see beanstalkd#597). -f 0 changes nothing about it.
# Seen: the lines at the end of this script. Controls: a release with a delay of one second; a kick instead.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian beanstalkd '1.12-*'

cat >"$tmp/restart.py" <<'PROGRAM'
import os
import re
import socket
import subprocess
import sys
import time

path = sys.argv[1]
os.mkdir(path + "/binlog")


class Server:
    def __init__(self):
        command = ["beanstalkd", "-l", f"unix:{path}/socket", "-b", path + "/binlog", "-f", "0"]
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        for _ in range(100):
            try:
                self.socket = socket.socket(socket.AF_UNIX)
                self.socket.connect(path + "/socket")
                break
            except OSError:
                time.sleep(0.1)
        self.socket.settimeout(10)
        self.file = self.socket.makefile("rwb", buffering=0)

    def __call__(self, command, wanted):
        """The rest of the answer, which must begin as wanted."""
        self.file.write(command.encode() + b"\r\n")
        answer = self.file.readline().decode().strip()
        assert answer.startswith(wanted), (command, answer)
        return answer[len(wanted):].strip()

    def put(self, delay=0):
        return self(f"put 9 {delay} 60 1\r\nx", "INSERTED")

    def reserve(self, job):
        self(f"reserve-job {job}", "RESERVED")
        self.file.readline()

    def show(self, job):
        rest = int(self(f"stats-job {job}", "OK")) + 2
        text = b""
        while len(text) < rest:
            text += self.file.read(rest - len(text))
        state, priority = (re.search(name + r": (\w+)", text.decode())[1] for name in ("state", "pri"))
        return f"{state}, priority {priority}"

    def end(self):
        self.process.terminate()
        self.process.wait()


server = Server()
try:
    jobs = {}

    def buried():
        job = server.put()
        server.reserve(job)
        server(f"bury {job} 9", "BURIED")
        return job

    def released(title, job, delay=0):
        server.reserve(job)
        server(f"release {job} 3 {delay}", "RELEASED")
        jobs[title] = job

    released("was buried, is released", buried())
    released("was delayed by an hour, is released", server.put(delay=3600))
    released("was ready, is released", server.put())
    released("control, was buried, is released with a delay of 1 s", buried(), delay=1)
    released("control, was delayed by an hour, is released with a delay of 1 s", server.put(delay=3600), delay=1)
    jobs["control, was buried, is kicked"] = buried()
    server(f"kick-job {jobs['control, was buried, is kicked']}", "KICKED")
    time.sleep(1.5)
    before = {title: server.show(job) for title, job in jobs.items()}
    server.end()
    server = Server()
    for title, job in jobs.items():
        print(f"{title}: {before[title]}; after a restart {server.show(job)}")
finally:
    server.end()
PROGRAM

as_stated 'was buried, is released: ready, priority 3; after a restart buried, priority 9
was delayed by an hour, is released: ready, priority 3; after a restart delayed, priority 9
was ready, is released: ready, priority 3; after a restart ready, priority 9
control, was buried, is released with a delay of 1 s: ready, priority 3; after a restart ready, priority 3
control, was delayed by an hour, is released with a delay of 1 s: ready, priority 3; after a restart ready, priority 3
control, was buried, is kicked: ready, priority 9; after a restart ready, priority 9' \
    "$(timeout 30 /usr/bin/python3 "$tmp/restart.py" "$tmp" 2>&1)"
