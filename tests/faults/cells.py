# SPDX-License-Identifier: Apache-2.0
"""The cells of the matrix of faults, and the outcome that each of them must have.

A new axis (a strategy, a launcher) is a field of Cell, a list below, and a part of settings().
"""
import itertools
import signal
from dataclasses import dataclass, field

TIMEOUT = 3.0           # parallel.timeout_seconds; on a busy machine, a rank can wait for a second without a fault
ABOVE, BELOW = 4.5, 1.0  # durations of stalls, in seconds: longer and shorter than the timeout
EPOCHS, STEPS = 3, 23   # epochs of the undisturbed run, and steps of one epoch
WORLD = 2

FINISHED, STOPPED, BAD, COMMUNICATION, DIED, HUNG, OURS = 0, 20, 2, 10, 12, 13, 70


@dataclass(frozen=True)
class Place:
    name: str
    hook: str      # name of the place in tests/faults/faulty_hooks.cpp
    saved: bool    # true if a complete checkpoint exists before the fault
    only: tuple = ()  # faults that can be tested at this place; empty: all


PLACES = [
    Place("rendezvous", "connecting", False),
    Place("first step", "step=1", False),
    Place("mid-epoch", f"step={STEPS + 7}", True),
    Place("checkpoint", "saving/2", True),
    # The weights are written but not yet renamed to their final name. Only rank 0 writes them.
    Place("half a checkpoint", "committing/2", True, only=("SIGKILL", "supervisor INT", "supervisor KILL", "disk full",
                                                           "directory gone", "run read-only",
                                                           "run and parent read-only")),
    Place("validation", "validating/2", True),
    Place("the end", "finished", True),  # everything is trained and saved, but the ranks have not reported it
]


@dataclass(frozen=True)
class Fault:
    name: str
    deed: str
    codes: tuple                       # possible exit codes of the run
    names_rank: bool = True            # true if the verdict must name the rank
    anyone: bool = False               # true if the fault has the same effect on any rank
    codes_at: dict = field(default_factory=dict, hash=False, compare=False)  # exit codes at places where they differ
                                                                             # from codes
    needs: str = ""                    # small disk
    said: str = ""                     # text that the verdict must contain
    at: tuple = ()                     # places at which the fault is tested; empty: all

    def codes_for(self, place):
        return self.codes_at.get(place.name, self.codes)


def dying(name, deed, said, code=DIED):
    return Fault(name, deed, (code,), said=said)


def from_supervisor(name, number):
    # At the end of the run, there is nothing to stop.
    return Fault(name, f"supervisor={int(number)}", (STOPPED,), names_rank=False, anyone=True,
                 codes_at={"the end": (FINISHED, STOPPED)})


FAULTS = [
    dying("SIGKILL", f"signal={int(signal.SIGKILL)}", "SIGKILL"),
    Fault("SIGSTOP", f"signal={int(signal.SIGSTOP)}", (HUNG,), said="hung"),
    dying("SIGTERM", f"signal={int(signal.SIGTERM)}", "SIGTERM"),
    dying("SIGSEGV", f"signal={int(signal.SIGSEGV)}", "SIGSEGV"),
    dying("SIGABRT", f"signal={int(signal.SIGABRT)}", "SIGABRT"),
    dying("exit 1", "exit=1", "exited with code 1"),
    dying("exit 0", "exit=0", "exited with code 0"),
    dying("exception", "throw", "an injected exception", OURS),
    Fault("endless loop", "loop", (HUNG,), said="hung"),
    # While a rank saves, the other ranks wait for it. At the end of the run, no rank waits.
    Fault("stall above", f"stall={ABOVE}", (HUNG,), said="hung",
          codes_at={"checkpoint": (FINISHED,), "the end": (FINISHED,)}),
    Fault("stall below", f"stall={BELOW}", (FINISHED,), names_rank=False),
    Fault("control cut", "cut", (COMMUNICATION,), said="control channel"),
    from_supervisor("supervisor INT", signal.SIGINT),
    from_supervisor("supervisor HUP x2", signal.SIGHUP),
    Fault("supervisor KILL", f"supervisor={int(signal.SIGKILL)}", (-int(signal.SIGKILL),), names_rank=False,
          anyone=True),
    # Recording ends first; a run with room for its checkpoint may finish; otherwise it reports the full disk.
    Fault("disk full", "fill-disk", (BAD, STOPPED, FINISHED), names_rank=False, anyone=True, needs="small disk"),
    Fault("file-size limit", "limit-files=16000", (BAD, STOPPED), names_rank=False, anyone=True,
          codes_at={"the end": (BAD, STOPPED, FINISHED)}),
    Fault("directory gone", "delete-run", (BAD,), names_rank=False, anyone=True),
    # Rank 0 saves the weights in another place and reports the place.
    Fault("run read-only", "read-only=1", (BAD,), names_rank=False, anyone=True, said="are saved in",
          at=("mid-epoch", "checkpoint", "half a checkpoint", "validation")),
    Fault("run and parent read-only", "read-only=2", (BAD,), names_rank=False, anyone=True, said="are saved in",
          at=("checkpoint", "half a checkpoint")),
    Fault("all frozen", "mark", (FINISHED,), names_rank=False, anyone=True),
]

