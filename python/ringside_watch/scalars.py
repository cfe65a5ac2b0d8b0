# SPDX-License-Identifier: Apache-2.0
"""Reads scalar tensors without making the script wait for a device."""
import collections
import time

SETTLE_SECONDS = 1.0  # longest wait at the end of the process for numbers that are still on a device
NOT_KNOWN = object()  # value of a Deferred whose number has not arrived at the end of the process


class Deferred:
    """A number, or a list of numbers, that is copied from a device in the background.

    Only threads of the script call the device, in hooks and not while they capture a graph: a call from another thread
    would break the capture. The sender thread reads `number`.
    """

    def __init__(self, tensor, shape=()):
        import torch

        self.number = None
        self._host = torch.empty(shape, dtype=tensor.dtype, pin_memory=True)
        self._host.copy_(tensor.reshape(shape), non_blocking=True)
        self._event = torch.cuda.Event()
        self._event.record()
        _pending.append(self)

    def poll(self):
        """Returns whether the copy has arrived."""
        if self.number is None and self._event.query():
            self.number = self._host.tolist()
        return self.number is not None


_pending = collections.deque()


def has_pending():
    return bool(_pending)


def poll():
    """Reads the numbers whose copies from a device have arrived. Called by hooks after each optimizer step."""
    while _pending and not _is_capturing() and _pending[0].poll():
        _pending.popleft()


def settle():
    """Waits for at most SETTLE_SECONDS for the numbers that are still being copied from a device. Numbers that have not
    arrived by then are not known. Called at the end of the process.
    """
    deadline = time.monotonic() + SETTLE_SECONDS
    try:
        poll()
        while _pending and time.monotonic() < deadline:
            time.sleep(0.001)
            poll()
    finally:  # mark the missing numbers even after an exception, for example if the device has failed
        while _pending:
            _pending.popleft().number = NOT_KNOWN


def read(value):
    """Returns the value as a float, or as a Deferred if it is on a device; None if it is not one number."""
    if isinstance(value, (int, float)):
        return float(value)
    if type(value).__name__ == "Tensor" and value.is_cpu and value.numel() == 1 and not value.is_complex():
        return float(value.item())
    detach = getattr(value, "detach", None)
    if detach is None or type(value).__name__ in ("FakeTensor", "FunctionalTensor"):
        return None
    tensor = detach()
    if hasattr(tensor, "to_local"):  # the tensor is a DTensor, whose full_tensor() would start a collective
        tensor = tensor.to_local()
    if tensor.numel() != 1 or tensor.is_complex():
        return None
    if tensor.device.type == "cpu":
        return float(tensor)
    if tensor.device.type != "cuda" or _is_capturing():
        return None
    return Deferred(tensor)


def read_list(tensor):
    """Returns a Deferred for a list of numbers on a device, or None if it cannot be read now."""
    if tensor.device.type != "cuda" or _is_capturing():
        return None
    return Deferred(tensor, tuple(tensor.shape))


def _is_capturing():
    import torch

    return torch.cuda.is_current_stream_capturing()


def is_ready(value):
    return not isinstance(value, Deferred) or value.number is not None


def is_known(value):
    return value_of(value) is not NOT_KNOWN


def value_of(value):
    return value.number if isinstance(value, Deferred) else value
