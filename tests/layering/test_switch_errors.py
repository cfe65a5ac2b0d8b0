# SPDX-License-Identifier: Apache-2.0
"""Tests of switch_errors.py."""
import unittest

from switch_errors import complaints


class SwitchErrors(unittest.TestCase):
    def wrong(self, *options):
        return [what for _, what in complaints([("a.cpp", options)])]

    def test_accepts_both_ways(self):
        self.assertEqual(self.wrong("-Wall", "-Werror"), [])
        self.assertEqual(self.wrong("-Wall", "-Werror=switch"), [])

    def test_finds_a_target_without_the_options(self):
        self.assertEqual(len(self.wrong("-Wall")), 1)
        self.assertEqual(len(self.wrong("-Werror")), 1)

    def test_finds_an_option_that_takes_it_back(self):
        self.assertEqual(self.wrong("-Wall", "-Werror", "-Wno-switch"), ["is compiled with -Wno-switch"])


if __name__ == "__main__":
    unittest.main()
