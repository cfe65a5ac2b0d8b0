# SPDX-License-Identifier: Apache-2.0
"""documents_test.py ROOT BIN: checks the commands in README, CONTRIBUTING and docs/.

Commands of `ringsidectl` that need nothing else (plan, config, devices) run as printed. For all others, the subcommand
and each option must be in the help of the program. Scripts of the source tree must exist.
"""
import functools
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT, BIN = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
PROGRAMS = ("ringsidectl", "ringside-worker", "ringside")
AS_PRINTED = ("plan", "config", "devices", "completion")  # commands without a run, a network or a build


def documents():
    listed = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
    return [path for path in listed if not path.name.startswith("watch-")]  # describe a protocol, not commands


def commands(text):
    """(command line, True if it is in a code block) for each that starts with a program or a script of the tree."""
    blocks = re.findall(r"^```\n(.*?)^```", text, re.M | re.S)
    lines = [(line, True) for block in blocks for line in block.split("\n")]
    prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    lines += [(span.replace("\n", " "), False) for span in re.findall(r"`([^`]+)`", prose)]
    for line, complete in lines:
        line = re.sub(r"\s+#\s.*$", "", line.strip().removeprefix("$ "))
        if re.match(r"(%s) [-a-z]|\./?\w|(tests|packaging)/[\w/]+( |$)" % "|".join(PROGRAMS), line):
            yield line, complete


@functools.cache
def help_of(program, *subcommand):
    done = subprocess.run([BIN / program, *subcommand, "--help"], capture_output=True, text=True, timeout=60)
    return done.stdout + done.stderr if done.returncode == 0 else None


def problem(line):
    try:
        words = shlex.split(line.replace("...", "DIR"))
    except ValueError as error:
        return f"no shell reads it: {error}"
    name = words[0]
    if name.startswith(("./", "tests/", "packaging/")):
        return None if (ROOT / name).exists() else f"{name} does not exist"
    if name not in PROGRAMS or not (BIN / name).exists():
        return None
    subcommand = [words[1]] if name == "ringsidectl" and not words[1].startswith("-") else []
    text = help_of(name, *subcommand)
    if text is None or (subcommand and not re.search(rf"^  {subcommand[0]}\b", help_of(name), re.M)):
        return f"{' '.join([name, *subcommand])} is not a command"
    for option in re.findall(r"(?<![\w-])--[a-z][-a-z]*", line):
        if option not in text and option != "--help":
            return f"the help of {' '.join([name, *subcommand])} has no option {option}"
    return None


def is_printable(words):
    files = any(word.endswith((".json", ".csv")) or word in ("CONFIG", "FILE", "DIR", ">") for word in words)
    return words[0] == "ringsidectl" and words[1] in AS_PRINTED and not files and "FILE" not in " ".join(words)


def run(line, folder):
    done = subprocess.run([BIN / "ringsidectl", *shlex.split(line)[1:]], capture_output=True, text=True, cwd=folder, timeout=120)
    return None if done.returncode == 0 else f"exit code {done.returncode}: {done.stderr.strip()[-300:]}"


def main():
    count, ran, failed = 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for path in documents():
            for line, complete in dict.fromkeys(commands(path.read_text(encoding="utf-8"))):
                count += 1
                why = problem(line)
                if why is None and complete and is_printable(shlex.split(line)):
                    ran += 1
                    why = run(line, folder)
                if why:
                    failed += 1
                    print(f"{path.relative_to(ROOT)}: {line}: {why}")
    print(f"{count} commands checked, {ran} of them run, {failed} wrong")
    return 1 if failed or count == 0 else 0


sys.exit(main())
