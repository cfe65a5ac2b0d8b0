# SPDX-License-Identifier: Apache-2.0
"""Rules of plain technical English for comments, names, messages and documents.

complaints(path, text) returns (rule, line, excerpt) for each place in a file that breaks a rule:
  opener    a comment that starts with a relative clause or an ellipsis ("What ...", "Of ...", "Those ...")
  fragment  a comment of one to four words that ends with a full stop and has no verb ("Of the range.")
  archaic   a word that no technical writer uses ("heed", "anew", "whoever", "for ever")
  person    a machine that speaks, hears or waits to be told ("ranks are told", "nobody")
  name      a function named that way (tellCost, heedLaunchers, lookNow)
The patterns find places that a reader has to look at; allowed.txt lists the few that are right, with the reason.
"""
import re

OPENERS = ("What Who Whose Whom Where Which Why How Of As So Such Those Else Nothing Everything Nobody Somebody Anybody "
           "Whoever Whatever However That Than Anew Again Not Neither Nor Also Only Even Still Yet").split()
OPENER = re.compile(r"^(%s)\b(?! (to|is|are|be) )" % "|".join(OPENERS))
ARCHAIC = re.compile(
    r"\b(heed(s|ed)?|anew|in vain|(how|what|who|when|which)(so)?ever|for ever|alike|hence|lest|whilst|upon|as such|"
    r"thereof|therein|thus|shall|ere|amid|beforehand|so (many|much|few|long|often|far)|as (good|well) as none|"
    r"of its own accord|stands? for|comes? of|came of|be it|is to be had)\b", re.I)
PERSON = re.compile(
    r"\b(told|tells?|telling|hears?|heard|obeys?|obeyed|nobody|somebody|anybody|everybody|awaited|awaits?|says? so|"
    r"speaks?|spoke|gives? up on|goes? on|went on|going on|gone on|looks? at it|knows? of|remembers?|forgets?)\b", re.I)
NAME = re.compile(
    r"\b(?:m_)?((?:tell|told|hear|await|say|note|let|look)[A-Z]\w*|heed\w*|\w*HoweverLong|goOn\w*|goesOn\w*|"
    r"giveWay\w*)(?=\()")
VERB = re.compile(r"\w(s|ed|ing)\b|\b(is|are|be|has|have|do|may|must|can|will)\b")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
PHRASE = re.compile(r"[A-Za-z]+[ ,;:]+[A-Za-z]+[ ,;:]+[A-Za-z]+")  # three words: a text for people, not a key
IGNORED = ("SPDX", "NOLINT", "clang-format")


def comments(lines, mark):
    """Returns (number of the first line, text) of each block of whole-line comments and of each trailing comment."""
    whole = re.compile(r"^\s*" + mark + r"+ ?(.*)$")
    trailing = re.compile(r"\S.*?\s" + mark + r" (.+)$")
    block, first = [], 0
    for number, line in enumerate(lines + [""], 1):
        match = whole.match(line)
        if match:
            first = first or number
            block.append(match.group(1))
            continue
        if block:
            yield first, " ".join(block).strip()
        block, first = [], 0
        match = trailing.search(LITERAL.sub('""', line))
        if match and not match.group(1).startswith("namespace"):
            yield number, match.group(1)


def in_prose(text):
    for rule, pattern in (("archaic", ARCHAIC), ("person", PERSON)):
        if pattern.search(text):
            yield rule


def in_comment(text):
    if any(word in text for word in IGNORED):
        return
    if OPENER.search(text):
        yield "opener"
    elif text.endswith(".") and len(text.split()) <= 4 and not VERB.search(text):
        yield "fragment"
    yield from in_prose(text)


def in_code(line):
    """Returns the names and messages of a line, without its comment."""
    for literal in LITERAL.findall(line):
        if PHRASE.search(literal):
            for rule in in_prose(literal):
                yield rule, literal
    for name in NAME.findall(LITERAL.sub('""', line)):
        yield "name", name


LONGEST = 120  # characters in a line of a document


def document(lines):
    code = False
    for number, line in enumerate(lines, 1):
        code = code != line.startswith("```")
        if not code:
            for rule in in_prose(re.sub(r"`[^`]*`", "", line)):
                yield rule, number, line.strip()
            if len(line) > LONGEST and not line.lstrip().startswith("|"):  # rows of tables cannot be wrapped
                yield "long line", number, line.strip()


def complaints(path, text):
    lines = text.split("\n")
    if path.endswith(".md"):
        return list(document(lines))
    mark = "#" if path.endswith((".py", ".cmake", ".txt")) else "//"
    found = [(rule, number, words) for number, words in comments(lines, mark) for rule in in_comment(words)]
    if mark == "//":
        for number, line in enumerate(lines, 1):
            code = re.split(r"(?<!:)//", LITERAL.sub(lambda m: m.group(0).replace("//", "::"), line))[0]
            found += [(rule, number, words) for rule, words in in_code(code)]
    return found
