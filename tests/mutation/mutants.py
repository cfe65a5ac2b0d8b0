# SPDX-License-Identifier: Apache-2.0
"""Mutants of C++ sources: copies in which one token is changed.

Comments, strings, preprocessor lines, arguments of templates and text of assertions are never changed. Of a header only
the bodies of functions are changed: most values of members and constants there are replaced before they are read.
"""
import dataclasses
import random

import cpp_tokens

COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=",
              "++": "--", "--": "++"}
LOGIC = {"&&": "||", "||": "&&"}
BOUNDS = {"min": "max", "max": "min", "min_element": "max_element", "max_element": "min_element",
          "lower_bound": "upper_bound", "upper_bound": "lower_bound", "front": "back", "back": "front",
          "any_of": "all_of", "all_of": "any_of", "floor": "ceil", "ceil": "floor"}
TRUTH = {"true": "false", "false": "true"}
ASSERTIONS = {"RINGSIDE_ASSERT", "static_assert", "assert"}
NEEDS_SPACES = {"<", ">", "+", "-", "*", "&&"}  # other uses of these signs have no space on one side
LOOPS = {"for", "while"}
BEFORE_BODIES = {")", "const", "noexcept", "override"}  # tokens in front of the body of a function in a header


@dataclasses.dataclass(frozen=True)
class Mutant:
    """A replacement of text[start:end] of a source file."""
    path: str
    line: int  # from 1
    start: int
    end: int
    before: str
    after: str
    kind: str

    def apply(self, text):
        return text[:self.start] + self.after + text[self.end:]


def other_integers(word):
    """Returns the integers next to a literal, which keeps its suffix."""
    digits = word.rstrip("uUlLzZ")
    suffix = word[len(digits):]
    plain = digits.replace("'", "").lower()
    octal = len(plain) > 1 and plain.isdigit() and plain[0] == "0"
    value = int(plain, 8 if octal else 0)
    return [f"{near}{suffix}" for near in (value + 1, value - 1) if near >= 0]


def other_floats(word):
    """Returns a clearly different number: a literal from 1 is doubled, a smaller one increased by 1."""
    digits = word.rstrip("fFlL")
    value = float(digits.replace("'", ""))
    other = 2 * value if value >= 1 else value + 1
    return [] if other == float("inf") else [repr(other) + word[len(digits):]]


def other_numbers(word):
    hexadecimal = word.lower().startswith("0x")
    try:
        if not hexadecimal and any(sign in word for sign in ".eE"):
            return other_floats(word)
        return other_integers(word)
    except ValueError:  # a literal of the user's own, such as 5ms
        return []


