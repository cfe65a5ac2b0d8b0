# SPDX-License-Identifier: Apache-2.0
"""Comments, declarations and messages of one source file, as a reader meets them.

comments(path, text), declarations(path, text) and messages(path, text) return lists of strings. A whole-line comment
is returned without its code. A comment at the end of a line is returned with that line, and a declaration with the
name of its class.
"""
import ast
import re

import problem_texts

LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
RAW = re.compile(r'R"\((.*?)\)"', re.S)
COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*')
IGNORED = ("SPDX", "NOLINT", "clang-format", "#!/")
VALUE = r'(\([^()";{}]*(?:"[^"]*"[^()";{}]*)+\)|[^";{}]{1,120}?)'
JOINED = re.compile(rf'\s*(?:\+\s*{VALUE}\s*\+\s*)?(?=")')
VIEW = r'\{QStringLiteral\("\w+"\), tr\("[^"]*"\), tr\($'  # view of a page: name, title and search words
NOT_FOR_USERS = re.compile(
    rf'#\s*include|static_assert|RINGSIDE_ASSERT|setSynonyms|QStringLiteral\("\w+\.md"\)|{VIEW}')
ARGUMENT = re.compile(r'(\b(?:counted|textOf|numberOf)\([^;"]*?, )"([\w ]+)"')  # call that is part of a joined text
WORD = re.compile(r"(?:(?<=\s)|^)[A-Za-z]+(?=[\s,;:.!?)]|$)")
TYPE = re.compile(r"^(?:class|struct|enum class|enum)\s+(?:RINGSIDE_\w+\s+)?(\w+)[^;]*$")
FUNCTION = re.compile(r"^\s*(?!return\b|throw\b|using\b|friend\b|#|else\b|if\b|for\b)[\w:<>,&*~\[\]\s]+[\s&*~](\w+)\(")


def quoted(line):
    return LITERAL.sub(lambda match: "_" * len(match.group(0)), line)


def comments(path, text):
    found = docstrings(text) if path.endswith(".py") else []
    mark = "#" if path.endswith(".py") else "//"
    block, column, code = [], -1, ""
    for line in text.split("\n") + [""]:
        at = quoted(line).find(mark)
        if at >= 0 and at == column and not line[:at].strip():
            block.append(line[at:].lstrip("#/ "))
            continue
        if block:
            found.append((f"`{code}` " if code else "") + mark + " " + " ".join(block))
        block, column = ([line[at:].lstrip("#/ ")], at) if at >= 0 else ([], -1)
        code = line[:at].strip() if at >= 0 else ""
        if code.startswith("}") or code.startswith("#"):
            block, column = [], -1
    return [each for each in found if not any(word in each for word in IGNORED)]


def docstrings(text):
    kinds = (ast.Module, ast.FunctionDef, ast.ClassDef)
    texts = [ast.get_docstring(node) for node in ast.walk(ast.parse(text)) if isinstance(node, kinds)]
    return ['""" ' + " ".join(each.split()) for each in texts if each]


def declarations(path, text):
    lines = [line if path.endswith(".py") else quoted(line).split("//")[0].rstrip() for line in text.split("\n")]
    return python_declarations(lines) if path.endswith(".py") else header_declarations(lines)


def header_declarations(lines):
    found, owner, i = [], "", 0
    while i < len(lines):
        line, start = lines[i], i
        i += 1
        kind = TYPE.match(line)
        if kind:
            owner = kind.group(1)
            found.append(line.rstrip(" {"))
        elif line.startswith("}"):
            owner = ""
        elif FUNCTION.match(line):
            while not re.search(r"[;{}]", lines[i - 1]) and i < min(len(lines), start + 8):
                i += 1
            whole = re.split(r"\s*\{| :\s", " ".join(each.strip() for each in lines[start:i]))[0]
            if not re.search(r"= (delete|default)|\boperator\b", whole):
                found.append((owner + ": " if owner else "") + whole.rstrip(";"))
    return found


def python_declarations(lines):
    found, owner = [], ""
    for line in lines:
        words = line.strip().rstrip(":")
        if words.startswith("class "):
            owner = words.split()[1].split("(")[0]
            found.append(words)
        elif words.startswith("def ") and not words.startswith("def __"):
            found.append((owner + ": " if owner and line[0] == " " else "") + words)
        elif line[:1].strip() and not line.startswith(("@", ")")):
            owner = ""
    return found


def shown(expression):
    expression = expression and expression.strip(" :?\n")
    whole = expression and expression.strip() and expression.count("(") == expression.count(")")
    return f"<{' '.join(expression.split())}>" if whole else ""


def operand(code, stops):
    """Returns the part of the code up to the first of the stops that is not inside brackets."""
    depth = 0
    for at, letter in enumerate(code):
        depth += (letter in "([") - (letter in ")]")
        if depth < 0 or letter in '";{}' or (depth == 0 and letter in stops):
            return code[:at]
    return code


def before(code, at):
    """Returns the expression in front of '+ "text"', read backwards."""
    match = re.search(r"\s*\+\s*$", code[max(0, at - 200):at])
    if not match:
        return ""
    mirrored = code[max(0, at - 200):at][:match.start()][::-1].translate(str.maketrans("()[]", ")(]["))
    found = operand(mirrored, "=,?:+<" if "::" not in mirrored[:80] else "=,?+<")
    return re.split(r"\breturn\b", found[::-1].translate(str.maketrans("()[]", ")(][")))[-1]


def after(code, at):
    match = re.compile(r"\s*\+\s*(?!\()").match(code, at)
    return operand(code[match.end():match.end() + 200], ",?+") if match else ""


def messages(path, text):
    """Texts of three words or more. An expression that is joined to a literal is shown as <expression>, and a Problem
    as one text.

    Search words of commands and views, and headings of documents, are left out, because the program does not show them.
    """
    if path.startswith("engine/export/") and "/pytorch_" in path:
        return []  # parts of the exported script
    mark = re.compile(r"#.*") if path.endswith(".py") else COMMENT
    if path.endswith(".py"):
        text = re.sub(r'""".*?"""', "", text, flags=re.S)
    code = mark.sub(lambda match: match.group(0) if match.group(0)[0] == '"' else "", text)
    code = RAW.sub(lambda match: '"' + match.group(1).replace('"', "'").replace("\n", "\\n") + '"', code)
    code = ARGUMENT.sub(r"\1'\2'", code)
    found, code = ([], code) if path.endswith(".py") else problem_texts.take(code)
    at = 0
    while match := LITERAL.search(code, at):
        words, start, at = match.group(1), match.start(), match.end()
        begin = max(code.rfind(";", 0, start), code.rfind("\n", 0, start))
        while gap := JOINED.match(code, at):
            joined = LITERAL.match(code, gap.end())
            if not joined:
                break
            words += shown(gap.group(1)) + joined.group(1)
            at = joined.end()
        if len(WORD.findall(re.sub(r"<.*?>", " ", words))) >= 3 and not NOT_FOR_USERS.search(code[begin + 1:start]):
            found.append('"' + shown(before(code, start)) + words + shown(after(code, at)) + '"')
    return found
