# SPDX-License-Identifier: Apache-2.0
"""Detects when a watched process becomes a rank, forks and ends.

A process becomes a rank when it creates a process group, or at its first backward pass or optimizer step. Launchers,
loader workers and processes that only import PyTorch never do.
"""
import atexit
import os
import sys
import threading
import time

from . import guard, observations
from .observations import Watching

EXIT_SECONDS = 3.0  # longest wait at exit, for a watcher that does not read; usually the last observations take some
                    # milliseconds


class Process:
    """Identity of this process. `rank` is None until the process has become a rank."""

    rank = None
    world_size = 1
    distributed = False
    sender = None
    training_thread = 0


_hook = guard.Hook("process")


def training_begins():
    """Makes a process without a process group a rank. Its number is the one that the launcher has given, or 0."""
    Watching.on_training = None
    _hook.call(_become_by_environment)


def joins_group(rank, world_size):
    """Makes a process that has created a process group a rank."""
    become_rank(rank, world_size, True)


def become_rank_to_report_exception():
    """Makes a process that ends with an exception a rank, so that its exception is reported."""
    _become_by_environment()


def _become_by_environment():
    if Process.rank is None and not _is_loader_worker():
        become_rank(_environment_number("RANK", 0), _environment_number("WORLD_SIZE", 1), False)


def _environment_number(name, default):
    text = os.environ.get(name, "")
    return int(text) if text.isdigit() else default


def _is_loader_worker():
    worker = sys.modules.get("torch.utils.data._utils.worker")
    return worker is not None and getattr(worker, "_worker_info", None) is not None


def become_rank(rank, world_size, distributed):
    """Starts the sender thread. A second process group does not change the rank."""
    if Process.rank is not None:
        if (rank, world_size) != (Process.rank, Process.world_size) and distributed and not Process.distributed:
            observations.note("fact", time.monotonic_ns(), "process_group",
                              {"rank": rank, "world_size": world_size, "reported_rank": Process.rank})
        return
    from . import sender

    Watching.on_training = None
    Process.rank, Process.world_size, Process.distributed = rank, world_size, distributed
    Process.training_thread = threading.get_ident()
    Process.sender = sender.Sender(Process)
    Process.sender.start()
    atexit.register(finish)
    if "multiprocessing.util" in sys.modules:  # processes that multiprocessing starts never run atexit functions
        sys.modules["multiprocessing.util"].Finalize(None, finish, exitpriority=100)


def finish():
    """Sends the last observations, for at most EXIT_SECONDS. Called at the end of the process, possibly twice."""
    sender, Process.sender = Process.sender, None
    if sender is None or sender.pid != os.getpid():
        return
    from . import failures, scalars

    _hook.call(failures.note_unreported)
    if scalars.has_pending():
        _hook.call(scalars.settle)
    Watching.on = False
    try:
        sender.finish(EXIT_SECONDS)
    except Exception:
        pass


def after_fork():
    """Resets a forked child: it is no rank, has no sender, and must not send what its parent has observed."""
    sender = Process.sender
    Process.rank = Process.sender = None
    Process.world_size, Process.distributed, Watching.failed = 1, False, False
    observations.clear()
    Watching.on_training = training_begins
    if sender is not None:
        sender.close_in_child()
