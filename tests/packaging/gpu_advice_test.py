# SPDX-License-Identifier: Apache-2.0
"""gpu_advice_test.py SCRIPT: checks that the advice about CUDA appears only with a driver and without a toolkit."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop(1)


def advice(sign, nvcc, home="/nowhere"):
    environment = dict(os.environ, RINGSIDE_NVCC=nvcc, CUDA_HOME=home)
    return subprocess.run([SCRIPT, sign], env=environment, check=True, capture_output=True, text=True).stdout


class GpuAdvice(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.driver = pathlib.Path(self.folder.name, "version")
        self.driver.write_text("NVRM version")

    def test_a_driver_without_a_toolkit_is_followed_by_the_packages(self):
        text = advice(str(self.driver), "nvcc-that-is-not-there")
        for word in ("trains on CPUs", "cuda-toolkit", "cudnn9-cuda-13", "libnccl-dev"):
            self.assertIn(word, text)

    def test_without_a_driver_there_is_no_advice(self):
        self.assertEqual(advice(self.folder.name + "/none", "nvcc-that-is-not-there"), "")

    def test_with_a_toolkit_there_is_no_advice(self):
        self.assertEqual(advice(str(self.driver), "sh"), "")
        nvcc = pathlib.Path(self.folder.name, "bin", "nvcc-here")
        nvcc.parent.mkdir()
        nvcc.write_text("#!/bin/sh\n")
        nvcc.chmod(0o755)
        self.assertEqual(advice(str(self.driver), "nvcc-here", self.folder.name), "")


unittest.main()
