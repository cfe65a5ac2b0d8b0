# SPDX-License-Identifier: Apache-2.0
"""Patches modules right after they have been imported. Programs that do not import these modules run unchanged."""
import importlib.util
import sys

from . import guard

_patches = {}  # name of a module -> functions to call with the module after its import


def after_import(name, function):
    """Calls function(module) after the module has been executed, or now if it is imported already."""
    module = sys.modules.get(name)
    if module is not None:
        guard.patch(name, function, module)
    else:
        _patches.setdefault(name, []).append(function)


class Finder:
    """Import finder that finds a module through the finders after it, and wraps the loader of a module to patch."""

    def find_spec(self, name, path=None, target=None):
        functions = _patches.get(name)
        if functions is None or path is None and "." in name:
            return None
        sys.meta_path.remove(self)  # removed, so that the search below does not call this finder again
        try:
            spec = importlib.util.find_spec(name)
        except (ImportError, AttributeError, ValueError):
            spec = None
        finally:
            sys.meta_path.insert(0, self)
        if spec is None or spec.loader is None or not hasattr(spec.loader, "exec_module"):
            return None
        _wrap_loader(spec.loader, _patches.pop(name))
        return spec


def _wrap_loader(loader, functions):
    exec_module = loader.exec_module

    def exec_and_patch(module):
        exec_module(module)
        for function in functions:
            guard.patch(module.__name__, function, module)

    loader.exec_module = exec_and_patch


def install():
    if not any(isinstance(finder, Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, Finder())
