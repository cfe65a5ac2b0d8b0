# SPDX-License-Identifier: Apache-2.0
"""documents_test.py ROOT BIN: checks the commands in README, CONTRIBUTING and docs/.

Commands of `ringsidectl` in code blocks run as printed, each in a copy of a folder that contains the files which the
documents name. The lines printed below a command after "$ " must be its output. Commands that need another computer, a
live run, a launcher or minutes are not run, and neither are commands in the text. Of those, the subcommand and options
of Ringside's programs must be in their help, options of scripts in the script, and named files must exist.
"""
import concurrent.futures
import functools
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT, BIN = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
PROGRAMS = ("ringsidectl", "ringside-worker", "ringside")
TOOLS = ("cmake", "ninja", "ctest", "torchrun", "srun", "mpirun", "mpiexec", "python3", "source", "export")
COMMAND = re.compile(rf"({'|'.join(PROGRAMS + TOOLS)}) [-<a-zA-Z]|\./\w|(tests|packaging|build)/[\w/]+( |$)")
NOT_RUN = ("host", "join", "watch", "control", "sweep")  # other computers, PyTorch, a live run, minutes
ELSEWHERE = re.compile(r"--hosts|device=cuda")  # other hosts, a GPU
OPTION = re.compile(r"(?<![\w-])--[a-z][-a-z]*")
IN_TREE = re.compile(r"(?:tests|packaging|resources|docs|engine)/[\w./-]+")
COMMAND_LIMIT = 240  # seconds, for a computer that is busy with other tests
AT_ONCE = 3  # commands; most of them wait for the start of their processes


def documents():
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def split(text):
    """Returns the lines of all code blocks, and the text outside of them."""
    blocks, prose, inside = [], [], False
    for line in text.split("\n"):
        if line.strip().startswith("```"):
            inside = not inside
            blocks.append("")
        else:
            (blocks if inside else prose).append(line)
    return blocks, "\n".join(prose)


def commands(text):
    """Yields each command as (line, True if it is in a code block, expected output or None)."""
    blocks, prose = split(text)
    found = [(line, True, printed_below(blocks, i)) for i, line in enumerate(blocks)]
    found += [(span.replace("\n", " "), False, None) for span in re.findall(r"`([^`]+)`", prose)]
    for line, complete, output in found:
        line = re.sub(r"\s+#\s.*$", "", line.strip().removeprefix("$ "))
        if COMMAND.match(line):
            yield line, complete, output


def printed_below(lines, index):
    if not lines[index].startswith("$ "):
        return None
    below = lines[index + 1:]
    return "\n".join(below[:below.index("")])


@functools.cache
def help_of(program, *subcommand):
    done = subprocess.run([BIN / program, *subcommand, "--help"], capture_output=True, text=True,
                          timeout=COMMAND_LIMIT)
    return done.stdout + done.stderr if done.returncode == 0 else None


@functools.cache
def presets():
    return {preset["name"] for preset in json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]}


def missing_option(line, text, owner):
    for option in OPTION.findall(line):
        if not re.search(rf"{option}(?![-\w])", text):
            return f"{owner} has no option {option}"
    return None


def program_problem(words):
    """Returns the problem of a command of Ringside's programs. A command after -- belongs to another program."""
    own = words[:words.index("--")] if "--" in words else words
    name = own[0]
    if not (BIN / name).exists():
        return None  # this build has no window
    subcommand = [own[1]] if name == "ringsidectl" and len(own) > 1 and not own[1].startswith("-") else []
    text = help_of(name, *subcommand)
    if text is None or (subcommand and not re.search(rf"^  {subcommand[0]}\b", help_of(name), re.M)):
        return f"{' '.join([name, *subcommand])} is not a command"
    return missing_option(" ".join(own), text, f"the help of {' '.join([name, *subcommand])}")


def tree_problem(line, words):
    """Returns the problem of a command that names presets, scripts or files of the source tree."""
    named = re.findall(r"\bbuild/([\w-]+)", line) + re.findall(r"--preset[ =]([\w-]+)", line)
    for preset in named:
        if preset not in presets():
            return f"CMakePresets.json has no {preset}"
    for file in re.findall(r"\bbuild/[\w-]+/([\w./-]+)", line):
        if not (BIN.parent / file).exists():
            return f"the build has no {file}"
    for file in IN_TREE.findall(re.sub(r"build/[\w./-]+", "", line)):
        if not (ROOT / file).exists():
            return f"{file} does not exist"
    script = next((ROOT / word for word in words[:2] if word.startswith(("./", "tests/", "packaging/"))), None)
    if script is None:
        return None
    if not script.exists():
        return f"{script} does not exist"
    return missing_option(line, script.read_text(encoding="utf-8"), words[0]) if script.is_file() else None


