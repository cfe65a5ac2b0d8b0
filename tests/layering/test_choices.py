# SPDX-License-Identifier: Apache-2.0
"""Tests of the violations that choices.py reports: literals, and switches with a default."""
import unittest

import choices

TABLE = ("engine/config/choices.h", 'constexpr std::array<std::string_view, 2> namesOf(Colour) {\n    return {"red", "blue"};\n}')


def found(code, allowed=None, path="engine/run/a.cpp"):
    return list(choices.complaints([TABLE, (path, code)], allowed or {}))


class Choices(unittest.TestCase):
    def test_a_comparison_with_a_name_of_a_choice_is_refused(self):
        expected = ['engine/run/a.cpp:2: compares with the literal "red", a name of a choice: compare enumerators']
        for code in ('\nif (colour == "red") f();', '\nif ("red" != colour) f();', '\nreturn colour == QStringLiteral("red");',
                     '\nreturn colour != std::string_view("red");'):
            self.assertEqual(found(code), expected)

    def test_other_words_and_comments_are_accepted(self):
        self.assertEqual(found('if (key == "green") f();  // unlike == "red"\nlog("x == red");'), [])
        self.assertEqual(found('auto at = text.find("red") == npos;'), [])

    def test_the_folder_of_the_tables_and_codecs_may_compare(self):
        self.assertEqual(found('if (key == "red") f();', path="engine/config/a.cpp"), [])
        self.assertEqual(found('if (key == "red") f();', {"engine/run/a.cpp": ({"red"}, "codec")}), [])

    def test_an_entry_that_is_not_needed_is_refused(self):
        self.assertEqual(found("", {"engine/run/a.cpp": ({"red"}, "codec")}),
                         ['ALLOWED: engine/run/a.cpp does not compare with "red"; remove it from the list'])

    def test_a_default_in_a_switch_over_a_choice_is_refused(self):
        code = "switch (c) {\n    case Colour::kRed:\n        return 1;\n    default:\n        return 2;\n}"
        self.assertEqual(found(code), ["engine/run/a.cpp:1: default in a switch over Colour: list the enumerators"])
        self.assertEqual(found(code.replace("default", "case Colour::kBlue")), [])
        self.assertEqual(found(code.replace("Colour::kRed", "7")), [])


if __name__ == "__main__":
    unittest.main()
