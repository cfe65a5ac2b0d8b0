# SPDX-License-Identifier: Apache-2.0
"""Builds test programs with a mutant in place of one source file.

The build folder is configured like the release build, where many files are compiled as one. For a mutant, each file of
its folder is an object of its own: the object of the mutant and those of the other files go in front of the libraries,
so that the linker takes nothing of that folder from the libraries. For a mutant in a header these are the objects of all
files of the folder that include it; a test's own file that has inlined a function of the header keeps the original.
Sources are only read; mutants are written to the build folder.
"""
import json
import pathlib
import re
import shlex
import subprocess

_COMPILER = re.compile(r"(?:.*/)?(?:g\+\+|c\+\+|clang\+\+)(?:-[0-9]+)?$")
_RULES = """builddir = mutants
rule cxx
  command = $flags -MD -MF $out.d -o $out -c $in
  depfile = $out.d
  deps = gcc
rule headers
  command = $flags -MD -MF $out.d -o $out -x c++-header $in
  depfile = $out.d
  deps = gcc
"""


class BuildError(Exception):
    """Raised if the build folder cannot be made, or if the tests fail without a mutant."""


def compile_flags(command):
    """Returns the compiler and its flags of a compile command, without input and output.

    Left out: the compiler cache, precompiled headers and warnings (a mutant may compare a value with itself). The
    optimisation becomes -O1.
    """
    words = shlex.split(command)
    words = words[next(at for at, word in enumerate(words) if _COMPILER.match(word)):]
    kept, skip = [], False
    for word, following in zip(words, words[1:] + [""]):
        if skip or word in ("-o", "-c") or (word == "-include" and "cmake_pch" in following):
            skip = not skip
        elif not re.match(r"-O|-W(?!l,)|-fpch-preprocess", word):
            kept.append(word)
    return kept + ["-O1", "-w"]


class MutantBuild:
    """A separate build folder below build/ of the source tree."""

    def __init__(self, root, prefix):
        self.root = root
        self.folder = root / "build/mutation"
        self.prefix = prefix  # words in front of each build command, such as nice
        self.rules = {}  # output: text of its build statement
        self.commands = None
        self.headers = {}  # flags: precompiled header

    def configure(self):
        if not (self.folder / "build.ninja").exists():
            self._check("cmake", "--preset", "release", "-B", str(self.folder), "-DRINGSIDE_GUI=OFF", "-DRINGSIDE_CUDA=OFF")
        entries = json.loads((self.folder / "compile_commands.json").read_text())
        self.commands = {self._source(entry): entry["command"] for entry in entries}

    @staticmethod
    def _source(entry):
        return str((pathlib.Path(entry["directory"]) / entry["file"]).resolve())

    def test_programs(self, name):
        """Returns the programs whose own tests lie in tests/NAME."""
        found = set()
        for command in self.commands.values():
            match = re.search(rf" -o tests/{name}/CMakeFiles/([\w-]+)\.dir/", command)
            if match and not match.group(1).startswith("fake_"):
                found.add(match.group(1))
        listed = subprocess.run(["ninja", "-C", str(self.folder), "-t", "targets", "all"], check=True, capture_output=True,
                                text=True).stdout
        return sorted(program for program in found if f"\ntests/{program}: " in listed)

    def build_programs(self, programs):
        if not programs:
            return
        self._check("ninja", "-C", str(self.folder), *(f"tests/{program}" for program in programs))

    def _check(self, *command):
        done = subprocess.run([*self.prefix, *command], cwd=self.root, capture_output=True, text=True)
        if done.returncode:
            raise BuildError(f"{shlex.join(command)} failed:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")

    def command_of(self, path):
        """Returns the compile command of a source file, or of the file that includes it and others. None for a file of a
        loadable module, to which no test program links.
        """
        source = str(self.root / path)
        if source in self.commands:
            command = self.commands[source]
            return None if "_EXPORTS" in command else command
        for unity, command in self.commands.items():
            if "/unity/ringside_" in unity and f'#include "{path}"\n' in pathlib.Path(unity).read_text():
                return command
        return None

    def _precompiled(self, command, flags):
        """Returns the header that the target of the command precompiles, to be compiled with these flags."""
        match = re.search(r"-include (\S*/cmake_pch\.hxx)", command)
        if not match:
            return None
        text = shlex.join(flags)
        if text not in self.headers:
            header = self.folder / "mutants" / f"headers_{len(self.headers)}.h"
            header.parent.mkdir(exist_ok=True)
            header.write_text(f'#include "{match.group(1)}"\n')
            self._rule(f"{header}.gch", "headers", header, flags)
            self.headers[text] = header
        return self.headers[text]

    def _rule(self, output, rule, source, flags, needs=""):
        text = shlex.join(flags).replace("$", "$$")
        self.rules[str(output)] = f"build {output}: {rule} {source}{needs}\n  flags = {text}\n"

    def add_object(self, path, output, source=None, headers=None):
        """Adds a compiled source file.

        source: a changed copy that is compiled in its place. headers: a folder whose headers replace those of the engine.
        """
        command = self.command_of(path)
        flags = compile_flags(command)
        header = self._precompiled(command, flags)
        needs = f" | {header}.gch" if header else ""
        if header:
            flags = [*flags, "-include", str(header)]
        if source:
            flags += ["-iquote", str((self.root / path).parent)]
        if headers:
            flags += ["-iquote", str(headers)]
        self._rule(output, "cxx", source or self.root / path, flags, needs)

    def run_rules(self, outputs):
        """Builds the outputs and returns those that compiled."""
        rules = self.folder / "mutants/rules.ninja"
        rules.write_text(_RULES + "".join(self.rules.values()))
        for output in outputs:
            output.parent.mkdir(parents=True, exist_ok=True)
        done = subprocess.run([*self.prefix, "ninja", "-C", str(self.folder), "-f", str(rules), "-k", "0",
                               *map(str, outputs)], capture_output=True, text=True)
        failed = set(re.findall(r"^FAILED: (?:\[code=\d+\] )?(\S+)", done.stdout, re.MULTILINE))
        if done.returncode and not failed:
            raise BuildError(done.stdout + done.stderr)
        self.last_output = done.stdout
        return {output for output in outputs if str(output) not in failed and output.exists()}

    def link(self, program, objects, output):
        """Links a test program with these objects in front of its own and of its libraries.

        The linker takes the first copy of a function that several objects define inline.
        """
        listed = subprocess.run(["ninja", "-C", str(self.folder), "-t", "commands", f"tests/{program}"], check=True,
                                capture_output=True, text=True).stdout
        words = shlex.split(listed.splitlines()[-1])
        begin = next(at for at, word in enumerate(words) if _COMPILER.match(word))
        words = words[begin:words.index("&&", begin)]
        words[words.index("-o") + 1] = str(output)
        words[1:1] = map(str, objects)
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True)
        if done.returncode:
            raise BuildError(f"{program} cannot be linked:\n{done.stderr[-4000:]}")
