# SPDX-License-Identifier: Apache-2.0
"""Tests that the sample contains each text completely, has the announced numbers of texts, and is the same for the same
seed.
"""
import unittest

import draw_sample
import sample_parts

HEADER = """// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ranks of one run.
// Ordered by host.
class Ranks {
  public:
    Ranks() = default;
    int size() const;  // number of ranks, at
                       // least one
    void start(int first,
               int last);
};
"""
SOURCE = """void fail(int rank) {
    // A comment with "three quoted words" inside.
    throw Error("rank " + std::to_string(rank) + " has left "
                "the run");
    RINGSIDE_ASSERT(rank >= 0, "not for a user");
    set("step_ms", "http://a");
    setSynonyms(*run, tr("start train launch"));
    show({QStringLiteral("timeline.md"), QStringLiteral("What this page shows")});
    return {{QStringLiteral("mesh"), tr("Mesh"), tr("groups bytes on each link")}};
    return name(rank) + " has left " + (late ? "the run" : "a group") + " at step " + step;
    return late ? "; the last step is " + step : "; nothing was saved";
}
"""
PROBLEMS = """Problem check(const Json& value) {
    if (!value) return Problem{"loader.batch_size", "is " + shown(value, 1) + "; it must be "
                               "a number", "set it to 1"};
    problems.push_back({path.string(), "cannot be read", std::string("check ") + name});
    return reportProblems({{"--seconds", "must be a number", "use 5"}});
    return {{"Mesh", "Groups of ranks", "links and bytes"}};
    set({"told", "x, y"});
}
"""
PYTHON = '''"""Watches one process."""
class Watch:
    """Facts of one process."""
    def start(self, rank):
        raise ValueError("the rank is negative")  # ranks count from 0
'''


class Parts(unittest.TestCase):
    def test_comments_are_whole_blocks(self):
        self.assertEqual(sample_parts.comments("a.h", HEADER), [
            "// Ranks of one run. Ordered by host.", "`int size() const;` // number of ranks, at least one"])
        self.assertEqual(sample_parts.comments("a.cpp", SOURCE), ['// A comment with "three quoted words" inside.'])

    def test_declarations_show_the_class(self):
        self.assertEqual(sample_parts.declarations("a.h", HEADER), [
            "class Ranks", "Ranks: int size() const", "Ranks: void start(int first, int last)"])

    def test_messages_are_joined_and_texts_for_no_user_are_left_out(self):
        self.assertEqual(sample_parts.messages("a.cpp", SOURCE), [
            '"rank <std::to_string(rank)> has left the run"',
            '"<name(rank)> has left <(late ? "the run" : "a group")> at step <step>"',
            '"; the last step is <step>"', '"; nothing was saved"'])

    def test_a_call_with_a_text_is_part_of_the_message(self):
        source = 'return "rank " + who + " has trained " + counted(steps, "step") + " of the epoch";\n'
        self.assertEqual(sample_parts.messages("a.cpp", source),
                         ['"rank <who> has trained <counted(steps, \'step\')> of the epoch"'])

    def test_a_problem_is_one_message(self):
        self.assertEqual(sample_parts.messages("a.cpp", PROBLEMS), [
            '"loader.batch_size is <shown(value, 1)>; it must be a number: set it to 1"',
            '"<path.string()> cannot be read: <std::string("check ")><name>"',
            '"--seconds must be a number: use 5"', '"Groups of ranks"', '"links and bytes"'])

    def test_python(self):
        self.assertEqual(sample_parts.comments("a.py", PYTHON), [
            '""" Watches one process.', '""" Facts of one process.',
            '`raise ValueError("the rank is negative")` # ranks count from 0'])
        self.assertEqual(sample_parts.declarations("a.py", PYTHON), ["class Watch", "Watch: def start(self, rank)"])
        self.assertEqual(sample_parts.messages("a.py", PYTHON), ['"the rank is negative"'])


class Draw(unittest.TestCase):
    def test_counts_and_seed(self):
        sources = draw_sample.sources()
        rows = draw_sample.draw(1, sources)
        self.assertEqual(len(rows), 5 * (20 + 10 + 20))
        self.assertEqual(len(set(rows)), len(rows))
        self.assertEqual(len({folder for folder, _, _ in rows}), 5)
        self.assertEqual(rows, draw_sample.draw(1, sources))
        self.assertNotEqual(rows, draw_sample.draw(2, sources))


unittest.main()
