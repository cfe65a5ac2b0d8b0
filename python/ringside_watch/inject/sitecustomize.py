# SPDX-License-Identifier: Apache-2.0
"""Starts the watch in every Python process whose PYTHONPATH begins with this folder.

Python imports the first sitecustomize that it finds. This one removes its folder from sys.path, starts the watch, and
then imports the sitecustomize that it has hidden, if there is one.
"""
import os
import sys

_folder = os.path.dirname(os.path.abspath(__file__))


def _start():
    """Imports the package from the folder that contains it, which need not be on sys.path."""
    import importlib.util

    package = os.path.dirname(_folder)
    spec = importlib.util.spec_from_file_location(
        "ringside_watch", os.path.join(package, "__init__.py"), submodule_search_locations=[package])
    module = importlib.util.module_from_spec(spec)
    sys.modules["ringside_watch"] = module
    spec.loader.exec_module(module)


def _run_hidden():
    """Imports the sitecustomize module that this one has hidden; does nothing if there is none. An exception that the
    hidden module raises is not caught, so that Python reports it as without the watch.
    """
    this = sys.modules.pop("sitecustomize", None)
    try:
        import sitecustomize  # noqa: F401
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
        if this is not None:
            sys.modules["sitecustomize"] = this


sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != _folder]
if os.environ.get("RINGSIDE_WATCH"):
    try:
        _start()
    except Exception:
        pass  # an error of the watch must not reach the script
_run_hidden()
