# SPDX-License-Identifier: Apache-2.0
"""version_test.py SOURCE BIN: checks that the project, the newest section of the CHANGELOG and the programs have the
same version.
"""
import pathlib
import re
import subprocess
import sys

source, programs = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
wanted = re.search(r"^project\(ringside VERSION (\S+)", (source / "CMakeLists.txt").read_text(), re.M).group(1)
found = {"CHANGELOG.md": re.search(r"^## (\S+)", (source / "CHANGELOG.md").read_text(), re.M).group(1)}
for name in ("ringside", "ringsidectl"):
    if (programs / name).exists():
        said = subprocess.run([programs / name, "--version"], capture_output=True, text=True, check=True).stdout
        found[name] = said.split()[-1]
different = {name: version for name, version in found.items() if version != wanted}
for name, version in different.items():
    print(f"{name} has version {version}; project(VERSION) in CMakeLists.txt is {wanted}: make them equal")
if len(found) < 2:
    print(f"only {', '.join(found)} could be compared: build the programs first")
sys.exit(1 if different or len(found) < 2 else 0)
