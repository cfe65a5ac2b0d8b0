# SPDX-License-Identifier: Apache-2.0
"""Splits C++ text into tokens and finds which brackets belong together.

The text must be formatted according to .clang-format, because white space distinguishes `a < b` from `vector<int>`,
`a * b` from `T* a` and `a && b` from `T&& a`.
"""
import dataclasses
import re

_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<preprocessor>^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*)
      | (?P<string>(?:u8|[uUL])?R"(?P<delimiter>[^\s()\\]*)\(.*?\)(?P=delimiter)"
                 | (?:u8|[uUL])?"(?:\\.|[^"\\\n])*"
                 | (?:u8|[uUL])?'(?:\\.|[^'\\\n])+')
      | (?P<number>\.?[0-9](?:[eEpP][+-]|'?[0-9A-Za-z_.])*)
      | (?P<word>[A-Za-z_]\w*)
      | (?P<sign><=>|<<=|>>=|\.\.\.|->\*|->|\+\+|--|<<|<=|>=|==|!=|&&|\|\||\+=|-=|\*=|/=|%=|&=|\|=|\^=|::|.)
      | (?P<space>\s+)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE)
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}


@dataclasses.dataclass
class Token:
    """A piece of C++ text; kind is "word", "number", "string" or "sign"."""
    kind: str
    text: str
    start: int  # offset in the text

    @property
    def end(self):
        return self.start + len(self.text)


def tokens_of(text):
    """Returns the tokens without comments, preprocessor lines and white space."""
    found = []
    for match in _TOKEN.finditer(text):
        if match.lastgroup == "delimiter" or match.group("string") is not None:
            found.append(Token("string", match.group(), match.start()))
        elif match.lastgroup in ("number", "word") or (match.lastgroup == "sign" and not match.group().isspace()):
            found.append(Token(match.lastgroup, match.group(), match.start()))
    return found


def is_spaced(text, token):
    """True if the token has white space on both sides, as clang-format writes a binary operator."""
    return text[token.start - 1:token.start].isspace() and text[token.end:token.end + 1].isspace()


class Brackets:
    """Pairs of brackets among tokens, including angle brackets of templates.

    partner: index of the other bracket of a pair. around: for each token, the index of the innermost bracket that is
    open there, or None.
    """

    def __init__(self, text, tokens):
        self.partner = {}
        self.around = []
        opened = []
        for index, token in enumerate(tokens):
            if self._closes(token, tokens, opened):
                begin = opened.pop()
                self.partner[begin], self.partner[index] = index, begin
            self.around.append(opened[-1] if opened else None)
            if token.kind == "sign" and token.text in _CLOSING and self._opens(text, tokens, index):
                opened.append(index)

    @staticmethod
    def _opens(text, tokens, index):
        if tokens[index].text != "<":
            return True
        before = tokens[index - 1] if index else None
        if before is None or before.kind != "word" or before.text == "operator":
            return False
        return before.text == "template" or before.end == tokens[index].start

    @staticmethod
    def _closes(token, tokens, opened):
        return bool(opened) and token.kind == "sign" and _CLOSING[tokens[opened[-1]].text] == token.text

    def enclosing(self, index):
        """Yields the indexes of the brackets around a token, the innermost one first."""
        at = self.around[index]
        while at is not None:
            yield at
            at = self.around[at]