RANKS = [0, 1]
TRANSPORTS = ["shm", "gloo"]
# Settings of each strategy. The other strategies than ddp are tested where they save the weights in another way.
STRATEGIES = {
    "ddp": [],
    "fsdp": ["parallel.strategy=fsdp"],
    "hsdp": ["parallel.strategy=fsdp", "parallel.world_size=4", "mesh.replicate=2"],
    "pipeline": ["parallel.strategy=pipeline"],
    "data_parallel": ["parallel.strategy=data_parallel", "parallel.world_size=1", "parallel.devices=2"],
}
LOST_PLACES = ("directory gone", "run read-only", "run and parent read-only")


@dataclass(frozen=True)
class Cell:
    fault: Fault
    place: Place
    rank: int
    transport: str
    strategy: str = "ddp"

    @property
    def name(self):
        name = f"{self.fault.name}:{self.place.name}:{self.rank}:{self.transport}"
        return name if self.strategy == "ddp" else f"{name}:{self.strategy}"

    def settings(self):
        return settings(self.transport, self.strategy)

    def variables(self):
        return {"RINGSIDE_FAULT": f"{self.fault.deed}@{self.place.hook}:{self.rank}"}


def settings(transport, strategy):
    return [f"parallel.world_size={WORLD}", f"parallel.backend={transport}", f"parallel.timeout_seconds={TIMEOUT}",
            f"training.epochs={EPOCHS}", "training.checkpoint_every=1", *STRATEGIES[strategy]]


def all_cells():
    for fault, place, rank, transport in itertools.product(FAULTS, PLACES, RANKS, TRANSPORTS):
        if (fault.anyone or place.only) and rank != 0:
            continue
        if (place.only and fault.name not in place.only) or (fault.at and place.name not in fault.at):
            continue
        yield Cell(fault, place, rank, transport)
        if fault.name in LOST_PLACES and place.name in ("checkpoint", "half a checkpoint"):
            for strategy in STRATEGIES:
                if strategy != "ddp":
                    yield Cell(fault, place, rank, transport, strategy)


# A selection that ./test has time for: one place for each fault, with the ranks and transports in turn.
def is_short(cell):
    if cell.fault.name in ("SIGSEGV", "SIGABRT", "SIGTERM", "stall below"):
        return False
    number = FAULTS.index(cell.fault)
    rank = 0 if cell.fault.anyone else number % 2
    if cell.fault.name in ("endless loop", "SIGSTOP"):
        place = "mid-epoch"
    elif cell.fault.name in LOST_PLACES:
        place = "half a checkpoint"
    else:
        anywhere = [one.name for one in PLACES if not one.only]
        place = anywhere[number % len(anywhere)]
    strategy = "ddp"
    if cell.strategy != "ddp":
        strategy = {"directory gone": "pipeline", "run read-only": "fsdp", "run and parent read-only": "hsdp"}[cell.fault.name]
    return (cell.rank == rank and cell.place.name == place and cell.transport == TRANSPORTS[number // 2 % 2]
            and cell.strategy == strategy)
