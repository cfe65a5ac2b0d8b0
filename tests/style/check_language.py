# SPDX-License-Identifier: Apache-2.0
"""check_language.py ROOT [PATH ...]: names each place that is not plain English, in the folders that plain.txt lists.

With PATHs, in these files and folders instead, whether listed or not. Exits 1 when there is such a place, or when an
entry of allowed.txt matches none.
"""
import pathlib
import subprocess
import sys

import rules

HERE = pathlib.Path(__file__).resolve().parent
SUFFIXES = (".h", ".cpp", ".cu", ".cuh", ".py", ".md")
MOST_ALLOWED = 30


def entries(name):
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def tracked(root, paths):
    listed = subprocess.check_output(["git", "-C", str(root), "ls-files", "--", *paths], text=True).splitlines()
    return [path for path in listed if path.endswith(SUFFIXES) and not path.startswith("tests/style/")]


def main(root, paths):
    allowed = [entry.split(" | ") for entry in entries("allowed.txt")]
    if len(allowed) > MOST_ALLOWED or any(len(entry) != 3 for entry in allowed):
        sys.exit(f"allowed.txt takes at most {MOST_ALLOWED} lines of the form: path | words | reason")
    used, found = set(), 0
    files = tracked(root, paths or entries("plain.txt"))
    for path in files:
        text = (root / path).read_text(encoding="utf-8", errors="replace")
        for rule, line, words in rules.complaints(path, text):
            match = next((i for i, one in enumerate(allowed) if one[0] == path and one[1] in words), None)
            if match is not None:
                used.add(match)
                continue
            found += 1
            print(f"{path}:{line}: {rule}: {words[:160]}")
    if not paths:
        for i, one in enumerate(allowed):
            if i not in used:
                found += 1
                print(f"allowed.txt: no place matches: {' | '.join(one)}")
    print(f"{len(files)} files, {found} places to rewrite")
    sys.exit(1 if found else 0)


main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:])
