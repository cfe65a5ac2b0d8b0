# SPDX-License-Identifier: Apache-2.0
"""Builds the "trace" event of one step: its phases in order, and its collectives.

The hooks observe waits for batches, backward passes, optimizer steps and explicit collectives. The time between them
counts as forward if a backward pass comes next, and as idle otherwise.
"""
from . import queueing

PHASES = ("connect", "data", "copy", "forward", "backward", "waiting", "moving", "optimizer", "validation",
          "checkpoint", "paused", "idle")  # same order as the C++ enumeration Phase in the engine
NUMBER = {name: number for number, name in enumerate(PHASES)}

ALL_REDUCE, BROADCAST, ALL_GATHER, REDUCE_SCATTER, BARRIER = range(5)  # values of CollectiveKind in the engine


def flatten(spans, begin, end):
    """Turns nested spans into consecutive pieces (begin, CPU time at begin, phase). The phase is None where there is no
    span. An inner span interrupts the outer one.
    """
    edges = []
    for order, (t0, c0, t1, c1, phase) in enumerate(sorted(spans, key=lambda span: (span[0], -span[2]))):
        if t1 >= begin and t0 <= end:
            edges.append((max(t0, begin), 1, order, c0, phase))
            edges.append((min(t1, end), 0, -order, c1, phase))
    edges.sort(key=lambda edge: edge[:3])
    pieces, stack = [], []
    for at, opens, order, cpu, phase in edges:
        if opens:
            stack.append((order, phase))
        else:
            stack = [one for one in stack if one[0] != -order]
        pieces.append((at, cpu, stack[-1][1] if stack else None))
    return pieces


def split_closures(spans):
    """Splits optimizer steps whose closure runs backward passes: the time after the last backward pass belongs to the
    optimizer.
    """
    result = []
    for span in spans:
        inner = [one for one in spans if one[4] == "backward" and span[0] <= one[0] and one[2] <= span[2]]
        if span[4] == "optimizer" and inner:
            last = max(inner, key=lambda one: one[2])
            result += [span[:2] + last[2:4] + ("closure",), last[2:4] + span[2:4] + ("optimizer",)]
        else:
            result.append(span)
    return result


def name_gaps(pieces):
    """Replaces the phases None and "closure" of pieces by "forward" or "idle"."""
    named, following = [], None
    for at, cpu, phase in reversed(pieces):
        if phase is None or phase == "closure":
            named.append((at, cpu, "forward" if following == "backward" else "idle"))
        else:
            named.append((at, cpu, phase))
        if phase in ("data", "backward", "optimizer"):
            following = phase
    return named[::-1]


def phases(step, begin_ns, begin_cpu):
    """Returns the pieces of the step as (nanoseconds since its begin, CPU time since its begin, phase name)."""
    pieces = [(begin_ns, begin_cpu, None)] + flatten(split_closures(step.spans), begin_ns, step.end_ns)
    result = []
    used = 0
    for at, cpu, phase in name_gaps(pieces):
        if at >= step.end_ns and result:
            break
        if cpu is not None:
            used = max(used, cpu - begin_cpu)
        piece = (at - begin_ns, used, phase)
        if result and result[-1][0] == piece[0]:
            result[-1] = piece
        elif not result or result[-1][2] != phase:
            result.append(piece)
    return result


def trace(rank, epoch, step, begin, zero_ns):
    """Returns the fields of the "trace" event. begin: (nanoseconds, CPU time, stamp of queueing.py) at the begin of the
    step.
    """
    begin_ns, begin_cpu, begin_queued = begin
    pieces = phases(step, begin_ns, begin_cpu)
    fields = {"rank": rank, "epoch": epoch, "step": step.number, "begin_ns": begin_ns - zero_ns,
              "length_ns": step.end_ns - begin_ns, "cpu_ns": max(0, step.end_cpu - begin_cpu),
              "queued_ns": queueing.queued_ns_between(begin_queued, step.end_queued)}
    if pieces:
        fields["phase"] = [NUMBER[phase] for _, _, phase in pieces]
        fields["at_ns"] = [at for at, _, _ in pieces]
        fields["used_ns"] = [used for _, used, _ in pieces]
    if step.collectives:
        fields["group"] = [one[0] for one in step.collectives]
        fields["collective"] = [one[1] for one in step.collectives]
        fields["of_kind"] = [one[2] for one in step.collectives]
        fields["bytes"] = [one[3] for one in step.collectives]
        fields["ready_ns"] = [one[4] - begin_ns for one in step.collectives]
        fields["arrived_ns"] = [one[4] - begin_ns for one in step.collectives]
        fields["last_ns"] = [-1] * len(step.collectives)
        fields["ended_ns"] = [one[5] - begin_ns for one in step.collectives]
    return fields


def duration_by_phase(fields):
    """Returns {phase number: nanoseconds} of a "trace" event with the given fields."""
    sums = {}
    starts = fields.get("at_ns", [])
    for index, at in enumerate(starts):
        until = starts[index + 1] if index + 1 < len(starts) else fields["length_ns"]
        number = fields["phase"][index]
        sums[number] = sums.get(number, 0) + until - at
    return sums
