# SPDX-License-Identifier: Apache-2.0
"""check_language.py ROOT [PATH ...]: names each place of the tracked files that is not plain English.

With PATHs, in these files and folders instead. Exits 1 when there is such a place, or when an entry of allowed.txt
matches none.
"""
import pathlib
import subprocess
import sys

import rules

HERE = pathlib.Path(__file__).resolve().parent
SUFFIXES = (".h", ".cpp", ".cu", ".cuh", ".py", ".sh", ".cmake", ".md", ".xml", ".desktop")
EXAMPLES = ("tests/style/rules.py", "tests/style/test_rules.py")  # contain the wording that the rules forbid
MOST_ALLOWED = 30


def allowed_entries():
    lines = (HERE / "allowed.txt").read_text(encoding="utf-8").splitlines()
    found = [line.strip().split(" | ") for line in lines if line.strip() and not line.startswith("#")]
    if len(found) > MOST_ALLOWED or any(len(entry) != 3 for entry in found):
        sys.exit(f"allowed.txt takes at most {MOST_ALLOWED} lines of the form: path | words | reason")
    return found


def language_of(root, path):
    """Returns the path, for a script without a suffix with that of its language. Returns "" for a file that contains no
    English of this project.
    """
    name = pathlib.PurePosixPath(path).name
    if path in EXAMPLES:
        return ""
    if path.endswith(SUFFIXES) or name == "CMakeLists.txt":
        return path
    if "." in name or not (root / path).is_file():
        return ""
    with open(root / path, "rb") as file:
        first = file.readline()
    return "" if not first.startswith(b"#!") else path + (".py" if b"python" in first else ".sh")


def places_of(root, paths):
    """Returns the number of checked files and (path, rule, line, words) of each place that breaks a rule."""
    listed = subprocess.check_output(["git", "-C", str(root), "ls-files", "--", *paths], text=True).splitlines()
    count, found = 0, []
    for path in listed:
        language = language_of(root, path)
        if language:
            count += 1
            text = (root / path).read_text(encoding="utf-8", errors="replace")
            found += [(path, *place) for place in rules.complaints(language, text)]
    return count, found


def main(root, paths):
    allowed = allowed_entries()
    count, found = places_of(root, paths)
    used, bad = set(), 0
    for path, rule, line, words in found:
        match = next((i for i, one in enumerate(allowed) if one[0] == path and one[1] in words), None)
        used.add(match)
        if match is None:
            bad += 1
            print(f"{path}:{line}: {rule}: {words[:160]}")
    for i, one in enumerate(allowed):
        if i not in used and not paths:
            bad += 1
            print(f"allowed.txt: no place matches: {' | '.join(one)}")
    print(f"{count} files, {bad} places to rewrite")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:])