class Finder:
    """Finds all mutants of one text."""

    def __init__(self, path, text):
        self.path = path
        self.text = text
        self.tokens = cpp_tokens.tokens_of(text)
        self.brackets = cpp_tokens.Brackets(text, self.tokens)
        self.found = []

    def find(self):
        for index in range(len(self.tokens)):
            if self._is_protected(index) or (self.path.endswith(".h") and not self._is_in_body(index)):
                continue
            if self.tokens[index].kind == "number":
                for other in other_numbers(self.tokens[index].text):
                    self._add(index, index, other, "constants")
            elif self.tokens[index].kind == "sign":
                self._sign(index)
            elif self.tokens[index].kind == "word":
                self._word(index)
        return self.found

    def _add(self, first, last, after, kind):
        start, end = self.tokens[first].start, self.tokens[last].end
        line = self.text.count("\n", 0, start) + 1
        self.found.append(Mutant(self.path, line, start, end, self.text[start:end], after, kind))

    def _word_at(self, index):
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def _is_protected(self, index):
        """True inside template arguments and assertions, and for the brackets of templates."""
        if self.tokens[index].text in "<>" and index in self.brackets.partner:
            return True
        return any(self.tokens[at].text == "<" or (self.tokens[at].text == "(" and self._word_at(at - 1) in ASSERTIONS)
                   for at in self.brackets.enclosing(index))

    def _is_in_body(self, index):
        return any(self.tokens[at].text == "{" and self._word_at(at - 1) in BEFORE_BODIES
                   for at in self.brackets.enclosing(index))

    def _sign(self, index):
        token = self.tokens[index]
        before = self._word_at(index - 1)
        if before == "operator":
            return
        if token.text == "!":
            self._add(index, index, "", "negations")
        elif token.text == "-" and self._is_prefix(index):
            self._add(index, index, "", "negations")
        elif token.text in NEEDS_SPACES and not cpp_tokens.is_spaced(self.text, token):
            return
        elif token.text in COMPARISONS:
            self._add(index, index, COMPARISONS[token.text], "comparisons")
        elif token.text in LOGIC:
            self._add(index, index, LOGIC[token.text], "and, or")
        elif token.text in ARITHMETIC and not self._joins_strings(index) and not self._is_loop_step(index):
            self._add(index, index, ARITHMETIC[token.text], "arithmetic")

    def _is_prefix(self, index):
        follows = self.text[self.tokens[index].end:self.tokens[index].end + 1]
        before = self.tokens[index - 1] if index else None
        value = before is not None and (before.kind in ("number", "string") or before.text in (")", "]")
                                        or (before.kind == "word" and before.text not in ("return", "case")))
        return not value and not follows.isspace()

    def _joins_strings(self, index):
        return any(0 <= at < len(self.tokens) and self.tokens[at].kind == "string" for at in (index - 1, index + 1))

    def _is_loop_step(self, index):
        """True for ++ and -- in the head of a loop: the loop would not end."""
        at = self.brackets.around[index]
        return self._word_at(index) in ("++", "--") and at is not None and self._word_at(at - 1) in LOOPS

    def _word(self, index):
        word = self._word_at(index)
        if word in TRUTH:
            self._add(index, index, TRUTH[word], "constants")
        elif word in BOUNDS and self._word_at(index + 1) == "(" and self._word_at(index - 1) in ("::", ".", "->"):
            self._add(index, index, BOUNDS[word], "bounds")
        elif word == "if" and self._word_at(index + 1) == "(":
            self._condition(index + 1)
        elif word in ("return", "continue", "break"):
            self._exit(index)

    def _condition(self, begin):
        """Negates the condition of an `if`, unless the condition declares a variable."""
        end = self.brackets.partner.get(begin)
        if end is None:
            return
        direct = [at for at in range(begin + 1, end) if self.brackets.around[at] == begin]
        first = max([at + 1 for at in direct if self._word_at(at) == ";"], default=begin + 1)
        if first >= end or any(self._word_at(at) == "=" for at in direct if at >= first):
            return
        signs = {self._word_at(at) for at in direct if at >= first}
        if not signs & set(LOGIC) and (self._word_at(first) == "!" or signs & {"==", "!="}):
            return  # the same mutant as with the sign changed
        condition = self.text[self.tokens[first].start:self.tokens[end - 1].end]
        self._add(first, end - 1, f"!({condition})", "negations")

    def _exit(self, index):
        """Removes a conditional return, continue or break after which the function has more statements."""
        last = next((at for at in range(index, len(self.tokens)) if self._word_at(at) == ";"
                     and self.brackets.around[at] == self.brackets.around[index]), None)
        if last is None or not self._is_conditional(index):
            return
        if self._word_at(index) == "return" and not self._reaches_statement(last + 1):
            return
        self._add(index, last, ";", "early returns")

    def _control(self, begin):
        """Returns the word in front of a block or statement: "if", "for", "while", "else"; "" for a function."""
        if self._word_at(begin - 1) in ("else", "do"):
            return self._word_at(begin - 1)
        if self._word_at(begin - 1) != ")":
            return ""
        head = self.brackets.partner.get(begin - 1, 0)
        if self._word_at(head - 1) == "constexpr":
            head -= 1
        return self._word_at(head - 1) if self._word_at(head - 1) in LOOPS | {"if", "switch"} else ""

    def _is_conditional(self, index):
        if self._word_at(index - 1) == ")":
            return self._control(index) in LOOPS | {"if"}
        block = self.brackets.around[index]
        return block is not None and self._word_at(block) == "{" and self._control(block) in LOOPS | {"if"}

    def _reaches_statement(self, index):
        """True if a statement of the same function, or another turn of a loop, follows at this token."""
        while self._word_at(index) == "}" and index in self.brackets.partner:
            control = self._control(self.brackets.partner[index])
            if control in LOOPS:
                return True
            if control != "if":
                return False
            index += 1
        return self._word_at(index) not in ("}", "else", "case", "default", "")


def mutants_of(path, text):
    """Returns all mutants of a source file, in the order of the text."""
    return Finder(path, text).find()


def shuffled(seed, mutants):
    """Returns the mutants in an order that depends on the seed only."""
    order = list(mutants)
    random.Random(seed).shuffle(order)
    return order
