# SPDX-License-Identifier: Apache-2.0
"""test_syntax_only.py COMPILER: packaging/syntax_only fails for a missing include, and leaves a stamp and a dependency file for a correct file."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SYNTAX_ONLY = pathlib.Path(__file__).resolve().parents[2] / "packaging" / "syntax_only"
USE = "int last(const std::vector<int>& values) { return values.back(); }\n"


class SyntaxOnly(unittest.TestCase):
    def check(self, text):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "last.h").write_text("#include <vector>\n")
            (folder / "last.cpp").write_text(text)
            done = subprocess.run([SYNTAX_ONLY, COMPILER, "-std=gnu++20", "-MD", "-MT", "last.o", "-MF", "last.d", "-o", "last.o",
                                   "-c", "last.cpp"], cwd=folder, capture_output=True, text=True, check=False)
            dependencies = (folder / "last.d").read_text() if done.returncode == 0 else ""
            return done, (folder / "last.o").exists(), dependencies

    def test_a_missing_include_is_an_error_and_leaves_no_stamp(self):
        done, stamp, _ = self.check(USE)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("vector", done.stderr)
        self.assertFalse(stamp)

    def test_a_correct_file_leaves_a_stamp_that_depends_on_its_headers(self):
        done, stamp, dependencies = self.check('#include "last.h"\n' + USE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(stamp)
        self.assertIn("last.h", dependencies)


if __name__ == "__main__":
    COMPILER = sys.argv.pop()
    unittest.main()
