# SPDX-License-Identifier: Apache-2.0
"""draw_sample.py SEED: draws texts for a reader who has not seen the code, and prints them as a Markdown table.

From each of five folders of the product: 20 comments, 10 declarations and 20 messages. The same seed draws the same
texts as long as the sources stay the same.
"""
import pathlib
import random
import subprocess
import sys

import sample_parts

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = 5
COMMENTS, DECLARATIONS, MESSAGES = 20, 10, 20


def sources():
    """Returns the tracked sources of the product, as {folder: [path, ...]}."""
    listed = subprocess.check_output(["git", "-C", str(ROOT), "ls-files", "engine", "ui", "app", "python"], text=True)
    found = {}
    for path in listed.splitlines():
        parts = path.split("/")
        if len(parts) > 2 and path.endswith((".h", ".cpp", ".cu", ".py")):
            found.setdefault("/".join(parts[:2]), []).append(path)
    return found


def texts_of(paths):
    """Returns (file name, text) of all comments, all declarations and all messages of the files. Equal texts count
    once.
    """
    parts = ({}, {}, {})
    for path in paths:
        text = (ROOT / path).read_text(encoding="utf-8", errors="replace")
        declared = sample_parts.declarations(path, text) if path.endswith((".h", ".py")) else []
        found = (sample_parts.comments(path, text), declared, sample_parts.messages(path, text))
        for kind, texts in zip(parts, found):
            for each in texts:
                kind.setdefault(each, pathlib.PurePosixPath(path).name)
    return [[(name, each) for each, name in kind.items()] for kind in parts]


def draw(seed, sources_by_folder):
    """Returns rows (folder, file name, text): first all comments, then all declarations, then all messages."""
    dice = random.Random(seed)
    counts = (COMMENTS, DECLARATIONS, MESSAGES)
    texts = {folder: texts_of(paths) for folder, paths in sorted(sources_by_folder.items())}
    large = [folder for folder, parts in texts.items() if all(len(p) >= n for p, n in zip(parts, counts))]
    if len(large) < FOLDERS:
        sys.exit(f"only {len(large)} folders have {counts} texts, and {FOLDERS} are needed: draw fewer of each")
    chosen = dice.sample(large, FOLDERS)
    return [(folder, *row) for part, count in enumerate(counts) for folder in chosen
            for row in dice.sample(texts[folder][part], count)]


def cell(text):
    return text.replace("|", "\\|")


def main():
    if len(sys.argv) != 2 or not sys.argv[1].isdigit():
        sys.exit("usage: draw_sample.py SEED, where SEED is a whole number such as 7")
    print("| folder | file | text |\n|---|---|---|")
    for folder, name, text in draw(int(sys.argv[1]), sources()):
        print(f"| {folder} | {name} | {cell(text)} |")


if __name__ == "__main__":
    main()
