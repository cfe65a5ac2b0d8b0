# SPDX-License-Identifier: Apache-2.0
"""Lines of the user's own code, as "train.py:48". Paths are relative to the script's folder."""
import os
import sys

_package = os.path.dirname(os.path.abspath(__file__))
_library = os.path.dirname(os.path.abspath(os.__file__))
_cache = {}


def script():
    return sys.argv[0] if getattr(sys, "argv", None) and sys.argv[0] else ""


def relative(filename):
    """Returns the path relative to the script's folder. For a file outside of this folder, returns the path below
    site-packages, or the file name alone.
    """
    path = os.path.abspath(filename)
    folder = os.path.dirname(os.path.abspath(script())) if script() else os.getcwd()
    if path.startswith(folder + os.sep):
        return path[len(folder) + 1:]
    for mark in (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep):
        if mark in path:
            return path.split(mark, 1)[1]
    return os.path.basename(path)


def is_user_code(filename):
    known = _cache.get(filename)
    if known is None:
        path = os.path.abspath(filename)
        known = _cache[filename] = not (
            filename.startswith("<") or path.startswith((_package, _library)) or "site-packages" in path
            or "dist-packages" in path)
    return known


def is_own_code(filename):
    return os.path.abspath(filename).startswith(_package)


def user_line(depth=1):
    """Returns the innermost line of the user's code on the stack, or None."""
    return user_line_from(sys._getframe(depth))


def user_line_from(frame):
    """Returns the innermost line of the user's code from this frame outwards, or None."""
    frame = user_frame(frame)
    return None if frame is None else line_in(frame)


def line_in(frame):
    return "%s:%d" % (relative(frame.f_code.co_filename), frame.f_lineno)


def user_frame(frame):
    """Returns the innermost frame of the user's code from this frame outwards, or None."""
    while frame is not None and not is_user_code(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def creating_frame(frame):
    """Returns the innermost frame of the user's code that is not in an __init__, or None. For hooks on constructors: the
    constructor of a subclass in the script is not the line that creates the object.
    """
    frame = user_frame(frame)
    while frame is not None and frame.f_code.co_name == "__init__":
        frame = user_frame(frame.f_back)
    return frame


def stack_of(frame, most=40):
    """Returns the innermost lines of a thread's stack, outermost first, without the lines of this package."""
    lines = []
    while frame is not None and len(lines) < most:
        code = frame.f_code
        if not is_own_code(code.co_filename):
            lines.append("%s:%d %s" % (relative(code.co_filename), frame.f_lineno, code.co_name))
        frame = frame.f_back
    return lines[::-1]
