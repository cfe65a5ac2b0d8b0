# SPDX-License-Identifier: Apache-2.0
"""class_sizes.py ROOT: no class has more than 30 members or 40 methods, except those of EXCEPTIONS.

Counts the declarations in each `class` body of engine/, ui/ and app/: overloads, operators and inline methods count;
constructors, destructors, deleted and defaulted functions, nested types and friends do not. `struct`s are plain data.
"""
import pathlib
import re
import sys

MOST_MEMBERS, MOST_METHODS = 30, 40
# (members, methods) that a class may have, each with its reason. When a class becomes smaller, remove its entry.
EXCEPTIONS = {
    # Each kernel is a method, which both devices implement.
    "Backend": (30, 59, "one method for each kernel, and the devices of one process"),
    "CpuBackend": (30, 52, "one method for each kernel, and the devices of one process"),
    "CudaBackend": (30, 64, "one method for each kernel, and lists of kernels"),
    # The interface has 35 methods: each collective blocking and asynchronous, messages, recording and counters.
    "GlooCommunicator": (30, 44, "implements Communicator"),
    "HierarchicalCommunicator": (30, 45, "implements Communicator"),
    "NcclCommunicator": (30, 43, "implements Communicator"),
}

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|R"\((?:.|\n)*?\)"|^[ \t]*#[^\n]*(?:\\\n[^\n]*)*', re.S | re.M)
HEAD = re.compile(r"(?<!enum )\bclass\s+(?:[A-Z_]+\s+)?(\w+)(?:\s+final)?\s*(?::[^;{]*)?\{")
ACCESS = re.compile(r"\b(?:public|private|protected)(?:\s+slots|\s+Q_SLOTS)?\s*:(?!:)|\b(?:signals|Q_SIGNALS)\s*:|\bQ_\w+(?:\([^)]*\))?")
SKIPPED = re.compile(r"^(?:class|struct|enum|union|using|typedef|friend|static_assert|static\s+constexpr|static\s+inline\s+constexpr|inline\s+static\s+constexpr|constexpr\s+static)\b")


def blank(text):
    """Returns the text without comments, strings and directives."""
    return TOKEN.sub(lambda found: '""' if found.group()[0] == '"' else " ", text)


def closing(text, at):
    """Returns the position after the bracket that closes the one at `at`."""
    depth = 0
    for place in range(at, len(text)):
        depth += text[place] in "{(["
        depth -= text[place] in "})]"
        if depth == 0:
            return place + 1
    return len(text)


def declarations(body):
    """Returns the declarations of a class body, without the bodies of functions and without initialisers."""
    found, start, at = [], 0, 0
    while at < len(body):
        if body[at] == "(" or body[at] == "[":
            at = closing(body, at)
        elif body[at] == "{":
            head = body[start:at]
            at = closing(body, at)
            rest = re.match(r"\s*[;,]", body[at:])
            is_function = "(" in strip_templates(head) and not re.search(r"=\s*$", head)
            is_constructor = is_function and re.search(r"\)\s*(?:noexcept)?\s*:(?!:)[^{]*$", head)
            if is_function and not rest or (is_constructor and not rest):
                found.append(head)
                start = at
        elif body[at] == ";":
            found.append(body[start:at])
            at += 1
            start = at
        else:
            at += 1
    return found


def strip_templates(text):
    """Returns the text without the parts between angle brackets."""
    before = None
    while before != text:
        before, text = text, re.sub(r"<[^<>()]*(?:\([^()]*\))?[^<>()]*>", "", text)
    return text


def count(name, body):
    members = methods = 0
    for declaration in declarations(ACCESS.sub(" ", body)):
        text = " ".join(strip_templates(re.sub(r"\[\[[^\]]*\]\]|\balignas\([^)]*\)", " ", declaration)).split())
        text = re.sub(r"^template ", "", text)
        if not text or SKIPPED.match(text):
            continue
        plain = re.sub(r"\{.*\}", "", text)
        opening = plain.find("(")
        assigned = plain.find("=")
        if opening >= 0 and (assigned < 0 or opening < assigned or "operator" in plain):
            if re.search(rf"(?:^|\s|explicit )~?{name} ?\(", plain[:opening + 1]) or re.search(r"=\s*(?:delete|default)$", plain):
                continue
            methods += 1
        else:
            members += 1 + re.sub(r"=[^,]*", "", re.sub(r"\{[^}]*\}", "", plain)).count(",")
    return members, methods


def classes(text):
    """Returns (name, members, methods) of each class in the text, including nested ones."""
    text = blank(text)
    for head in HEAD.finditer(text):
        end = closing(text, head.end() - 1)
        yield (head.group(1), *count(head.group(1), text[head.end():end - 1]))


def complaints(sizes, exceptions):
    """Returns one line for each (path, name, members, methods) above the limits, and for each exception that is not
    needed.
    """
    met = set()
    for path, name, members, methods in sizes:
        most_members, most_methods, _ = exceptions.get(name, (MOST_MEMBERS, MOST_METHODS, ""))
        if members > MOST_MEMBERS or methods > MOST_METHODS:
            met.add(name)
        if members > most_members or methods > most_methods:
            yield f"{path}: {name} has {members} members and {methods} methods; at most {most_members} and {most_methods}"
    for name in exceptions.keys() - met:
        yield f"EXCEPTIONS: {name} is within the limits; remove it from the list"


def main(root):
    sizes = [(file.relative_to(root).as_posix(), *one) for folder in ("engine", "ui", "app")
             for file in sorted((root / folder).rglob("*.h")) + sorted((root / folder).rglob("*.cpp"))
             for one in classes(file.read_text(encoding="utf-8"))]
    found = list(complaints(sizes, EXCEPTIONS))
    print("\n".join(found))
    print(f"{len(sizes)} classes counted, {len(found)} complaints")
    return 1 if found or len(sizes) < 400 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
