# SPDX-License-Identifier: Apache-2.0
"""python -m ringside_watch SCRIPT [ARGUMENTS]: runs a script and reports what it does."""
import os
import runpy
import sys

USAGE = "usage: python -m ringside_watch SCRIPT [ARGUMENTS]\n       python -m ringside_watch -m MODULE [ARGUMENTS]\n"


def main():
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        sys.stderr.write(USAGE)
        return 0 if arguments else 2
    if arguments[0] == "-m":
        if len(arguments) < 2:
            sys.stderr.write(USAGE)
            return 2
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        return 0
    if not os.path.exists(arguments[0]):
        sys.stderr.write("ringside_watch: there is no script %s\n" % arguments[0])
        return 2
    sys.argv = arguments
    sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
    runpy.run_path(arguments[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
