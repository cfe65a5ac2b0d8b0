# SPDX-License-Identifier: Apache-2.0
"""Tests that each rule reports the wording for which it was written, and accepts the plain form."""
import sys

import rules

BAD = [
    ("a.h", "// What a model is to make out of what.\n", "opener"),
    ("a.h", "// Of the ranks.\n", "opener"),
    ("a.h", "int a = 1;  // Those that answer in time.\n", "opener"),
    ("a.h", "// The thread.\n", "fragment"),
    ("a.cpp", "// Starts the ranks anew.\n", "archaic"),
    ("a.cpp", "// Waits for the rank\n// for ever.\n", "archaic"),
    ("a.cpp", "// All ranks are told which steps to trace.\n", "person"),
    ("a.cpp", 'log("rank " + name + " goes on without it");\n', "person"),
    ("a.cpp", 'TEST_CASE("Nobody waits for a rank that has left") {\n', "person"),
    ("a.cpp", "void Trainer::tellCost(int rank) {\n", "name"),
    ("a.h", "    void m_heedLaunchers();\n    void heedLaunchers();\n", "name"),
    ("a.h", "    void barrierHoweverLong();\n", "name"),
    ("a.py", "# Which ranks are left.\n", "opener"),
    ("a.md", "Ranks hear of it at once.\n", "person"),
    ("a.md", "word " * 24 + "word.\n", "long line"),
]
GOOD = [
    ("a.h", "// Returns the data-parallel group of this rank.\n"),
    ("a.h", "// SPDX-License-Identifier: Apache-2.0\n"),
    ("a.h", "int waitSeconds = 1;  // timeout of each wait\n"),
    ("a.cpp", 'set("told", "x");\n'),
    ("a.cpp", 'const char* url = "https://example.org/so many";\n'),
    ("a.cpp", "saying();\n"),
    ("a.md", "Run `ringsidectl tell` in a shell.\n"),
    ("a.md", "```\nnobody\n```\n"),
    ("a.md", "word " * 23 + "word.\n| " + "cell " * 30 + "|\n"),
]


def main():
    failed = 0
    for path, text, rule in BAD:
        found = [each[0] for each in rules.complaints(path, text)]
        if rule not in found:
            failed += 1
            print(f"{text!r} ought to break the rule {rule}, found {found}")
    for path, text in GOOD:
        found = rules.complaints(path, text)
        if found:
            failed += 1
            print(f"{text!r} is plain, found {found}")
    print(f"{len(BAD) + len(GOOD)} texts, {failed} judged wrongly")
    sys.exit(1 if failed else 0)


main()
