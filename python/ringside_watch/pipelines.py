# SPDX-License-Identifier: Apache-2.0
"""Observes the schedules of torch.distributed.pipelining."""
import time

from . import guard, observations, places

HOOK = guard.Hook("pipeline")


def patch(module):
    for name in ("PipelineScheduleSingle", "PipelineScheduleMulti"):
        kind = getattr(module, name, None)
        if kind is not None:
            guard.wrap(kind, "__init__", HOOK, after=_note_schedule_created)


def _note_schedule_created(_, args, result):
    schedule = args[0]
    stages = getattr(schedule, "_stages", None) or [getattr(schedule, "_stage", None)]
    observations.note("fact", time.monotonic_ns(), "pipeline", {
        "class": type(schedule).__qualname__, "where": places.user_line(2),
        "micro_batches": getattr(schedule, "_n_microbatches", None),
        "stages": [getattr(stage, "stage_index", None) for stage in stages if stage is not None]})
