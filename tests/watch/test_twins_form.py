# SPDX-License-Identifier: Apache-2.0
"""Tests that the twins have the form that tests/watch/twins/run expects. Needs no PyTorch."""
import difflib
import glob
import json
import os
import unittest

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "twins")


def read(path):
    with open(path) as file:
        return file.read()


class Twins(unittest.TestCase):
    def setUp(self):
        self.folders = sorted(os.path.dirname(path) for path in glob.glob(os.path.join(HERE, "*", "twin.json")))
        self.assertGreater(len(self.folders), 0)

    def test_each_names_a_thread_and_lines_that_exist_once(self):
        for folder in self.folders:
            twin = json.loads(read(os.path.join(folder, "twin.json")))
            self.assertEqual(twin["name"], os.path.basename(folder))
            self.assertTrue(twin["thread"].startswith("https://"), twin)
            self.assertTrue(twin["mistake"] and twin["expect"], twin)
            text = read(os.path.join(folder, "mistake.py")).splitlines()
            for line in twin["lines"]:
                self.assertEqual(sum(line in one for one in text), 1, (folder, line))

    def test_both_scripts_compile_and_are_similar(self):
        for folder in self.folders:
            texts = [read(os.path.join(folder, name)) for name in ("mistake.py", "correct.py")]
            for text in texts:
                compile(text, folder, "exec")
            self.assertNotEqual(*texts)
            self.assertGreater(difflib.SequenceMatcher(None, *[one.splitlines() for one in texts]).ratio(), 0.6, folder)


if __name__ == "__main__":
    unittest.main()
