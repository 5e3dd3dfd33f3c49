# SPDX-License-Identifier: Apache-2.0
"""What the playground is built of keeps to the parts of C++20 that its library has: libc++ 13, Debian's for
emscripten, and wasm/browser/libcxx13.hpp. CI has no emscripten, and would see nothing of it."""

import re

import includes
import source_text

# Each was tried with em++ 3.1.6.
_LACKS = re.compile(r"\bstd::(ranges::(?!begin\b|end\b|size\b|data\b)\w+|views\b|jthread|stop_(?:token|source|callback)|v?format(?:_to\w*)?|print|"
                    r"source_location|osyncstream|atomic_ref|lexicographical_compare_three_way|"
                    r"make_shared_for_overwrite|assume_aligned|move_only_function|expected|execution|is_n?eq|is_lteq|is_gteq)\b")
_FOLDERS = re.compile(r"^(model|impl(?!/native/)|properties|scheduler|scenarios|measure|validate/(histories|outside|programs|"
                      r"compare|logs)|work|reports|serve(?!/(http_\w+|serve)[.]cpp)|app|wasm)/.*[.][ch]pp$")

# Its headers do not compile with that library.
_SOCKETS = ("boost/asio", "boost/beast")


def _reaches_sockets(files):
    known = includes.included_by(files)
    for source in files:
        if source.path.endswith(".cpp") and not source.is_test and _FOLDERS.match(source.path):
            way = includes.way_to(source.path, _SOCKETS, known)
            if way:
                yield f"{source.path}: the playground has no sockets, but it includes {' > '.join(way)}"


def check(files):
    findings = list(_reaches_sockets(files))
    for source in files:
        if source.is_test or "std::" not in source.text or not _FOLDERS.match(source.path):
            continue
        for number, line in enumerate(source_text.code_only(source.text).splitlines(), 1):
            findings += [f"{source.path}:{number}: {match.group()}: the playground is built with libc++ 13, which lacks it"
                         " (wasm/browser/libcxx13.hpp)" for match in _LACKS.finditer(line)]
    return findings
