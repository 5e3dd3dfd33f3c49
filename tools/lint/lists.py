# SPDX-License-Identifier: Apache-2.0
"""No list of JSON is begun as an empty one and then pushed back into: model/json.hpp says why, and what to write.
A list that stands in a longer initialiser is not found."""

import re

_BEGUN = re.compile(r"= (?:[A-Za-z_:]*[Jj]son)::array\(\);")


def check(files):
    return [f"{source.path}:{number}: a list is written into a Json::array_t and then moved (model/json.hpp)"
            for source in files if source.is_cpp and not source.is_test
            for number, line in enumerate(source.lines, 1) if _BEGUN.search(line)]
