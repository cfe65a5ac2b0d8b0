# SPDX-License-Identifier: Apache-2.0
"""Places of a source file that contain English: comments, messages and code.

comments(path, text), messages(path, text) and code(path, text) yield (number of the first line, text). A comment or a
message that continues on the following lines is one text, so that words on both sides of a line end are seen together.
Docstrings of Python count as comments.
"""
import re

CPP = re.compile(r'(?P<raw>R"(?P<mark>\w*)\((?:.|\n)*?\)(?P=mark)")|(?P<text>"(?:[^"\\\n]|\\.)*")'
                 r"|(?P<letter>(?<![0-9A-Fa-f])'(?:[^'\\\n]|\\.)+')|(?P<comment>//[^\n]*|/\*(?:.|\n)*?\*/)")
PYTHON = re.compile(r'(?P<raw>"""(?:\\.|(?!""")(?:.|\n))*"""|\'\'\'(?:\\.|(?!\'\'\')(?:.|\n))*\'\'\')'
                    r'|(?P<text>"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\')|(?P<comment>#[^\n]*)')
SHELL = re.compile(r'(?P<text>"(?:[^"\\\n]|\\.)*")|(?P<comment>(?<!\S)#[^\n]*)')
GAP = re.compile(r"[ \t]*\n?[ \t]*[furb]{0,2}")  # white space between two literals that are one text


def grammar_of(path):
    if path.endswith((".h", ".cpp", ".cu", ".cuh")):
        return CPP
    return PYTHON if path.endswith(".py") else SHELL


def tokens(path, text):
    return grammar_of(path).finditer(text)


def start_of_line(text, at):
    return text.rfind("\n", 0, at) + 1


def number_of(text, at):
    return text.count("\n", 0, at) + 1


def is_docstring(text, match):
    starts_statement = not text[start_of_line(text, match.start()):match.start()].strip()
    return match.lastgroup == "raw" and starts_statement and not re.match(r"\s*%", text[match.end():])


def words_of_comment(comment):
    lines = (line.strip().lstrip("*#/").strip() for line in comment.removesuffix("*/").split("\n"))
    return " ".join(line for line in lines if line)


def comments(path, text):
    """Comments in the same column of consecutive lines are one text."""
    block, first, column, last = [], 0, -1, -1
    for match in tokens(path, text):
        if path.endswith(".py") and is_docstring(text, match):
            yield number_of(text, match.start()), " ".join(match.group()[3:-3].split())
        if match.lastgroup != "comment":
            continue
        number, begin = number_of(text, match.start()), start_of_line(text, match.start())
        alone = not text[begin:match.start()].strip()
        if block and alone and number == last + 1 and match.start() - begin == column:
            block.append(words_of_comment(match.group()))
        else:
            if block:
                yield first, " ".join(block).strip()
            block, first, column = [words_of_comment(match.group())], number, match.start() - begin
        last = number
    if block:
        yield first, " ".join(block).strip()


def text_of_literal(path, match):
    """Returns the text without its quotes. Of a literal of Python, without the expressions in braces."""
    if match.lastgroup == "raw" and path.endswith((".h", ".cpp", ".cu", ".cuh")):
        return match.group()[3 + len(match["mark"]):-2 - len(match["mark"])]
    words = match.group().strip("\"'")
    return re.sub(r"\{[^{}]*\}", "{}", words) if path.endswith(".py") else words


def messages(path, text):
    """Literals with only white space between them are one text."""
    joined, first, end = "", 0, -1
    for match in tokens(path, text):
        if match.lastgroup not in ("raw", "text") or (path.endswith(".py") and is_docstring(text, match)):
            continue
        words = text_of_literal(path, match)
        if end >= 0 and GAP.fullmatch(text, end, match.start()):
            joined += words
        else:
            if joined:
                yield first, joined
            joined, first = words, number_of(text, match.start())
        end = match.end()
    if joined:
        yield first, joined


def code(path, text):
    """Yields each line without its comments and literals."""
    blank = grammar_of(path).sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    yield from enumerate(blank.split("\n"), 1)


def outside_of_code(lines):
    """Yields the lines of a document that are not inside a block of code."""
    inside = False
    for number, line in enumerate(lines, 1):
        inside = inside != line.startswith("```")
        if not inside and not line.startswith("```"):
            yield number, line


def paragraphs(lines):
    """Yields the paragraphs, list items and rows of tables of a document."""
    block, first, last = [], 0, 0
    for number, line in [*outside_of_code(lines), (len(lines) + 2, "")]:
        starts = not line.strip() or re.match(r"\s*([*-]|\d+\.) |\s*[|#<]", line) or number != last + 1
        if block and (starts or block[0].startswith("#")):
            yield first, " ".join(block)
            block = []
        if line.strip():
            first = first if block else number
            block.append(line.strip())
        last = number
