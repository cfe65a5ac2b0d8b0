# SPDX-License-Identifier: Apache-2.0
"""Observes backward passes and the losses that are given to them."""
import functools
import sys
import threading
import time
import weakref

from . import changed, clipping, gathered, guard, held, observations, optimizers, places, scalars, unused
from .observations import Watching

HOOK = guard.Hook("backward")
SCALER = guard.Hook("grad scaler")

SUMS = ("AddBackward0", "SubBackward0")
MAX_DEPTH = 4  # limit of the nesting of additions in a loss; the terms of deeper additions are not reported

_state = {"depth": 0}
_sites = {}  # (code object, line) of the caller of backward() -> line of the user's code
_scaled = {}  # id of a loss scaled by GradScaler -> (weak reference, loss before scaling, last operation of that loss)
_reported = set()  # lines of the user's code that were reported


def patch_tensor(module):
    """Wraps Tensor.backward, and excludes the wrapper from tracing by Dynamo."""
    original = module.Tensor.backward

    @functools.wraps(original)
    @guard.transparent
    def backward(self, *args, **kwargs):
        try:
            if _state["depth"] or not (Watching.on and HOOK.on):
                return original(self, *args, **kwargs)
            gradient = args[0] if args else kwargs.get("gradient")
            return _observed(functools.partial(original, self, *args, **kwargs), self if gradient is None else None)
        except BaseException as error:
            guard.drop_own_frame(error)
            raise

    module.Tensor.backward = backward
    optimizers.before_step.append(functools.partial(unused.HOOK.call, changed.compare))
    _untraced.extend([backward, _observed])


def patch_autograd(module):
    """Wraps torch.autograd.backward, which pipelines call without Tensor.backward."""
    original = module.backward

    @functools.wraps(original)
    @guard.transparent
    def backward(tensors, grad_tensors=None, *args, **kwargs):
        try:
            if _state["depth"] or not (Watching.on and HOOK.on):
                return original(tensors, grad_tensors, *args, **kwargs)
            loss = None
            gradients = grad_tensors if isinstance(grad_tensors, (list, tuple)) else [grad_tensors]
            if all(one is None for one in gradients):
                loss = tensors[0] if isinstance(tensors, (list, tuple)) and len(tensors) == 1 else tensors
            return _observed(functools.partial(original, tensors, grad_tensors, *args, **kwargs), loss)
        except BaseException as error:
            guard.drop_own_frame(error)
            raise

    module.backward = backward
    _untraced.append(backward)


_untraced = []


def patch_compile(module):
    """Once PyTorch is loaded, excludes the wrappers of backward() from tracing by Dynamo."""
    try:
        from torch._C._dynamo import eval_frame
    except ImportError:
        return  # PyTorch before 2.0 has no Dynamo
    for function in _untraced:
        if hasattr(eval_frame, "set_code_exec_strategy"):
            skip = eval_frame._FrameAction.SKIP
            eval_frame.set_code_exec_strategy(function.__code__, eval_frame._FrameExecStrategy(skip, skip))
        elif hasattr(eval_frame, "skip_code"):
            eval_frame.skip_code(function.__code__)


@guard.transparent
def _observed(call, loss):
    """Runs and observes a backward pass that is not called within another backward pass. Must be called directly by the
    wrapper of backward(), because _user_line() counts the frames in between.
    """
    function = HOOK.call(_last_operation, loss)
    value = HOOK.call(_read_loss, loss)
    site = HOOK.call(_user_line)
    HOOK.call(_report_line, site, function)
    gathered.HOOK.call(gathered.report_gathered_features, loss)
    existing = held.HOOK.call(held.at_backward)
    cleared = unused.HOOK.call(unused.before_backward)
    unused.HOOK.call(changed.forget)
    outer, Watching.phase = Watching.phase, "backward"
    _state["depth"] += 1
    begin = observations.now()
    try:
        return call()
    except BaseException as error:
        guard.drop_own_frame(error)
        raise
    finally:
        _state["depth"] -= 1
        Watching.phase = "optimizer" if outer == "optimizer" else "idle"
        HOOK.call(_queue_loss, begin, site, value, existing, cleared)
        unused.HOOK.call(unused.after_backward)
        unused.HOOK.call(changed.store)


