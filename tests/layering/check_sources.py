# SPDX-License-Identifier: Apache-2.0
"""check_sources.py ROOT: every C++ file of the tree against the architecture's rules."""
import pathlib
import sys

import rules

root = pathlib.Path(sys.argv[1])
found = []
count = 0
for folder in ("engine", "ui", "app", "tests"):
    for file in sorted((root / folder).rglob("*")):
        if file.suffix in rules.CODE:
            count += 1
            found.extend(rules.complaints(file.relative_to(root).as_posix(), file.read_text(encoding="utf-8")))
print("\n".join(found))
print(f"{count} files read, {len(found)} complaints")
sys.exit(1 if found or count < 20 else 0)
