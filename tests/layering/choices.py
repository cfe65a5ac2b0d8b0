# SPDX-License-Identifier: Apache-2.0
"""choices.py ROOT: choices are compared as enumerators, and a switch over a choice handles each enumerator.

A choice is an enumeration with a table `namesOf(ENUM)`, or one of OTHERS. Counts comparisons with string literals that
are names in those tables, outside engine/config and the codecs of ALLOWED, and `default:` in switches over choices:
with it the compiler would not report the places that a new enumerator needs (-Werror=switch).
"""
import pathlib
import re
import sys

from class_sizes import closing

# Enumerations whose names are in another form of table.
OTHERS = {"Phase", "LayerKind", "SamplerKind", "Severity"}
# Files and the words that they may compare, each with its reason. An entry that is not needed is a violation too.
ALLOWED = {
    "engine/launch/wire/greeting.cpp": ({"stop"}, "codec: kind of a line between hosts"),
    "engine/run/read/metrics_reader.cpp": ({"loss", "step", "steps"}, "codec: keys of metrics.jsonl"),
    "engine/run/record/reopened_record.cpp": ({"step"}, "codec: kind of a line of metrics.jsonl"),
    "engine/sampling/query/plan_query_parser.cpp": ({"class", "rank", "step"}, "codec: search terms"),
    "engine/watch/findings/gradient_checks.cpp": ({"ddp"}, "codec: kind in a script's facts"),
    "engine/watch/findings/process_checks.cpp": ({"ddp"}, "codec: kind in a script's facts"),
    "engine/watch/findings/replica_groups.cpp": ({"ddp"}, "codec: kind in a script's facts"),
    "engine/watch/seen/seen_experiment.cpp": ({"ddp", "pipeline"}, "codec: words of a script's facts"),
    "ui/cluster/classroom_process.cpp": ({"class", "over"}, "codec: lines of `ringsidectl host --lines`"),
    "ui/cluster/invite_dialog.cpp": ({"rank", "running"}, "codec: lines of `ringsidectl host --lines`"),
    "ui/cluster/join_dialog.cpp": ({"data", "news", "rank"}, "codec: lines of `ringsidectl join --lines`"),
    "ui/models/watched_script.cpp": ({"ddp"}, "codec: kind in a script's facts"),
    "ui/training/logged_panel.cpp": ({"loss"}, "tag of a scalar that a script logs"),
    "ui/watch/finding_row.cpp": ({"epochs", "rank", "step"}, "codec: keys of a finding's evidence"),
    "ui/strategy/page/strategy_page.cpp": ({"layers"}, "name of a view of the page"),
    "engine/run/classroom/classroom_run.cpp": ({"stop"}, "a word that the host types"),
    "app/ringsidectl/plan/plan_answers.cpp": ({"padded"}, "codec: flag in the JSON answer"),
    "app/ringsidectl/plan/plan_sample_history.cpp": ({"padded"}, "codec: flag in the JSON answer"),
    "app/worker/cuda_worker_devices.cpp": ({"off"}, "value of an environment variable"),
}

TABLE = re.compile(r"namesOf\((\w+)\)\s*\{\s*return\s*\{([^}]*)\}")
LITERAL = r'(?:QStringLiteral\(|QLatin1String\(|QLatin1StringView\(|std::string_view\(|std::string\()?"([^"\\\n]*)"'
COMPARISON = re.compile(rf'[!=]=\s*{LITERAL}|"([^"\\\n]*)"\s*[!=]=')
COMMENT = re.compile(r'//[^\n]*|"(?:\\.|[^"\\\n])*"')


def tables(text):
    """Returns {enumeration: names} of each table in the text."""
    return {name: set(re.findall(r'"([^"]*)"', words)) for name, words in TABLE.findall(text)}


def without_comments(text):
    return COMMENT.sub(lambda found: found.group() if found.group()[0] == '"' else "", text)


def comparisons(text, names):
    """Returns (line, word) of each comparison with a literal that is a name of a choice."""
    text = without_comments(text)
    for found in COMPARISON.finditer(text):
        word = found.group(1) if found.group(1) is not None else found.group(2)
        if word in names:
            yield text.count("\n", 0, found.start()) + 1, word


def defaults(text, choices):
    """Returns (line, enumeration) of each switch over a choice that has a default."""
    text = without_comments(text)
    for found in re.finditer(r"\bswitch \(", text):
        start = text.find("{", found.end())
        body = text[start:closing(text, start)]
        first = re.search(r"\bcase (?:\w+::)*?(\w+)::k\w+:", body)
        if first and first.group(1) in choices and re.search(r"\bdefault:", body):
            yield text.count("\n", 0, found.start()) + 1, first.group(1)


def complaints(files, allowed):
    """Returns one line for each violation in the files, a list of (path, text), and for each entry of ALLOWED that is
    not needed.
    """
    names, choices, met = set(), set(OTHERS), set()
    for _, text in files:
        for choice, words in tables(text).items():
            choices.add(choice)
            names |= words
    names.discard("")
    for path, text in files:
        if path.startswith("engine/config/"):
            continue
        for line, word in comparisons(text, names):
            if word in allowed.get(path, ((), ""))[0]:
                met.add((path, word))
            else:
                yield f'{path}:{line}: compares with the literal "{word}", a name of a choice: compare enumerators'
        for line, choice in defaults(text, choices):
            yield f"{path}:{line}: default in a switch over {choice}: list the enumerators"
    for path, (words, _) in allowed.items():
        for word in words:
            if (path, word) not in met:
                yield f'ALLOWED: {path} does not compare with "{word}"; remove it from the list'


def main(root):
    files = [(file.relative_to(root).as_posix(), file.read_text(encoding="utf-8"))
             for folder in ("engine", "ui", "app") for file in sorted((root / folder).rglob("*"))
             if file.suffix in (".h", ".cpp")]
    found = list(complaints(files, ALLOWED))
    print("\n".join(found))
    print(f"{len(files)} files read, {len(found)} complaints")
    return 1 if found or len(files) < 1000 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