def problem(line, exported_script):
    try:
        words = shlex.split(re.sub(r"<\(|\)$", " ", line).replace("...", "DIR"))
    except ValueError as error:
        return f"no shell reads it: {error}"
    own = next((i for i, word in enumerate(words) if word in PROGRAMS), None)
    if own is not None:
        why = program_problem(words[own:])
    elif "train.py" in words:
        rest = " ".join(words[words.index("train.py"):])
        why = missing_option(rest, exported_script, "the exported script")
    else:
        why = None
    return why or tree_problem(line, words)


def can_run(line):
    words = re.sub(r"^source <\(", "", line).split()
    return words[0] == "ringsidectl" and words[1] not in NOT_RUN and not ELSEWHERE.search(line)


def shell(line, folder):
    """Runs a command of a document. Its data directories are in the folder as well."""
    home = {"HOME": str(folder), "XDG_DATA_HOME": str(folder / ".data"), "XDG_STATE_HOME": str(folder / ".state"),
            "XDG_CACHE_HOME": str(folder / ".cache"), "XDG_CONFIG_HOME": str(folder / ".config")}
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True, cwd=folder, timeout=COMMAND_LIMIT,
                          stdin=subprocess.DEVNULL,
                          env={**os.environ, **home, "PATH": f"{BIN}:{os.environ['PATH']}"})


def prepare(folder):
    """Makes the files and runs that the documents name."""
    (folder / "table.csv").write_text("x,y,class\n" + "".join(f"{i},{i * 7 % 31},{i % 3}\n" for i in range(150)))
    for line in ("ringsidectl config --defaults > my.json", "ringsidectl export my.json -o train.py",
                 "ringsidectl run --set training.max_steps=60 --out runs/first",
                 "cp runs/first/checkpoints/*/model.safetensors .", "cp -r runs/first runs/slow"):
        done = shell(line, folder)
        if done.returncode != 0:
            sys.exit(f"{line}: exit code {done.returncode}: {done.stderr.strip()[-300:]}")
    # The run ended after 60 steps. Without this limit it has the experiment of a run that a user has stopped.
    config = folder / "runs/first/config.json"
    experiment = json.loads(config.read_text())
    experiment["training"]["max_steps"] = 0
    config.write_text(json.dumps(experiment))


def run(line, output, prepared):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "run"
        shutil.copytree(prepared, folder)
        try:
            sourced = re.sub(r"^source <\((.*)\)$", r"\1", line)  # bash ignores a failure inside <( )
            done = shell(sourced.replace("runs/...", "runs/first"), folder)
        except subprocess.TimeoutExpired:
            return f"still running after {COMMAND_LIMIT} s"
    if done.returncode != 0:
        return f"exit code {done.returncode}: {done.stderr.strip()[-300:]}"
    if output is not None and done.stdout.strip() != output.strip():
        return f"prints {done.stdout.strip()[:300]}"
    return None


def unknown_experiment(line, text):
    """Returns the problem of a document that makes an experiment file and then uses one of another name."""
    made = re.findall(r"^ringsidectl config [^#\n]*> (\S+)", text, re.M)
    used = re.match(r"ringsidectl (?:run|host|plan|strategies) (\S+\.json)", line)
    return f"the document makes {' and '.join(made)}" if made and used and used[1] not in made else None


def check(prepared, pool):
    """Returns (document, command, problem) of all commands, and the same with a future problem of those that run."""
    exported_script = (prepared / "train.py").read_text(encoding="utf-8")
    checked, started = [], []
    for path in documents():
        text = path.read_text(encoding="utf-8")
        for line, complete, output in dict.fromkeys(commands(text)):
            why = problem(line, exported_script) or unknown_experiment(line, text)
            checked.append((path, line, why))
            if not why and complete and can_run(line):
                started.append((path, line, pool.submit(run, line, output, prepared)))
    return checked, started


def main():
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        prepared = pathlib.Path(name)
        prepare(prepared)
        checked, started = check(prepared, pool)
        problems = checked + [(path, line, future.result()) for path, line, future in started]
    wrong = [f"{path.relative_to(ROOT)}: {line}: {why}" for path, line, why in problems if why]
    print("\n".join([*wrong, f"{len(checked)} commands checked, {len(started)} of them run, {len(wrong)} wrong"]))
    return 1 if wrong or not started else 0


if __name__ == "__main__":
    sys.exit(main())
