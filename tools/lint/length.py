"""Files stay under 400 lines and functions under 70: what is longer cannot be read in one go.
Folders that are only glue stay small: what grows there belongs to another folder.

A ratchet: tools/lint/ratchet.txt may excuse what is longer, with today's length, and that number
may only shrink. Format: `file PATH LINES`, `function PATH NAME LINES`, or `folder PATH LINES`, which
counts C++ lines without tests in whole hundreds.
"""

import re

from source_text import code_only

FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 70
# A fifth way in of validate (--wire) took the last hundred.
FOLDER_LINES_MAX = {"app": 3100}
RATCHET = "tools/lint/ratchet.txt"
MEASURED_SUFFIXES = {".cpp", ".hpp", ".cc", ".h", ".py", ".sh", ".cmake", ".js", ".css"}

_NOT_A_FUNCTION = re.compile(r"^(?:inline |extern |typedef )*(?:namespace|class|struct|union|enum|concept)\b")
_TEMPLATE = re.compile(r"\b(?:template|requires)\s*<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>")
_OPERATOR = re.compile(r"\boperator\s*(?:\(\)|\[\]|[^\s\w(]+)")
_ACCESS = re.compile(r"^(?:\s*(?:public|private|protected)\s*:)+")
_NAME = re.compile(r"([~\w:]+)\s*\(([^()]*)")


def _function_name(head):
    """The name when the text before a `{` begins a function's body, else None."""
    head = " ".join(_TEMPLATE.sub(" ", head).split())
    head = re.sub(r"^(?:\[\[.*?\]\] ?)+", "", head)
    if _NOT_A_FUNCTION.match(head):
        return None
    head = _OPERATOR.sub("operator", head)
    name = _NAME.search(head)
    if not name or "=" in head[: name.start()]:
        return None
    if re.fullmatch(r"TEST(?:_F|_P)?|TYPED_TEST(?:_P)?|RC_\w+", name.group(1)):
        return ".".join(part.strip() for part in name.group(2).split(","))
    return name.group(1)


def functions(text):
    """(name, first line, number of lines) of each outermost function body, signature included."""
    code = code_only(text)
    found = []
    depth_in_function = 0
    parentheses = 0
    head_start = 0
    current = None
    line = 1
    for position, character in enumerate(code):
        if character == "\n":
            line += 1
        elif current is None and character in "()":
            parentheses += 1 if character == "(" else -1
        elif character == "{":
            if current is not None:
                depth_in_function += 1
            elif parentheses <= 0:
                head = _ACCESS.sub("", code[head_start:position])
                name = _function_name(head)
                if name:
                    first = line - head.lstrip().count("\n")
                    current, depth_in_function = (name, first), 1
                head_start = position + 1
        elif character == "}":
            if current is not None:
                depth_in_function -= 1
                if depth_in_function == 0:
                    found.append((current[0], current[1], line - current[1] + 1))
                    current = None
            if current is None and parentheses <= 0:
                head_start = position + 1
        elif character == ";" and current is None and parentheses <= 0:
            head_start = position + 1
    return found


def _read_ratchet(files):
    excused = {}
    for source in files:
        if source.path == RATCHET:
            for text in source.lines:
                words = text.split("#")[0].split()
                if words:
                    excused[tuple(words[:-1])] = int(words[-1])
    return excused


def _judge(key, length, limit, excused, where):
    allowed = excused.pop(key, None)
    if allowed is None:
        return [f"{where}: {' '.join(key)}: {length} lines, at most {limit}"] if length > limit else []
    if length > allowed:
        return [f"{where}: {' '.join(key)}: grew to {length} lines, {RATCHET} excuses {allowed}"]
    if length < allowed:
        return [f"{where}: {' '.join(key)}: now {length} lines; lower the {allowed} in {RATCHET}"
                " (or remove the line)"]
    return []


def _folder_lines(files, folder):
    lines = sum(len(source.lines) for source in files if source.is_cpp and not source.is_test
                and source.path.startswith(folder + "/"))
    return -(-lines // 100) * 100


def check(files):
    excused = _read_ratchet(files)
    findings = []
    for folder, limit in FOLDER_LINES_MAX.items():
        findings += _judge(("folder", folder), _folder_lines(files, folder), limit, excused, folder)
    for source in files:
        if source.suffix in MEASURED_SUFFIXES or source.path.endswith("CMakeLists.txt"):
            findings += _judge(("file", source.path), len(source.lines), FILE_LINES_MAX, excused,
                               source.path)
        if source.is_cpp:
            for name, first, length in functions(source.text):
                findings += _judge(("function", source.path, name), length, FUNCTION_LINES_MAX,
                                   excused, f"{source.path}:{first}")
    findings += [f"{RATCHET}: {' '.join(key)}: no such file or function" for key in excused]
    return findings
