# SPDX-License-Identifier: Apache-2.0
"""Reads scalar tensors without making the script wait for a device."""


class Deferred:
    """A scalar that is copied from a device in the background."""

    def __init__(self, tensor):
        import torch

        self.host = torch.empty((), dtype=tensor.dtype, pin_memory=True)
        self.host.copy_(tensor.reshape(()), non_blocking=True)
        self.event = torch.cuda.Event()
        self.event.record()

    def is_ready(self):
        return self.event.query()

    def value(self):
        return float(self.host)


def read(value):
    """Returns a float, a Deferred, or None for anything that is not one number."""
    if isinstance(value, (int, float)):
        return float(value)
    if type(value).__name__ == "Tensor" and value.is_cpu and value.numel() == 1 and not value.is_complex():
        return float(value.item())
    detach = getattr(value, "detach", None)
    if detach is None or type(value).__name__ in ("FakeTensor", "FunctionalTensor"):
        return None
    tensor = detach()
    if hasattr(tensor, "to_local"):  # a DTensor; full_tensor() would start a collective
        tensor = tensor.to_local()
    if tensor.numel() != 1 or tensor.is_complex():
        return None
    if tensor.device.type == "cpu":
        return float(tensor)
    if tensor.device.type != "cuda" or _is_capturing():
        return None
    return Deferred(tensor)


def _is_capturing():
    import torch

    return torch.cuda.is_current_stream_capturing()


def is_ready(value):
    return not isinstance(value, Deferred) or value.is_ready()


def value_of(value):
    return value.value() if isinstance(value, Deferred) else value
