# SPDX-License-Identifier: Apache-2.0
"""install_test.py CMAKE SOURCE BUILD: installs the programs, moves the prefix, hides sources and build tree, then trains, trains under
mpirun, and draws the window. Where mount namespaces are not allowed, the trees stay visible, and the test prints this."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

cmake, source, build = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
WITH_WINDOW = (build / "bin/ringside").exists()
WITH_MPI = (build / "bin/libringside-mpi.so").exists() and shutil.which("mpirun") is not None
EXPECTED = ["bin/ringsidectl", "bin/ringside-worker", "share/ringside/examples/ten.ringside.json", "share/ringside/docs/experiments.md",
            "share/doc/ringside/README.md", "share/doc/ringside/CHANGELOG.md", "share/doc/ringside/LICENSES",
            "share/bash-completion/completions/ringsidectl", "share/zsh/site-functions/_ringsidectl"]
EXPECTED_WITH_WINDOW = ["bin/ringside", "share/applications/ringside.desktop", "share/icons/hicolor/scalable/apps/ringside.svg",
                        "share/metainfo/io.github.ringside.Ringside.metainfo.xml"]


def namespace():
    """Returns a command prefix that runs a command in a mount namespace in which the source and build trees are empty
    folders.
    """
    hide = f"mount -t tmpfs none '{source}' && (test ! -e '{build}' || mount -t tmpfs none '{build}') && cd / && exec \"$@\""
    for unshare in (["unshare", "--mount"], ["unshare", "--mount", "--map-root-user"]):
        prefix = [*unshare, "sh", "-c", hide, "sh"]
        if shutil.which("unshare") and subprocess.run([*prefix, "test", "!", "-e", source / "CMakeLists.txt"],
                                                      capture_output=True, check=False).returncode == 0:
            return prefix
    print("mount namespaces are not allowed here: source and build trees stay visible")
    return []


def run(command, **environment):
    done = subprocess.run([*PREFIX, *command], cwd="/", env={**os.environ, **environment}, capture_output=True, text=True, timeout=200,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def install(folder):
    first, prefix = folder / "first", folder / "moved" / "prefix"
    subprocess.run([cmake, "--install", build, "--prefix", first], check=True, stdout=subprocess.DEVNULL)
    prefix.parent.mkdir()
    first.rename(prefix)
    missing = [name for name in EXPECTED + (EXPECTED_WITH_WINDOW if WITH_WINDOW else []) if not (prefix / name).exists()]
    if missing:
        sys.exit(f"not installed: {', '.join(missing)}")
    return prefix


def check_trained(directory):
    summary = json.loads((directory / "summary.json").read_text())
    if summary["state"] != "finished":
        sys.exit(f"{directory} is {summary['state']}, not finished: {summary.get('verdict')}")


def check_window(prefix, folder):
    picture = folder / "window.png"
    run([prefix / "bin/ringside", "--screenshot", picture, "--size", "1440x900"], HOME=str(folder))
    if not picture.read_bytes().startswith(b"\x89PNG") or picture.stat().st_size < 20_000:
        sys.exit(f"{picture.stat().st_size} bytes were written where a picture of the window was expected")


def check_mpi(prefix, folder, experiment):
    run(["mpirun", "--oversubscribe", "--mca", "btl_vader_single_copy_mechanism", "none", "-np", "2", prefix / "bin/ringside-worker",
         experiment, "--set", "parallel.backend=mpi", "--set", "training.epochs=1", "--out", folder / "mpi"],
        OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    check_trained(folder / "mpi")
    backend = json.loads((folder / "mpi/summary.json").read_text())["backend"]
    if backend != "mpi":
        sys.exit(f"the run under mpirun used {backend}, not mpi")


def main():
    with tempfile.TemporaryDirectory(prefix="ringside-install-") as name:
        folder = pathlib.Path(name)
        prefix = install(folder)
        experiment = prefix / "share/ringside/examples/ten.ringside.json"
        run([prefix / "bin/ringsidectl", "run", experiment, "--set", "training.epochs=1", "--out", folder / "run"])
        check_trained(folder / "run")
        run(["bash", "-c", f"source '{prefix}/share/bash-completion/completions/ringsidectl' && complete -p ringsidectl"])
        if WITH_WINDOW:
            check_window(prefix, folder)
        if WITH_MPI:
            check_mpi(prefix, folder, experiment)
    print("installed, moved, trained" + (", under mpirun too" if WITH_MPI else "") + (", window drawn" if WITH_WINDOW else ""))


PREFIX = namespace()
main()
