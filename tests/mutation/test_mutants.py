# SPDX-License-Identifier: Apache-2.0
"""Tests that mutants change one token of code, that each kind of mutant is found, and that comments, strings and
template arguments are not changed.
"""
import unittest

import mutant_build
import mutants


def changes(text, kind=None):
    """Returns (before, after) of all mutants of a text, or of those of one kind."""
    return [(each.before, each.after) for each in mutants.mutants_of("a.cpp", text) if kind in (None, each.kind)]


class Kinds(unittest.TestCase):
    def test_comparisons(self):
        for sign, other in (("<", "<="), ("<=", "<"), (">", ">="), (">=", ">"), ("==", "!="), ("!=", "==")):
            self.assertEqual(changes(f"bool f = a {sign} b;"), [(sign, other)])

    def test_arithmetic(self):
        for sign, other in (("+", "-"), ("-", "+"), ("*", "/"), ("/", "*"), ("%", "*"), ("+=", "-="), ("-=", "+=")):
            self.assertEqual(changes(f"x = a {sign} b;"), [(sign, other)])
        self.assertEqual(changes("++count;"), [("++", "--")])

    def test_logic(self):
        self.assertEqual(changes("x = a && b;"), [("&&", "||")])
        self.assertEqual(changes("x = a || b;"), [("||", "&&")])

    def test_bounds(self):
        self.assertEqual(changes("x = std::min(a, b);"), [("min", "max")])
        self.assertEqual(changes("x = list.front();"), [("front", "back")])
        self.assertEqual(changes("x = min(a, b);"), [])

    def test_constants(self):
        self.assertEqual(changes("x = 7;"), [("7", "8"), ("7", "6")])
        self.assertEqual(changes("x = 0U;"), [("0U", "1U")])
        self.assertEqual(changes("x = 10'000;"), [("10'000", "10001"), ("10'000", "9999")])
        self.assertEqual(changes("x = 0x10u;"), [("0x10u", "17u"), ("0x10u", "15u")])
        self.assertEqual(changes("mode = 0644;"), [("0644", "421"), ("0644", "419")])
        self.assertEqual(changes("x = 0.5F;"), [("0.5F", "1.5F")])
        self.assertEqual(changes("x = 1e3;"), [("1e3", "2000.0")])
        self.assertEqual(changes("x = true;"), [("true", "false")])
        self.assertEqual(changes("x = 5ms;"), [])

    def test_negations(self):
        self.assertEqual(changes("x = !a;"), [("!", "")])
        self.assertEqual(changes("x = -a;"), [("-", "")])
        self.assertEqual(changes("return -a;"), [("-", "")])
        self.assertEqual(changes("if (a.isOpen()) b();"), [("a.isOpen()", "!(a.isOpen())")])
        self.assertEqual(changes("if (T a = f(); a.ok()) b();"), [("a.ok()", "!(a.ok())")])
        self.assertEqual(changes("if (a && b) c();", "negations"), [("a && b", "!(a && b)")])
        self.assertEqual(changes("if (const auto wrong = f()) b();"), [])

    def test_the_same_change_is_found_once(self):
        self.assertEqual(changes("if (!a) b();"), [("!", "")])
        self.assertEqual(changes("if (a == b) c();"), [("==", "!=")])

    def test_early_returns(self):
        exits = lambda text: changes(text, "early returns")
        self.assertEqual(exits("int f() {\n    if (a) return b(c);\n    return d;\n}\n"), [("return b(c);", ";")])
        self.assertEqual(exits("int f() {\n    if (a) {\n        b();\n        return c;\n    }\n    return d;\n}\n"),
                         [("return c;", ";")])
        self.assertEqual(exits("int f() {\n    for (T x : y) {\n        if (a) return b;\n    }\n    return d;\n}\n"),
                         [("return b;", ";")])
        self.assertEqual(exits("for (T x : y) {\n    if (a) continue;\n    b();\n}\n"), [("continue;", ";")])
        self.assertEqual(exits("while (a) {\n    if (b) break;\n    c();\n}\n"), [("break;", ";")])

    def test_a_return_that_ends_the_function_stays(self):
        exits = lambda text: changes(text, "early returns")
        self.assertEqual(exits("int f() {\n    a();\n    return d;\n}\n"), [])
        self.assertEqual(exits("int f() {\n    if (a) {\n        return b;\n    } else {\n        return c;\n    }\n}\n"), [])
        self.assertEqual(exits("auto f = [](int a) { return a; };\n"), [])


