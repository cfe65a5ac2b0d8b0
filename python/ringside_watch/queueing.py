# SPDX-License-Identifier: Apache-2.0
"""Reads for how long a training thread was runnable but had no CPU.

Linux counts this time for each thread in /proc/thread-self/schedstat: "12345 678 9" are the CPU time and the queued
time in nanoseconds, and the number of time slices.
"""
import os
import threading

PATH = "/proc/thread-self/schedstat"
MAX_THREADS = 8

_files = {}  # (process, thread) -> descriptor of the thread's file; -1 if it cannot be read


def stamp():
    """Returns the content of the calling thread's file schedstat, or None if the file cannot be read. Costs one system
    call.
    """
    thread = (os.getpid(), threading.get_ident())
    file = _files.get(thread)
    if file is None:
        if len(_files) >= MAX_THREADS:
            return None
        file = _files[thread] = _open()
    if file < 0:
        return None
    try:
        return os.pread(file, 96, 0)
    except OSError:
        _files[thread] = -1  # the script has closed the file descriptor, and its number may now belong to another file
        return None


def _open():
    try:
        return os.open(PATH, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1


def queued_ns_between(begin, end):
    """Returns the queued nanoseconds between two stamps; -1 if one of them is missing or not readable."""
    first, last = _nanoseconds(begin), _nanoseconds(end)
    return last - first if first is not None and last is not None and last >= first else -1


def _nanoseconds(content):
    words = content.split() if content else []
    return int(words[1]) if len(words) == 3 and words[1].isdigit() else None
