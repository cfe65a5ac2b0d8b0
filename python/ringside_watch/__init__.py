# SPDX-License-Identifier: Apache-2.0
"""Reports what a PyTorch script does, to `ringsidectl watch`, without changing what it does.

The watch starts by itself in processes that `ringsidectl watch -- COMMAND` starts. `import ringside_watch` as the first
line of a script and `python -m ringside_watch train.py` do the same where the environment variables RINGSIDE_WATCH and
RINGSIDE_WATCH_SECRET_FILE are set. docs/watch-protocol.md describes what is sent.
"""
__version__ = "0.1.0"


def start():
    """Installs the hooks if the environment variable RINGSIDE_WATCH is set, which contains the address of a watcher.
    Returns whether it is set.
    """
    import os

    if not os.environ.get("RINGSIDE_WATCH"):
        return False
    from . import hooks

    hooks.install()
    return True


if not start():
    import sys as _sys

    if not any(_argument == "-m" for _argument in _sys.argv[:1]):
        _sys.stderr.write("ringside_watch: nothing is watched; start the script with: ringsidectl watch -- COMMAND\n")
