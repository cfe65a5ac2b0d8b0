# SPDX-License-Identifier: Apache-2.0
"""Queue of observations from the hooks to the sender thread.

Hooks run in the threads of the script. A hook appends one small tuple, (kind, ...), to the queue and returns. The
sender thread turns the tuples into telemetry. Times are nanoseconds of CLOCK_MONOTONIC.
"""
import collections

LIMIT = 50000  # observations; beyond it they are dropped and counted

QUEUE = collections.deque()


class Watching:
    """State of this process that hooks read."""

    on = False  # hooks observe only while it is true
    dropped = 0  # observations that did not fit into the queue
    inside = None  # (operation, group, number, peer, begin) of the explicit collective or message in progress
    phase = "idle"  # of the training thread, a phase name of telemetry
    on_training = None  # called at the first backward pass or optimizer step


def note(*item):
    """Queues one observation. Never blocks."""
    if len(QUEUE) >= LIMIT:
        Watching.dropped += 1
        return
    QUEUE.append(item)


def clear():
    """Forgets all observations. In a forked child, a thread of the parent may have been using the old queue."""
    global QUEUE
    QUEUE = collections.deque()
    Watching.dropped = 0
    Watching.inside = None
    Watching.phase = "idle"
