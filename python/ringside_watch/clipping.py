# SPDX-License-Identifier: Apache-2.0
"""Observes whether gradients are clipped while they still contain the factor of GradScaler.

The hook does not read the parameters that are passed to the clipping function: they may be a generator, which only the
script may consume.
"""
import functools
import time
import weakref

from . import changed, guard, observations, places, unused

HOOK = guard.Hook("clipping")

# State of the latest GradScaler since its update(): whether a scaled loss went through backward(), and whether
# gradients were unscaled.
_state = {"scaled": False, "unscaled": False, "scaler": None}
_reported = set()  # (line of the script, true if the gradients were scaled) of each reported call


def patch(module):
    for name in ("clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_"):
        original = getattr(module, name, None)
        if original is None and name == "clip_grads_with_norm_":
            continue  # this PyTorch is older than the function
        if original is None:
            guard.unavailable.setdefault(HOOK.name, "torch.nn.utils has no %s" % name)
        else:
            setattr(module, name, _wrapped(original, name))


def _wrapped(original, name):
    @functools.wraps(original)
    @guard.transparent
    def clip(*args, **kwargs):
        if guard.is_compiling():
            return original(*args, **kwargs)
        HOOK.call(_clipped, name, args, kwargs)
        unused.HOOK.call(changed.compare)
        result = original(*args, **kwargs)
        unused.HOOK.call(changed.store)
        return result

    return clip


def _clipped(name, args, kwargs):
    scaled = _state["scaled"] and not _state["unscaled"]
    where = places.user_line(2)
    if (where, scaled) in _reported or len(_reported) >= 100:
        return
    _reported.add((where, scaled))
    limit = args[1] if len(args) > 1 else kwargs.get("max_norm", kwargs.get("clip_value"))
    observations.note("fact", time.monotonic_ns(), "clipping", {
        "where": where, "function": name, "scaled": scaled, "scale": _scale() if scaled else None,
        "limit": float(limit) if isinstance(limit, (int, float)) else None})


def _scale():
    """Returns the scale factor of the latest GradScaler. Returns None if the factor is on a device, because reading it
    would make the script wait.
    """
    scaler = _state["scaler"]() if _state["scaler"] is not None else None
    scale = getattr(scaler, "_scale", None)
    return float(scale) if getattr(getattr(scale, "device", None), "type", "") == "cpu" else None


def loss_scaled(scaler):
    if _state["scaler"] is None or _state["scaler"]() is not scaler:
        _state["scaler"] = weakref.ref(scaler)


def backward_of_scaled_loss():
    _state["scaled"] = True


def unscaled():
    _state["unscaled"] = True


def scale_updated():
    _state["scaled"] = _state["unscaled"] = False
