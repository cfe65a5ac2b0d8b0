# SPDX-License-Identifier: Apache-2.0
"""Tests that `ringsidectl watch` reports the mistakes of the twins and has no finding for the correct scripts. Last
argument: the program.
"""
import argparse
import importlib.machinery
import importlib.util
import os
import sys
import unittest

import torch_python

torch_python.require()

import warm  # noqa: E402

PROGRAM = os.path.abspath(sys.argv.pop() if os.path.sep in sys.argv[-1] else "ringsidectl")
RUN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "twins", "run")
QUICK = ("02", "03", "08", "09", "13", "16", "17", "19", "21", "27", "34", "36", "38", "40", "41", "43")

# Twins whose mistake PyTorch 2.15 does not make, so that there is nothing to name.
HARMLESS = {"29_set_epoch_late": "without workers, the sampler is read at the first next(), after set_epoch()"}


def load(path):
    loader = importlib.machinery.SourceFileLoader("twins_run", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("twins_run", loader))
    loader.exec_module(module)
    return module


class Twins(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.run_twins = load(RUN)
        cls.server = warm.Server(sys.executable)
        cls.addClassCleanup(cls.server.close)

    def test_each_mistake_is_named_and_no_correct_script_is_accused(self):
        all_of_them = os.environ.get("RINGSIDE_LONG_TESTS") == "1"
        chosen = [one for one in self.run_twins.twins() if all_of_them or one["name"].startswith(QUICK)]
        options = argparse.Namespace(program=PROGRAM, keep=None, plain=False)
        print("%d of %d twins%s" % (len(chosen), len(self.run_twins.twins()),
                                    "" if all_of_them else "; all of them with RINGSIDE_LONG_TESTS=1"), flush=True)
        for twin in chosen:
            with self.subTest(twin["name"]):
                verdict = self.run_twins.judge(options, self.server, twin, self.run_twins.codes())
                verdict.print()
                self.assertEqual(verdict.ends, [])
                self.assertEqual(verdict.is_named, twin["name"] not in HARMLESS)
                self.assertEqual(verdict.accusations, [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"] + sys.argv[1:])
