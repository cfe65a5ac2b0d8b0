# SPDX-License-Identifier: Apache-2.0
"""Problems in C++ code as a user reads them: "SUBJECT MESSAGE: REMEDY".

A Problem is written as a list of three expressions, such as {"loader.batch_size", "is " + shown, "use 1 or more"}.
take(code) returns the texts of all problems, and the code without them. An expression that is no literal is shown as
<expression>.
"""
import re

START = re.compile(r"(?:\bProblems?|\b(?:push_back|reportProblems|refuse)\(|\breturn)\s*\{+")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
LITERALS = re.compile(r'\s*"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*\s*')
WINDOW = re.compile(r"\btr\(|\bQStringLiteral\(")  # texts of the window are complete sentences
OPENING, CLOSING = "([{", ")]}"


def pieces(code, at, separator):
    """Returns the parts of the code between `at` and the bracket that closes it, split at the separators outside of
    inner brackets and literals, and the position of the closing bracket. Returns None if no bracket closes the list.
    """
    found, depth, start = [], 0, at
    while at < len(code):
        literal = LITERAL.match(code, at)
        if literal:
            at = literal.end()
            continue
        letter = code[at]
        if (letter in CLOSING and depth == 0) or letter == ";":
            return (found + [code[start:at]], at) if letter != ";" else None
        depth += (letter in OPENING) - (letter in CLOSING)
        if letter == separator and depth == 0:
            found.append(code[start:at])
            start = at + 1
        at += 1
    return None


def shown(expression):
    """Returns the text of a concatenation of literals and other expressions."""
    text = ""
    for operand in pieces(expression + "}", 0, "+")[0]:
        if LITERALS.fullmatch(operand):
            text += "".join(LITERAL.findall(operand))
        else:
            text += f"<{' '.join(operand.split())}>"
    return text


def take(code):
    texts = []
    for start in START.finditer(code):
        parts = pieces(code, start.end(), ",")
        if not parts or len(parts[0]) != 3 or not LITERAL.search(parts[0][1]) or WINDOW.search(parts[0][1]):
            continue
        subject, message, remedy = (shown(part) for part in parts[0])
        if re.match("[a-z<]", message) and re.match("[a-z<]", remedy):
            texts.append(f'"{f"{subject} {message}: {remedy}".strip()}"')
            code = code[:start.end()] + re.sub(r"[^\n]", " ", code[start.end():parts[1]]) + code[parts[1]:]
    return texts, code