def _queue_loss(begin, site, value, existing, cleared):
    Watching.thread = threading.get_ident()
    observations.note("backward", begin[0], begin[1], *observations.now(), site, value, existing, Watching.thread,
                      cleared)
    if Watching.on_training is not None:
        Watching.on_training()


def _report_line(site, function):
    """Reports the operations of the loss once for each line that calls backward(). Also reports whether the script has
    cleared the gradients before this backward pass.
    """
    optimizers.GRADIENTS.call(optimizers.read_gradients)
    if function is not None and site not in _reported and len(_reported) < 100:
        _reported.add(site)
        observations.note("fact", time.monotonic_ns(), "loss",
                          {"where": site, "function": function[0], "terms": function[1]})


def _last_operation(loss):
    """Returns (class name of the last operation of the loss, class names of the terms that it adds), or None. For a
    loss that GradScaler has multiplied, describes the loss before the multiplication.
    """
    scaled = _scaled.get(id(loss))
    if scaled is not None and scaled[0]() is loss:
        return scaled[2]
    return _names_of(loss)


def _names_of(loss):
    """Returns (class name of the last operation, class names of the operations that it adds), or None."""
    operation = getattr(loss, "grad_fn", None)
    if operation is None:
        return None
    name = type(operation).__name__
    return name, _summands(operation, 0) if name in SUMS else []


def _summands(operation, depth):
    names = []
    for term, _ in operation.next_functions:
        name = type(term).__name__
        if name in SUMS and depth < MAX_DEPTH:
            names += _summands(term, depth + 1)
        elif term is not None:
            names.append(name)
    return names


def _read_loss(loss):
    if loss is None:
        return None
    scaled = _scaled.pop(id(loss), None)
    if scaled is not None and scaled[0]() is loss:
        clipping.backward_of_scaled_loss()
        return scaled[1]
    return scalars.read(loss)


def _user_line():
    """Returns the line of the script that has called backward(). Requires exactly this call stack, innermost frame
    first: _user_line, call, _observed, backward, the caller of backward().
    """
    frame = sys._getframe(4)
    key = (frame.f_code, frame.f_lineno)
    site = _sites.get(key)
    if site is None:
        site = places.user_line(4) or "?"
        if len(_sites) < 1000:
            _sites[key] = site
    return site


def patch_scaler(module):
    """Records the loss before GradScaler multiplies it, and detects the optimizer steps that GradScaler skips."""
    kind = module.GradScaler
    if "scale" in vars(kind):
        guard.wrap(kind, "scale", SCALER, after=_note_scaled)
    if "step" in vars(kind):
        guard.wrap(kind, "step", SCALER, before=_steps_before_scaler, after=_scaler_stepped)
    if "unscale_" in vars(kind):
        guard.wrap(kind, "unscale_", SCALER, before=_before_unscaling, after=_after_unscaling)
    if "update" in vars(kind):
        guard.wrap(kind, "update", SCALER, after=lambda _, args, result: clipping.scale_updated())


def _note_scaled(_, args, result):
    if result is args[1] or not hasattr(result, "detach"):
        return
    clipping.loss_scaled(args[0])
    if len(_scaled) > 64:
        for key in [key for key, entry in _scaled.items() if entry[0]() is None]:
            del _scaled[key]
    _scaled[id(result)] = (weakref.ref(result), scalars.read(args[1]), _names_of(args[1]))


def _before_unscaling(args, kwargs):
    unused.HOOK.call(changed.compare)
    return True


def _after_unscaling(_, args, result):
    clipping.unscaled()
    unused.HOOK.call(changed.store)


def _steps_before_scaler(args, kwargs):
    # compared here, because step() itself changes the gradients, also where it does not call unscale_()
    unused.HOOK.call(changed.compare)
    return {"before": optimizers.steps_begun()}


def _scaler_stepped(token, args, result):
    if optimizers.steps_begun() == token["before"]:
        observations.note("skipped", time.monotonic_ns())
