# SPDX-License-Identifier: Apache-2.0
"""check_sources.py ROOT: checks every C++ file of the tree against the rules of the architecture."""
import pathlib
import sys

import rules

root = pathlib.Path(sys.argv[1])
files = [file for folder in ("engine", "ui", "app", "tests") for file in sorted((root / folder).rglob("*"))
         if file.suffix in rules.CODE]
rules.TREE = {file.relative_to(root).as_posix() for file in files}
found = [f"{name}: {circle}" for name, graph in
         [("engine", rules.ENGINE), ("ui", rules.UI), ("app/ringsidectl", rules.CONTROL)] +
         [(f"engine/{folder}", graph) for folder, graph in rules.ROOMS.items()] +
         [(f"ui/{folder}", graph) for folder, graph in rules.UI_ROOMS.items()]
         for circle in rules.circles(graph)]
for file in files:
    found.extend(rules.complaints(file.relative_to(root).as_posix(), file.read_text(encoding="utf-8")))
print("\n".join(found))
print(f"{len(files)} files read, {len(found)} complaints")
sys.exit(1 if found or len(files) < 20 else 0)
