# SPDX-License-Identifier: Apache-2.0
"""check_format.py ROOT CLANG_FORMAT: checks that every C++ file is formatted according to .clang-format (version 14).
"""
import pathlib
import subprocess
import sys

root, tool = pathlib.Path(sys.argv[1]), sys.argv[2]
version = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout
if "version 14" not in version:
    print(f"not compared: this is {version.strip()}, the sources are formatted with version 14")
    sys.exit(0)
files = [str(file) for folder in ("engine", "ui", "app", "tests") for file in sorted((root / folder).rglob("*"))
         if file.suffix in (".h", ".cpp")]
result = subprocess.run([tool, "--dry-run", "--Werror", *files], capture_output=True, text=True)
print(result.stderr[-4000:])
print(f"{len(files)} files compared")
sys.exit(1 if result.returncode or not files else 0)
