# SPDX-License-Identifier: Apache-2.0
"""Tests that the last lines of ./test state how many tests were skipped, and why."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "packaging"))
from skipped_tests import reasons  # noqa: E402

CLOSING = """100% tests passed, 0 tests failed out of 3

The following tests did not run:
\t12 - launchers:partition (Skipped)
\t13 - parity_fsdp-2 (Skipped)
\t14 - broken (Not Run)
"""
LOG = """Start testing: Nov 24 09:17 UTC
----------------------------------------------------------
12/20 Testing: launchers:partition
12/20 Test: launchers:partition
Command: "python3"
Output:
----------------------------------------------------------
skipped: it takes two minutes; set RINGSIDE_LONG_TESTS=1
<end of output>
Test time =   0.57 sec
----------------------------------------------------------
Test Passed.
13/20 Testing: parity_fsdp-2
13/20 Test: parity_fsdp-2
Output:
----------------------------------------------------------
case    steps
fsdp-2       left out: PyTorch 2.6 or newer is not installed
<end of output>
"""


class SkippedTests(unittest.TestCase):
    def test_each_skipped_test_has_the_reason_that_it_printed(self):
        self.assertEqual(dict(reasons(CLOSING, LOG)),
                         {"it takes two minutes; set RINGSIDE_LONG_TESTS=1": ["launchers:partition"],
                          "PyTorch 2.6 or newer is not installed": ["parity_fsdp-2"]})

    def test_a_test_without_output_is_counted_too(self):
        self.assertEqual(dict(reasons("\t3 - quiet (Skipped)\n", "")), {"no reason was printed": ["quiet"]})


if __name__ == "__main__":
    unittest.main()
