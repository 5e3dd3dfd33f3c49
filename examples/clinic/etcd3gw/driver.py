# SPDX-License-Identifier: Apache-2.0
"""The lock of etcd3gw, on etcd's HTTP gateway, with a lease of ten seconds."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "wire"))

import etcd3gw  # noqa: E402

from lockkeeper_wire import serve  # noqa: E402


def setup(key):
    host, port = os.environ["LOCKKEEPER_ADDRESS"].rsplit(":", 1)
    lock = etcd3gw.Etcd3Client(host=host, port=int(port), api_path="/v3/").lock(key, ttl=10)
    return {"acquire": lock.acquire, "release": lock.release}


serve(setup)
