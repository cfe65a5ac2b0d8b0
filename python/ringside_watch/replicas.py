# SPDX-License-Identifier: Apache-2.0
"""Checksums of parameters, buffers and optimizer state after optimizer steps.

All replicas check the same steps, because the schedule depends only on the size of the tensors. The steps 1, 2, 4, 8,
... below a number N and the multiples of N are checked. N keeps the cost of the checks below 0.1 % of the step time,
which is estimated from the size of the model.
"""
import ctypes
import hashlib
import zlib

from . import scalars

MAX_BYTES = 4 << 20  # limit of the number of bytes read of one tensor; a larger one is read in evenly spaced pieces
PIECE = 1 << 16
MAX_NAMES = 400
BYTES_PER_US = 800.0  # speed of CRC-32, in bytes per microsecond
US_PER_TENSOR = 6.0

names = {}  # id of a parameter -> its name, from data-parallel wrappers
buffers = []  # functions that return (name, tensor) of buffers that must be equal on all replicas


def steps_between_checks(tensors, total_bytes):
    """Returns the distance in steps between two checks of the replicas, a power of two."""
    cost_us = total_bytes / BYTES_PER_US + US_PER_TENSOR * tensors
    step_us = 2000.0 + total_bytes * 0.25e-3
    distance = 16
    while distance < cost_us / (0.001 * step_us):
        distance *= 2
    return distance


def is_due(step, distance):
    return step % distance == 0 if step > distance else step & (step - 1) == 0


def is_whole(tensor):
    """True for a tensor of class Tensor, Parameter or Buffer, of which each replica holds all values."""
    return type(tensor).__name__ in ("Tensor", "Parameter", "Buffer") and not tensor.is_sparse


def checksum(tensor):
    """Returns the CRC-32 of the tensor's bytes, or the integer sum of its bits on a device; None if it has no bytes."""
    if tensor.device.type != "cpu":
        return _device_checksum(tensor)
    tensor = tensor.detach()
    if not tensor.is_contiguous():
        tensor = tensor.contiguous()
    size = tensor.numel() * tensor.element_size()
    if size == 0:
        return 0
    data = memoryview((ctypes.c_char * size).from_address(tensor.data_ptr())).cast("B")
    if size <= MAX_BYTES:
        return zlib.crc32(data)
    result = zlib.crc32(data[-PIECE:])
    step = size // (MAX_BYTES // PIECE)
    for first in range(0, size - PIECE, step):
        result = zlib.crc32(data[first:first + PIECE], result)
    return result


def _device_checksum(tensor):
    import torch

    flat = tensor.detach().reshape(-1)
    if tensor.element_size() not in (2, 4):
        flat = flat.float()
    bits = flat.view(torch.int16 if flat.element_size() == 2 else torch.int32)
    bits = bits[::max(1, bits.numel() // (MAX_BYTES // 4))]
    return scalars.Deferred(bits.sum(dtype=torch.int64)) if tensor.device.type == "cuda" else 0


class Checks:
    """Schedule of the checks of one optimizer's tensors."""

    def __init__(self):
        self._distance = None

    @staticmethod
    def before(optimizer, number):
        """Returns [(name, checksum)] of the parameters before the first step."""
        return [(name, checksum(tensor)) for name, tensor in parameters_of(optimizer, number)]

    def after(self, optimizer, number, step):
        """Returns [(name, checksum)] of parameters, state and buffers if the schedule selects this step; otherwise []."""
        if self._distance is None:
            tensors = [tensor for _, tensor in parameters_of(optimizer, number)]
            self._distance = steps_between_checks(3 * len(tensors), 3 * sum(
                min(one.numel() * one.element_size(), MAX_BYTES) for one in tensors))
        if not is_due(step, self._distance):
            return []
        found = list(parameters_of(optimizer, number)) + list(state_of(optimizer, number))
        if number == 0:
            found += [pair for function in buffers for pair in function()]
        return [(name, checksum(tensor)) for name, tensor in found if is_whole(tensor)]


def parameters_of(optimizer, number):
    for group_number, group in enumerate(optimizer.param_groups):
        given = group.get("param_names") or ()
        for index, parameter in enumerate(group["params"]):
            if not is_whole(parameter):
                continue
            name = names.get(id(parameter)) or (given[index] if index < len(given) else None)
            yield name or "optimizer %d group %d parameter %d" % (number, group_number, index), parameter


def state_of(optimizer, number):
    for name, parameter in parameters_of(optimizer, number):
        for key, value in sorted(optimizer.state.get(parameter, {}).items(), key=lambda pair: str(pair[0])):
            if hasattr(value, "data_ptr") and hasattr(value, "is_sparse"):
                yield "state %s of %s" % (key, name), value


def _exact_json_number(value):
    """Returns a sum as a number that JSON readers read exactly."""
    return int(value) & 0xFFFFFFFFFFF


def combined(rank, step, checksums):
    """Returns the fields of the "replica" event: a hash over all checksums, and the first checksums by name."""
    pairs = [(name, _exact_json_number(scalars.value_of(one))) for name, one in checksums]
    sha = hashlib.sha256()
    for name, value in pairs:
        sha.update(("%s %d\n" % (name, value)).encode())
    return {"rank": rank, "step": step, "hash": sha.hexdigest()[:32], "names": [name for name, _ in pairs[:MAX_NAMES]],
            "checksums": [value for _, value in pairs[:MAX_NAMES]]}
