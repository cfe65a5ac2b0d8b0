# SPDX-License-Identifier: Apache-2.0
"""Rules of plain technical English for comments, names, messages and documents.

complaints(path, text) returns (rule, line, excerpt) for each place in a file that breaks a rule:
  opener    a comment that starts with a relative clause or an ellipsis ("What ...", "Of ...", "Those ...")
  fragment  a comment of one to four words that ends with a full stop and has no verb ("Of the range.")
  archaic   a word that no technical writer uses ("heed", "anew", "whoever", "for ever")
  person    a machine that speaks, hears or waits to be told ("ranks are told", "nobody")
  name      a function or a member named that way (tellCost, tell, m_heedLaunchers, m_lossTold, def hear_rank)
  long line a line of a document with more than LONGEST characters
  long sentence  a sentence of a document with more than MOST_WORDS words; a colon also ends a sentence
The patterns find places that a reader has to look at; allowed.txt lists the few that are right, with the reason.
"""
import re

import places

OPENERS = ("What Who Whose Whom Where Which Why How Of As So Such Those Else Nothing Everything Nobody Somebody "
           "Anybody Whoever Whatever However That Than Anew Again Not Neither Nor Also Only Even Still Yet").split()
OPENER = re.compile(r"^(%s)\b(?! (to|is|are|be) )" % "|".join(OPENERS))
ARCHAIC = re.compile(
    r"\b(heed(s|ed)?|anew|in vain|(how|what|who|when|which)(so)?ever|for ever|alike|hence|lest|whilst|upon|as such|"
    r"thereof|therein|thus|shall|ere|amid|beforehand|so (many|much|few|long|often|far)|as (good|well) as none|"
    r"of its own accord|stands? for|comes? of|came of|be it|is to be had)\b", re.I)
PERSON = re.compile(
    r"\b(told|tells?|telling|hears?|heard|obeys?|obeyed|nobody|somebody|anybody|everybody|awaited|awaits?|says?|said|"
    r"speaks?|spoke|deals?|dealt|stands? still|gives? up on|(go|goes|went|going|gone) on|looks? at it|knows? of|"
    r"remembers?|forgets?)\b", re.I)
SPEECH = "tell|told|hear|heard|await|awaited|heed|heeded"
NAME = re.compile(
    rf"\b(?:m_)?((?:{SPEECH}|say|note|let|look)[A-Z]\w*|tell|hear|heed|heed\w+|\w*HoweverLong|goOn\w*|goesOn\w*|"
    r"giveWay\w*)(?=\()")
MEMBER = re.compile(r"\b(m_(?:\w+(?:Told|Heard|Awaited|Heeded)\w*|(?:told|heard|awaited|heeded)\w*))\b")
PYTHON_NAME = re.compile(rf"\bdef (_*(?:{SPEECH}|say|look|go_on|goes_on)(?:_\w+)?)(?=\()")
VERB = re.compile(r"\w(s|ed|ing)\b|\b(is|are|be|has|have|do|may|must|can|will)\b")
PHRASE = re.compile(r"[A-Za-z]+[ ,;:]+[A-Za-z]+[ ,;:]+[A-Za-z]+")  # three words: a text for people, not a key
IGNORED = ("SPDX", "NOLINT", "clang-format", "#!/")
LONGEST = 120  # characters in a line of a document
MOST_WORDS = 34  # in a sentence of a document
SENTENCE_END = re.compile(r"(?<=[.!?:])['\")*]*\s+(?=[A-Z`*\[(0-9_])")
LINK = re.compile(r"\]\([^)]*\)")


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


def in_names(path, code):
    for pattern in (PYTHON_NAME,) if path.endswith(".py") else (NAME, MEMBER):
        yield from pattern.findall(code)


def long_sentences(text):
    """Returns the sentences with too many words. A name in backquotes is one word."""
    cells = text.strip("|").split("|") if text.startswith("|") else [text]
    sentences = [each for cell in cells for each in SENTENCE_END.split(cell.strip())]
    return [each for each in sentences
            if len(re.findall(r"[A-Za-z0-9][\w'.\-/=]*", LINK.sub("]", re.sub(r"`[^`]*`", "X", each)))) > MOST_WORDS]


def document(lines):
    for number, text in places.paragraphs(lines):
        for rule in in_prose(re.sub(r"`[^`]*`", "", text)):
            yield rule, number, text
        for sentence in long_sentences(text):
            yield "long sentence", number, sentence
    for number, line in places.outside_of_code(lines):
        if len(line) > LONGEST and not line.lstrip().startswith("|"):  # rows of tables cannot be wrapped
            yield "long line", number, line.strip()


def complaints(path, text):
    if path.endswith((".md", ".xml", ".desktop")):
        return list(document(text.split("\n")))
    found = [(rule, number, words) for number, words in places.comments(path, text) for rule in in_comment(words)]
    for number, words in places.messages(path, text):
        if PHRASE.search(words):
            found += [(rule, number, words) for rule in in_prose(words)]
    for number, code in places.code(path, text):
        found += [("name", number, name) for name in in_names(path, code)]
    return found
