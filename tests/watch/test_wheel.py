# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel of the package without a network and compares its files with the folder. Skipped without setuptools
that builds wheels.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

import torch_python
import watched

LIMIT = 120  # seconds
NEEDED = 70  # first version of setuptools that builds wheels without the package wheel


def python_with_setuptools():
    """Returns a Python that can build a wheel offline, or None."""
    code = ("import importlib.util, setuptools, pip, sys; "
            "sys.exit(int(setuptools.__version__.split('.')[0]) < %d and not importlib.util.find_spec('wheel'))" % NEEDED)
    for python in (sys.executable, torch_python.find()):
        if python and subprocess.run([python, "-c", code], capture_output=True, timeout=LIMIT).returncode == 0:
            return python
    return None


class Wheel(unittest.TestCase):
    def test_the_wheel_has_all_modules_of_the_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "python")
            left_out = shutil.ignore_patterns("__pycache__", "build", "*.egg-info")
            shutil.copytree(watched.PYTHON_FOLDER, source, ignore=left_out)
            done = subprocess.run([PYTHON, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index", "-w",
                                   folder, source], capture_output=True, timeout=LIMIT, cwd=folder)
            self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace"))
            wheels = glob.glob(os.path.join(folder, "*.whl"))
            self.assertEqual(len(wheels), 1)
            with zipfile.ZipFile(wheels[0]) as archive:
                packed = {name: archive.read(name) for name in archive.namelist() if ".dist-info/" not in name}
        expected = {}
        for path in glob.glob(os.path.join(watched.PYTHON_FOLDER, "ringside_watch", "**", "*.py"), recursive=True):
            with open(path, "rb") as file:
                expected[os.path.relpath(path, watched.PYTHON_FOLDER)] = file.read()
        self.assertGreater(len(expected), 40)
        self.assertEqual(sorted(packed), sorted(expected))
        self.assertEqual(packed, expected)


if __name__ == "__main__":
    PYTHON = python_with_setuptools()
    if PYTHON is None:
        print("SKIPPED: no Python has pip and setuptools %d or newer (or setuptools and wheel)" % NEEDED)
        sys.exit(torch_python.SKIPPED)
    unittest.main(argv=[sys.argv[0], "-v"] + sys.argv[1:])
