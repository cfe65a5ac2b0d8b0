# SPDX-License-Identifier: Apache-2.0
"""Records the lines of the script that create loaders, samplers, subsets and modules."""
import sys
import weakref

from . import guard, places

# separate hook: if it fails, the facts about the objects are still reported, but without these lines
HOOK = guard.Hook("script lines that create models and loaders")

_created = weakref.WeakKeyDictionary()  # object -> (file, line) of the script where it was created

MAX_PARAMETERS = 20000  # limit of the number of parameters whose lines are kept
_parameters = {}  # id of a parameter -> (weak reference to it, file, line) of the line that created its module


def patch_module(module):
    """Records the lines that create modules with parameters."""
    register = getattr(module, "register_module_parameter_registration_hook", None)
    if register is not None:
        register(_note_parameter)


def _note_parameter(module, name, parameter):
    if not guard.is_compiling():
        HOOK.call(_note_line_of_parameter, parameter)


def _note_line_of_parameter(parameter):
    frame = places.creating_frame(sys._getframe(2))
    if frame is not None and parameter is not None and len(_parameters) < MAX_PARAMETERS:
        _parameters[id(parameter)] = (weakref.ref(parameter), frame.f_code.co_filename, frame.f_lineno)


def line_of_parameter(parameter):
    """Returns the line of the script that created the module to which a parameter belongs, or None."""
    known = _parameters.get(id(parameter))
    if known is None or known[0]() is not parameter:
        return None
    return "%s:%d" % (places.relative(known[1]), known[2])


def patch_loader(module):
    _wrap_constructor(module.DataLoader)


def patch_sampler(module):
    _wrap_constructor(module.DistributedSampler)


def patch_subset(module):
    _wrap_constructor(module.Subset)


def _wrap_constructor(kind):
    guard.wrap(kind, "__init__", HOOK, after=_note_line)


def _note_line(_, args, result):
    """Records the line that creates an object."""
    frame = places.creating_frame(sys._getframe(2))
    if frame is None:
        return
    try:
        _created[args[0]] = (frame.f_code.co_filename, frame.f_lineno)
    except Exception:  # objects of a class without __hash__, or with one that fails, cannot be keys
        pass


def line_of(one):
    """Returns the line of the script that created an object, or None."""
    try:
        known = _created.get(one)
    except Exception:
        return None
    return None if known is None else "%s:%d" % (places.relative(known[0]), known[1])
