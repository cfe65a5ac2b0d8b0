# SPDX-License-Identifier: Apache-2.0
"""Queue of observations from the hooks to the sender thread.

Hooks run in the threads of the script. A hook appends one small tuple, (kind, ...), to the queue and returns. The
sender thread turns the tuples into telemetry. Times are nanoseconds of CLOCK_MONOTONIC.
"""
import collections
import threading
import time

LIMIT = 50000  # limit of the number of queued observations; further ones are dropped and counted

QUEUE = collections.deque()


class Watching:
    """State of this process that hooks read."""

    on = False  # true while the hooks observe the script
    dropped = 0  # number of observations that did not fit into the queue
    # (operation, group, number, peer, begin) of the collective or message in progress that the script has called
    inside = None
    phase = "idle"  # phase of the training thread, by its name in telemetry
    thread = None  # identifier of the training thread; None before the first backward pass
    on_training = None  # function called at the first backward pass or optimizer step
    on_process_group = None  # function called with rank and size when the script has created a process group
    on_failure = None  # function called before an exception that ends the script is reported
    failed = False  # true if an exception ends this rank
    stamps_cpu = True  # true if the current step is traced, so that CPU times are needed
    long_steps = False  # true if every step is traced because steps are long; set by the sender thread


ALL_TRACED = 64  # number of first steps that are traced even if they are short
SPARSE = 16  # interval of traced steps: a later short step is traced if its number is a multiple of 16


def is_traced(step):
    """True if the step with this number, from 1, is traced."""
    return step <= ALL_TRACED or step % SPARSE == 0 or Watching.long_steps


def now():
    """Returns (time, CPU time of this thread or None). Reading the CPU time costs a system call."""
    return time.monotonic_ns(), time.thread_time_ns() if Watching.stamps_cpu else None


def in_training_thread():
    """True if the calling thread trains. Before the first backward pass, that is the main thread."""
    return threading.get_ident() == (Watching.thread or threading.main_thread().ident)


def note(*item):
    """Queues one observation. Never blocks."""
    if len(QUEUE) >= LIMIT:
        Watching.dropped += 1
        return
    QUEUE.append(item)


def stop():
    """Switches all hooks off, for example after the connection to the watcher was lost."""
    Watching.on = False
    clear()


def clear():
    """Removes all observations. In a forked child, a thread of the parent may have been using the old queue."""
    global QUEUE
    QUEUE = collections.deque()
    Watching.dropped = 0
    Watching.inside = None
    Watching.thread = None
    Watching.phase = "idle"
