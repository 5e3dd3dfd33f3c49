#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages: mosquitto 2.0.11 and python3-paho-mqtt 1.6.1 (Debian 12). A shared subscription is used as a job queue.
# Expected: mosquitto(8) says that shared subscriptions spread a load of work over clients. MQTT 5 (section
#   4.8.2) says that a message of QoS 1 should go to another member of the group if its receiver's session ends
#   before the acknowledgement. So a job that was confirmed to the publisher is done as long as one worker lives.
# Really: the job of a worker who dies is dropped with its session, though the other worker is idle. If sessions
#   outlive their connections, the server keeps the job for the dead worker, who stays a member. New jobs go to it
#   in its turn, too. They wait beside the idle worker until the dead one is back under the same name, or its session
#   ends. The specification allows this wait and advises against the drop.
# Seen: the lines at the end of this script. Control: nobody dies.

set -euo pipefail
source "$(dirname "$0")/common.sh"
debian mosquitto '2.0.11-*'
debian python3-paho-mqtt '1.6.1-*'
address=$(loopback)
cat >"$tmp/mosquitto.conf" <<CONFIGURATION
listener 1883 $address
allow_anonymous true
CONFIGURATION

cat >"$tmp/jobs.py" <<'PROGRAM'
import multiprocessing
import os
import sys
import time

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties


def worker(name, group, lifetime, dies, pipe):
    """A member of the group whose session outlives its connection by that many seconds."""

    def on_connect(client, *_):
        client.subscribe(f"$share/workers/{group}", 1)

    def on_subscribe(*_):
        pipe.send("is there")

    def on_message(_client, _data, message):
        if dies:
            os._exit(0)  # within the job: it would be acknowledged at the end of this function
        pipe.send(message.payload.decode())

    session = Properties(PacketTypes.CONNECT)
    session.SessionExpiryInterval = lifetime
    client = mqtt.Client(group + name, protocol=mqtt.MQTTv5)
    client.on_connect, client.on_subscribe, client.on_message = on_connect, on_subscribe, on_message
    client.connect(sys.argv[1], clean_start=False, properties=session)
    client.loop_forever()


class Worker:
    def __init__(self, *arguments):
        self.pipe, self.other = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=worker, args=(*arguments, self.other), daemon=True)
        self.process.start()
        self.jobs = []
        while "is there" not in self.jobs:
            self.jobs.append(self.pipe.recv())
        self.jobs.remove("is there")

    def end(self):
        self.process.kill()
        self.process.join()
        while self.pipe.poll():
            self.jobs.append(self.pipe.recv())
        return " ".join(self.jobs) or "nothing"


def run(group, title, lifetime, dies):
    print(title)
    first, second = Worker("A", group, lifetime, dies), Worker("B", group, lifetime, False)
    publisher = mqtt.Client("publisher", protocol=mqtt.MQTTv5)
    publisher.connect(sys.argv[1])
    publisher.loop_start()
    for job in "1234":
        publisher.publish(group, job, 1).wait_for_publish()
        time.sleep(0.5)
    publisher.disconnect()
    print("confirmed: 1 2 3 4")
    if dies:
        first = Worker("A", group, 0, False)
        time.sleep(1)
    print("B has done:", second.end())
    print("A comes back and does:" if dies else "A has done:", first.end())


run("short", "sessions end with their connections, A dies in its first job", 0, True)
run("long", "sessions last for an hour, A dies in its first job", 3600, True)
run("living", "control: A lives", 0, False)
PROGRAM

background mosquitto -c "$tmp/mosquitto.conf" 2>"$tmp/log"
patiently bash -c ": </dev/tcp/$address/1883"
as_stated 'sessions end with their connections, A dies in its first job
confirmed: 1 2 3 4
B has done: 2 3 4
A comes back and does: nothing
sessions last for an hour, A dies in its first job
confirmed: 1 2 3 4
B has done: 2 4
A comes back and does: 1 3
control: A lives
confirmed: 1 2 3 4
B has done: 2 4
A has done: 1 3' "$(/usr/bin/python3 "$tmp/jobs.py" "$address")"
