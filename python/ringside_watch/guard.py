# SPDX-License-Identifier: Apache-2.0
"""Wrappers around functions of PyTorch that never let an error of a hook reach the script.

A hook that raises is switched off for the rest of the process and reported once. The wrapped function is called exactly
once, with the arguments that it was given, and its result and its exceptions are passed through.
"""
import functools
import os
import time

from . import observations
from .observations import Watching

MISSING = object()

_hidden = os.path.join(os.path.dirname(os.path.abspath(__file__)), "importlib_bootstrap")

hooks = {}  # name of a hook -> Hook
unavailable = {}  # name of a hook -> reason why it is not available


class Hook:
    """Code that observes calls of one kind. It is switched off after its first error."""

    def __init__(self, name):
        self.name = name
        self.on = True
        self.used = False  # true if the hook has observed anything
        hooks[name] = self

    def fail(self, error):
        """Switches the hook off and reports the error."""
        self.on = False
        unavailable[self.name] = "this observation was switched off after %s: %s" % (type(error).__name__, str(error)[:200])
        try:
            observations.note("hook_failed", time.monotonic_ns(), self.name, unavailable[self.name])
        except Exception:  # the queue of observations itself has failed, so this failure cannot be reported
            pass

    def call(self, function, *args):
        """Calls the function and returns its result. Returns None if the hook is switched off, or if the function
        raises an exception, which switches the hook off.
        """
        if not (self.on and Watching.on):
            return None
        self.used = True
        try:
            return function(*args)
        except Exception as error:
            self.fail(error)
            return None


def transparent(function):
    """Hides the frame of a wrapper from `warnings`. Returns the function.

    A warning with a stack level then names the same line as without the watch: `warnings` does not count frames whose file
    name contains "importlib" and "_bootstrap".
    """
    code = function.__code__
    function.__code__ = code.replace(co_filename=os.path.join(_hidden, os.path.basename(code.co_filename)))
    return function


def drop_own_frame(error):
    """Removes the frame of the calling wrapper from a traceback, which a script may print by itself.

    The wrapper must end with a `raise` without an argument, which does not add its frame again.
    """
    if error.__traceback__ is not None:
        error.__traceback__ = error.__traceback__.tb_next


def wrap(owner, name, hook, before=None, after=None):
    """Replaces owner.name by a function that also calls the hook's `before` and `after`.

    before(args, kwargs) returns a token; after(token, args, result) is called only with a token other than None and
    only if the function returned. A missing attribute is recorded as unavailable. Returns the wrapper or None.
    """
    original = getattr(owner, name, MISSING)
    if original is MISSING:
        unavailable.setdefault(hook.name, "%s has no %s" % (getattr(owner, "__name__", owner), name))
        return None
    wrapper = _wrapper(original, hook, before, after)
    functools.update_wrapper(wrapper, original)
    setattr(owner, name, wrapper)
    return wrapper


def _wrapper(original, hook, before, after):
    @transparent
    def ringside_wrapper(*args, **kwargs):
        if not (Watching.on and hook.on):
            return original(*args, **kwargs)
        token = True if before is None else hook.call(before, args, kwargs)
        result = original(*args, **kwargs)
        if after is not None and token is not None:
            hook.call(after, token, args, result)
        return result

    return ringside_wrapper


def patch(name, function, module):
    """Applies the patches of one module. An error in one of them does not affect the rest of the watch."""
    try:
        function(module)
    except Exception as error:
        unavailable[name] = "could not be observed: %s: %s" % (type(error).__name__, str(error)[:200])


def is_compiling():
    """True inside of code that torch.compile traces, where hooks must do nothing."""
    import torch

    compiler = getattr(torch, "compiler", None)
    if compiler is not None and hasattr(compiler, "is_compiling"):
        return compiler.is_compiling()
    utils = getattr(torch, "_utils", None)  # PyTorch 2.1 and 2.2
    return utils.is_compiling() if hasattr(utils, "is_compiling") else False
