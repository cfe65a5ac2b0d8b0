# SPDX-License-Identifier: Apache-2.0
"""Tests that each rule reports the wording for which it was written, in each language and folder of the tree, and
accepts the plain form.
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import check_language
import rules

STYLE = pathlib.Path(__file__).resolve().parent
ROOT = STYLE.parents[1]
COMMENTS = {"opener": "Which ranks are left.", "fragment": "The thread.", "archaic": "Starts the ranks anew.",
            "person": "All ranks are told which steps to trace."}
MESSAGES = {"archaic": "waits for the rank in vain", "person": "the other ranks go on without it"}
SAMPLES = ("name.h", "docstring.py")
BAD = [  # special forms of the rules; each language and folder has its own examples below
    ("a.h", "// What a model is to make out of what.\n", "opener"),
    ("a.h", "int a = 1;  // Those that answer in time.\n", "opener"),
    ("a.cpp", "// Waits for the rank\n// for ever.\n", "archaic"),
    ("a.cpp", "int a = 1;  // waits for\n            // ever\n", "archaic"),
    ("a.cpp", "/* Waits for the rank\n * for ever. */\n", "archaic"),
    ("a.cpp", 'log("the rank waits for "\n    "ever");\n', "archaic"),
    ("a.cpp", 'log(R"(the other ranks\ngo on)");\n', "person"),
    ("a.cpp", 'log("rank " + name + " goes on without it");\n', "person"),
    ("a.cpp", 'TEST_CASE("Nobody waits for a rank that has left") {\n', "person"),
    ("a.cpp", 'log("the plan says " + text + " on all ranks");\n', "person"),
    ("a.cpp", "// The sampler deals the samples to the ranks.\n", "person"),
    ("a.h", "// Samples that were dealt to this rank.\n", "person"),
    ("a.cpp", 'log("the ranks stand still");\n', "person"),
    ("a.md", "The bar stands\nstill.\n", "person"),
    ("a.cpp", "tell(rank);\n", "name"),
    ("a.cpp", "void Trainer::tellCost(int rank) {\n", "name"),
    ("a.h", "    void heedLaunchers();\n", "name"),
    ("a.h", "    void barrierHoweverLong();\n", "name"),
    ("a.h", "    bool m_lossTold = false;\n", "name"),
    ("a.h", "    int m_toldUntil = 0;\n", "name"),
    ("a.py", '"""Waits for the rank\nfor ever.\n"""\n', "archaic"),
    ("a.py", "print('the rank waits for '\n      'ever')\n", "archaic"),
    ("a.py", 'print(f"rank {rank} goes on alone")\n', "person"),
    ("a.py", "def _tell(rank):\n", "name"),
    ("a.py", "def hear_ranks():\n", "name"),
    ("a.md", "Each rank waits for\never.\n", "archaic"),
    ("a.md", "* Ranks go\n  on at once.\n", "person"),
    ("a.md", "| Ranks hear of it. |\n", "person"),
    ("a.md", "* Ranks train " + "word " * 20 + "\n  " + "word " * 12 + "end.\n", "long sentence"),
    ("a.md", "| a | Ranks train " + "word " * 32 + "end |\n", "long sentence"),
]
GOOD = [
    ("a.h", "// Returns the data-parallel group of this rank.\n"),
    ("a.h", "// SPDX-License-Identifier: Apache-2.0\n"),
    ("a.cpp", "// A great ideal of a standstill.\n"),
    ("a.h", "int waitSeconds = 1;  // timeout of each wait\n"),
    ("a.cpp", 'set("told", "x");\n'),
    ("a.cpp", 'const char* url = "https://example.org/so many";\n'),
    ("a.cpp", "saying();\nteller(m_tolerance);\n"),
    ("a.cpp", "int a = 1'000;  // the rank's limit\n"),
    ("a.cpp", "int a;  // waits for\nint b;  // ever\n"),
    ("a.py", 'print(f"the output is {run.said}")\n'),
    ("a.py", "print('it waits for', 'ever')\n"),
    ("a.md", "Run `ringsidectl tell` in a shell.\n"),
    ("a.md", "```\nnobody\n```\n"),
    ("a.md", "Ranks go\n\non the list.\n"),
    ("a.md", "word " * 23 + "word.\n| " + "cell " * 30 + "|\n"),
    ("a.md", "Ranks " + "run " * 20 + "here.\nRanks " + "wait " * 20 + "there.\n"),
    ("a.md", "| " + "cell " * 20 + "| " + "cell " * 20 + "|\n"),
    ("a.md", "# Heading " + "word " * 15 + "\nRanks " + "run " * 20 + "here.\n"),
    ("a.md", "Ranks " + "`train\nwait` " * 15 + "and " * 17 + "end.\n"),
]


def examples():
    """Returns (rule, name of a file, text): one for each rule and each language in which the rule holds."""
    found = [("long line", "a.md", "word " * 24 + "word.\n"), ("long sentence", "a.md", "a " * 35 + "end.\n")]
    for rule, words in COMMENTS.items():
        found += [(rule, "comment" + suffix, f"// {words}\n") for suffix in (".h", ".cpp", ".cu", ".cuh")]
        found += [(rule, name, f"# {words}\n") for name in ("comment.py", "comment.sh", "a.cmake", "CMakeLists.txt")]
        found += [(rule, "docstring.py", f'"""{words}"""\n')]
        found += [(rule, "python_script", f"#!/usr/bin/env python3\n\n# {words}\n")]
        found += [(rule, "shell_script", f"#!/bin/sh\n\n# {words}\n")]
    for rule, words in MESSAGES.items():
        found += [(rule, name, f'print("{words}")\n') for name in ("a.h", "a.cpp", "a.cu", "a.py", "a.sh", "b.cmake")]
        found += [(rule, name, f"{words}\n") for name in ("a.md", "a.xml", "a.desktop")]
    found += [("name", name, "void tell();\n") for name in ("name.h", "name.cpp", "name.cu")]
    return found + [("name", "name.py", "def tell():\n")]


def folders():
    """Returns the folders of the tree that contain sources or documents, in two levels, such as engine/comm."""
    kinds = ("*.h", "*.cpp", "*.cu", "*.py", "*.sh", "*.cmake", "*.md", "*CMakeLists.txt")
    listed = subprocess.check_output(["git", "-C", str(ROOT), "ls-files", "--", *kinds], text=True).splitlines()
    paths = [path.split("/")[:-1] for path in listed]
    return sorted({"/".join(path[:length]) or "." for path in paths for length in (1, 2)})


def first_level():
    return {folder.split("/")[0] for folder in folders()}


class Rules(unittest.TestCase):
    def test_forbidden_wording(self):
        for path, text, rule in BAD:
            with self.subTest(text=text):
                self.assertIn(rule, [each[0] for each in rules.complaints(path, text)])

    def test_plain_wording(self):
        for path, text in GOOD:
            with self.subTest(text=text):
                self.assertEqual(rules.complaints(path, text), [])

    def test_the_line_is_that_of_the_first_word(self):
        self.assertEqual(rules.complaints("a.cpp", '\nlog("waits for "\n    "ever now");\n'),
                         [("archaic", 2, "waits for ever now")])
        self.assertEqual([each[1] for each in rules.complaints("a.md", "# A\n\nRanks\ngo on.\n")], [3])


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        subprocess.check_call(["git", "init", "-q", str(self.root)])

    def plant(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def track_all(self):
        subprocess.check_call(["git", "-C", str(self.root), "add", "-A"])

    def exit_code(self, *paths):
        program = [sys.executable, str(STYLE / "check_language.py"), str(self.root), *paths]
        return subprocess.run(program, stdout=subprocess.DEVNULL, check=False).returncode

    def test_each_rule_in_each_folder_and_language(self):
        planted = {}
        for folder in folders():
            # All examples are planted in the folders of the first level, and two in each other folder.
            chosen = examples() if folder in first_level() else [each for each in examples() if each[1] in SAMPLES]
            for number, (rule, name, text) in enumerate(chosen):
                path = (pathlib.PurePosixPath(folder) / f"planted{number}" / name).as_posix()
                planted[path] = rule
                self.plant(path, text)
        self.track_all()
        self.assertGreater(len(folders()), 50)
        count, places = check_language.places_of(self.root, [])
        self.assertEqual(count, len(planted))
        self.assertEqual({(path, rule) for path, rule, _, _ in places}, set(planted.items()))

    def test_one_place_makes_the_check_fail(self):
        for folder in first_level():
            self.plant(f"{folder}/plain/a.py", "# Returns the ranks.\n")
            self.plant(f"{folder}/odd/a.py", "# Tells the ranks.\n")
        self.track_all()
        for folder in first_level():
            with self.subTest(folder=folder):
                self.assertEqual(self.exit_code(f"{folder}/plain"), 0)
                self.assertEqual(self.exit_code(f"{folder}/odd"), 1)

    def test_an_exception_that_matches_no_place_makes_the_check_fail(self):
        self.plant("a.py", "# Returns the ranks.\n")
        self.track_all()
        self.assertEqual(self.exit_code(), 1)


unittest.main()
