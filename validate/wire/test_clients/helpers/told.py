# SPDX-License-Identifier: Apache-2.0
"""Says what its operations are given: keys, number, weight. Those of "plain" know no weight."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../../examples/wire"))
from lockkeeper_wire import serve


def setup(keys, lost):
    if keys == "plain":
        return {"acquire": lambda: True, "release": lambda: True}

    def told(*given):
        raise RuntimeError(" ".join(map(str, ["+".join(keys) if isinstance(keys, list) else keys, *given])))

    def watch():
        lost()
        told()

    return {
        "acquire": lambda number, weight: told(number, weight),
        "release": lambda weight: told(weight),
        "look": lambda: told(),
        "watch": watch,
    }


serve(setup)
