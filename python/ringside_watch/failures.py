# SPDX-License-Identifier: Apache-2.0
"""Observes exceptions that end a rank, and removes lines of this package from tracebacks."""
import os
import pickle
import re
import sys
import time
import traceback

from . import guard, observations, places
from .observations import Watching

HOOK = guard.Hook("exceptions")

_reported = []  # ids of the exceptions that were reported
_previous = []


def patch_torch(module):
    """Adds a hook before sys.excepthook once PyTorch has been imported."""
    if not _previous:
        _previous.append(sys.excepthook)
        sys.excepthook = _excepthook


def _excepthook(kind, error, trace):
    HOOK.call(report, error)
    try:
        without_own_lines(error)
        trace = error.__traceback__ if error is not None else trace
    except Exception:
        pass
    if not _is_end_of_check(kind):
        _previous[0](kind, error, trace)


def _is_end_of_check(kind):
    """True for the SignalException that torchrun raises because `ringsidectl watch --check` has ended it with a signal.
    This exception is not an error of the script.
    """
    return (os.environ.get("RINGSIDE_WATCH_CHECK") == "1" and kind.__name__ == "SignalException"
            and kind.__module__ == "torch.distributed.elastic.multiprocessing.api")


def report(error):
    """Queues facts about an exception that ends the rank, for the sender thread."""
    if id(error) in _reported or isinstance(error, (SystemExit, KeyboardInterrupt)):
        return
    if observations.QUEUE and Watching.on_failure is not None:  # QUEUE is empty in a launcher such as torchrun, which
                                                                # trains nothing and must not become a rank
        Watching.on_failure()
    _reported.append(id(error))
    Watching.failed = True
    lines = [(one.filename, one.lineno, one.name) for one in traceback.extract_tb(error.__traceback__)
             if not places.is_own_code(one.filename)]
    where = [one for one in lines if places.is_user_code(one[0])]
    note(type(error).__name__, str(error), lines, where)


def note(kind, text, lines, where):
    observations.note("fact", time.monotonic_ns(), "exception", {
        "type": kind, "text": text[:2000],
        "where": "%s:%d" % (places.relative(where[-1][0]), where[-1][1]) if where else None,
        "stack": ["%s:%d %s" % (places.relative(name), line, function) for name, line, function in lines[-40:]]})
    observations.note("log", time.monotonic_ns(), "error", "%s: %s" % (kind, text[:500]))


def note_unreported():
    """Reports, at the end of the process, an exception that a script's own excepthook has handled."""
    error = getattr(sys, "last_value", None)
    if isinstance(error, BaseException):
        report(error)


def without_own_lines(error, depth=0):
    """Removes the frames of this package from the traceback of an exception and of its causes."""
    error.__traceback__ = _cut(error.__traceback__)
    for other in (error.__cause__, error.__context__):
        if other is not None and depth < 8:
            without_own_lines(other, depth + 1)


def _cut(trace):
    while trace is not None and places.is_own_code(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    last = trace
    while last is not None:
        following = last.tb_next
        while following is not None and places.is_own_code(following.tb_frame.f_code.co_filename):
            following = following.tb_next
        last.tb_next = following
        last = following
    return trace


def patch_spawn(module):
    """Wraps the function in which torch.multiprocessing.spawn catches exceptions and writes them to a file for the
    parent.
    """
    original = module._wrap

    @guard.transparent
    def _wrap(fn, i, args, error_file):
        try:
            return original(fn, i, args, error_file)
        except SystemExit:
            if Watching.on:
                HOOK.call(_read_error_file, error_file)
            raise

    _wrap.__module__, _wrap.__qualname__, _wrap.__wrapped__ = original.__module__, "_wrap", original
    module._wrap = _wrap


def _read_error_file(error_file):
    """Reports the traceback that a spawned rank has written to its error file. Removes this package's lines from it."""
    if not isinstance(error_file, (str, os.PathLike)) or not os.path.exists(error_file):
        return
    with open(error_file, "rb") as file:
        text = pickle.load(file)  # loading is safe, because this process itself has written the file
    own = r'  File "%s[^\n]*\n(?:    [^\n]*\n)*' % re.escape(os.path.dirname(os.path.abspath(__file__)))
    cleaned = re.sub(own, "", text)
    if cleaned != text:
        with open(error_file, "wb") as file:
            pickle.dump(cleaned, file)
    Watching.failed = True
    lines = [(name, int(line), function) for name, line, function in
             re.findall(r'  File "([^"\n]+)", line (\d+), in (\S+)', cleaned)]
    last = cleaned.rstrip().splitlines()[-1] if cleaned.strip() else ""
    kind, _, message = last.partition(": ")
    note(kind, message, lines, [one for one in lines if places.is_user_code(one[0])])