class Untouched(unittest.TestCase):
    def test_comments_strings_and_preprocessor_lines(self):
        self.assertEqual(changes("// a < b, 3\n/* x && 4\n * y */\n"), [])
        self.assertEqual(changes('text = "a < 3 \\" && 4";\nc = \'3\';\ns = R"(1 < 2 "quoted" && 3)";\n'), [])
        self.assertEqual(changes('#if A > 3 && \\\n    B < 4\n#include <a/b-3.h>\n#endif\n'), [])

    def test_templates(self):
        self.assertEqual(changes("template <class T, int N = 3>\nstd::array<std::array<T, 4>, 2> a;"), [])
        self.assertEqual(changes("f(std::vector<int>{}, static_cast<int>(x) < y);"), [("<", "<=")])

    def test_pointers_references_and_operators(self):
        self.assertEqual(changes("T* a(U&& b, const V& c, auto&& d) { return *b->c; }"), [])
        self.assertEqual(changes("bool operator<(const A& a);\nauto operator<=>(const A& a) = default;\nA operator-(B b);"), [])

    def test_joined_strings(self):
        self.assertEqual(changes('x = "a" + b + "c";'), [])

    def test_assertions(self):
        self.assertEqual(changes('RINGSIDE_ASSERT(a < 3 && f(b - 1), "text");\nstatic_assert(sizeof(T) == 8);'), [])

    def test_headers_outside_of_functions(self):
        found = lambda text: [(each.before, each.after) for each in mutants.mutants_of("a.h", text)]
        self.assertEqual(found("constexpr int kMax = 3;\nstruct A {\n    int x = 1;\n    bool y = true;\n};\n"), [])
        self.assertEqual(found("enum class A : int { kFirst = 1 };\nA::A() : m_x(1) {}\n"), [])
        self.assertEqual(found("struct A {\n    int f() const { return x + y; }\n    int x = 1;\n};\n"), [("+", "-")])
        self.assertEqual(found("inline int f(int a) {\n    if (a) {\n        b(a < c);\n    }\n}\n"),
                         [("a", "!(a)"), ("<", "<=")])

    def test_steps_of_loops(self):
        self.assertEqual(changes("for (int i = a; i < n; ++i) f(i);"), [("<", "<=")])


class Drawing(unittest.TestCase):
    TEXT = "int f(int a) {\n    if (a < 1) return 2;\n    return a * 3;\n}\n"

    def test_a_mutant_knows_its_place_and_changes_it_only(self):
        found = {(each.before, each.after): each for each in mutants.mutants_of("a.cpp", self.TEXT)}
        mutant = found["*", "/"]
        self.assertEqual((mutant.path, mutant.line), ("a.cpp", 3))
        self.assertEqual(mutant.apply(self.TEXT), self.TEXT.replace("*", "/"))

    def test_the_same_seed_draws_the_same_mutants(self):
        all_of_them = mutants.mutants_of("a.cpp", self.TEXT)
        first = mutants.shuffled(1, all_of_them)
        self.assertEqual(first, mutants.shuffled(1, all_of_them))
        self.assertNotEqual(first, mutants.shuffled(2, all_of_them))
        self.assertEqual(set(first), set(all_of_them))


class Commands(unittest.TestCase):
    def test_a_command_keeps_what_changes_meaning(self):
        command = ("/usr/bin/cmake -E env CCACHE_DEPEND=1 /usr/bin/ccache /usr/bin/c++ -I/s/engine -O3 -DNDEBUG -Wall "
                   "-Werror -ffp-contract=off -fpch-preprocess -std=gnu++20 -Winvalid-pch -include /b/cmake_pch.hxx "
                   "-o a.cpp.o -c /s/engine/a.cpp")
        self.assertEqual(mutant_build.compile_flags(command),
                         ["/usr/bin/c++", "-I/s/engine", "-DNDEBUG", "-ffp-contract=off", "-std=gnu++20", "-O1", "-w"])


if __name__ == "__main__":
    unittest.main()
