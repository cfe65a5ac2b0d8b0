# SPDX-License-Identifier: Apache-2.0
"""Reads scalar tensors without making the script wait for a device."""
import collections


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
    """Reads the deferred numbers that have arrived. Called by hooks after each optimizer step."""
    while _pending and not _is_capturing() and _pending[0].poll():
        _pending.popleft()


def settle():
    """Gives up the deferred numbers that have not arrived. Called at the end of the process."""
    poll()
    while _pending:
        _pending.popleft().number = float("nan")


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


def value_of(value):
    return value.number if isinstance(value, Deferred) else value
