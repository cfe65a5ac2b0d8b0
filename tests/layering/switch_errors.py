# SPDX-License-Identifier: Apache-2.0
"""switch_errors.py COMPILE_COMMANDS: a switch that misses an enumerator is an error in each C++ file of the build.

-Wall reports such a switch (-Wswitch), and -Werror or -Werror=switch makes it an error. An option that reverts this is
a violation at any position.
"""
import json
import pathlib
import shlex
import sys

FOLDERS = ("engine", "ui", "app", "tests")
ERRORS = {"-Werror", "-Werror=switch"}
TAKEN_BACK = {"-w", "-Wno-switch", "-Wno-error", "-Wno-error=switch"}


def complaints(commands):
    """Returns (file, violation) for each command in a list of (file, options)."""
    for file, options in commands:
        given = set(options)
        if "-Wall" not in given or not ERRORS & given:
            yield file, "is compiled without -Wall and -Werror=switch: link project_options"
        if TAKEN_BACK & given:
            yield file, f"is compiled with {' '.join(sorted(TAKEN_BACK & given))}"


def main(database):
    root = pathlib.Path(__file__).resolve().parents[2]
    commands = []
    for entry in json.loads(pathlib.Path(database).read_text(encoding="utf-8")):
        file = pathlib.Path(entry["directory"], entry["file"]).resolve()
        inside = file.relative_to(root).parts if file.is_relative_to(root) else ("",)
        generated = inside[0] == "build" or file.name.startswith("mocs_compilation")
        if file.suffix == ".cpp" and (inside[0] in FOLDERS or (generated and "unity" in file.parts)):
            commands.append((file.as_posix(), shlex.split(entry["command"])))
    found = list(complaints(commands))
    for file, wrong in found:
        print(f"{file}: {wrong}")
    print(f"{len(commands)} commands read, {len(found)} complaints")
    return 1 if found or len(commands) < 100 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
