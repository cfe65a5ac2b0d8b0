# SPDX-License-Identifier: Apache-2.0
"""Rules of the architecture about source files, as functions that return the violations in (path, text)."""
import re

# Folders that each engine folder may include, in addition to itself and base.
ENGINE = {
    "base": set(),
    "config": set(),
    "sampling": {"config"},
    "data": {"config", "sampling"},
    "telemetry": {"config", "launch"},
    "whatif": {"telemetry"},
    "tensor": set(),
    "schedule": set(),
    "model": {"config", "data", "tensor"},
    "devices": {"config", "model"},
    "plan": {"config", "data", "model", "sampling", "schedule", "tensor"},
    "cost": {"config", "data", "model", "plan", "schedule", "tensor"},
    "launch": set(),
    "run": {"config", "cost", "sampling", "data", "telemetry", "model", "plan", "devices", "launch"},
    "watch": {"config", "launch", "run", "sampling", "telemetry"},
    "export": {"config", "cost", "plan", "sampling", "data", "telemetry", "run", "model"},
    "backend": {"tensor", "devices"},  # devices: the GPU report that backend/cuda fills
    "nn": {"config", "model", "plan", "sampling", "tensor", "backend"},
    "comm": {"launch", "telemetry", "tensor"},  # tensor: the seam to the GPU's runtime
    "parallel": {"config", "cost", "model", "plan", "schedule", "telemetry", "tensor", "backend", "nn", "comm"},
    "train": {"config", "cost", "plan", "sampling", "data", "telemetry", "devices", "launch", "run", "model", "tensor", "backend", "nn",
              "comm", "parallel"},
}
CORE = {"base", "config", "sampling", "data", "telemetry", "devices", "launch", "run", "watch", "export", "tensor",
        "model", "schedule", "plan", "cost", "whatif"}
TRAIN_ONLY = set(ENGINE) - CORE

# Rooms are the subfolders of a folder. For each room, the other rooms of the folder that it may include. "." are the
# files of the folder itself.
ROOMS = {
    "base": {"text": set(), "errors": {"text"}, "system": {"errors"}, "json": {"errors", "system"},
             "crypto": {"errors", "system"}, "time": set(), "processors": set()},
    "backend/cpu": {"support": set(), "kernels": {"support"}, "convolution": {"kernels", "support"},
                    ".": {"convolution", "kernels", "support"}},
    "backend/cuda": {"kernels": set(), "device": set(), "cudnn": {"kernels"}, ".": {"cudnn", "device", "kernels"}},
    "data": {"readers": set(), "sets": {"readers"}, "loading": {"sets"}, "preview": {"readers", "sets"}},
    "data/sets": {"common": set(), "builtin": {"common"}, "files": {"common"}, "synthetic": {"common"},
                  ".": {"builtin", "common", "files", "synthetic"}},
    "export": {"pytorch": set(), ".": set()},
    "launch": {"layout": set(), "wire": set(), "exchange": {"layout", "wire"}, "channels": {"wire"}, "store": set(),
               "rendezvous": {"channels", "layout", "wire"}, "classroom": {"wire"}},
    "nn": {"layer": set(), "layers": {"layer"}, "blocks": {"layer", "layers"}, "optimizers": {"layer"},
           "models": {"layer", "layers", "blocks"}},
    "parallel": {"strategy": set(), "reduce": set(), "parameters": {"reduce"}, "ddp": {"parameters", "reduce", "strategy"},
                 "data_parallel": {"reduce", "strategy"}, "mesh": {"parameters", "reduce", "strategy"}, "factory": {"data_parallel", "ddp", "mesh", "strategy"}},
    "run": {"checkpoint": set(), "classroom": {"prepare", "read", "supervise"}, "hosts": {"supervise"}, "prepare": {"checkpoint", "read"}, "read": {"checkpoint"}, "ranks": set(),
            "record": {"checkpoint", "prepare", "read"}, "prove": {"checkpoint", "prepare"},
            "supervise": {"checkpoint", "prepare", "ranks", "read", "record"}, "training": {"read"}},
    "sampling": {"random": set(), "plan": {"random"}, "findings": {"plan"}, "query": {"findings", "plan"}},
    "telemetry": {"steps": set(), "events": {"steps"}, "curves": {"events", "steps"}, "traces": {"events", "steps"},
                  "data": {"curves", "events", "steps", "traces"}},
    # seen: the experiment that the facts describe; evidence: decoded facts of all ranks
    "watch": {"link": set(), "seen": set(), "evidence": {"seen"}, "audit": {"evidence", "seen"},
              "compare": {"audit", "evidence"}, "plan": {"audit", "evidence"},
              "findings": {"audit", "evidence", "seen"}, "report": {"audit", "evidence", "findings", "seen"},
              "run": {"audit", "evidence", "findings", "link", "report", "seen"}},
    # interfaces: types and abstract classes that the other folders of train share
    "train": {"interfaces": set(), "batches": {"interfaces"}, "control": {"interfaces"}, "checkpoint": {"interfaces"},
              "devices": {"interfaces"}, "trace": {"interfaces"}, "throttle": {"interfaces"}, "replicas": {"interfaces"},
              "observe": {"interfaces", "batches", "control", "checkpoint", "throttle", "replicas", "trace"},
              "loop": {"interfaces", "batches", "control", "checkpoint", "devices", "observe", "throttle", "replicas",
                       "trace"}},
}

# Folders of the window, lowest first, and the other folders that each may include.
UI = {
    "theme": set(),
    "words": set(),
    "settings": set(),
    "identity": set(),
    "tables": {"controls", "export", "pages", "theme"},
    "controls": {"identity", "theme"},
    "pages": set(),
    "dialogs": set(),
    "export": set(),
    "charts": {"identity", "controls", "theme"},
    "models": {"words"},
    "diagnostics": {"pages", "theme"},
    "ranks": {"controls", "identity", "models", "theme", "words"},
    "help": {"theme"},
    "experiment": {"controls", "help", "models", "tables", "theme", "words"},
    "import": {"controls", "dialogs", "models", "shards", "tables", "theme", "words"},
    "loading": {"charts", "controls", "models", "theme", "words"},
    "devices": {"identity", "models", "theme", "words"},
    "shards": {"identity", "controls", "export", "models", "pages", "tables", "theme", "words"},
    "strategy": {"identity", "controls", "export", "models", "pages", "tables", "theme", "words"},
    "replicas": {"identity", "charts", "controls", "export", "models", "pages", "tables", "theme", "words"},
    "watch": {"identity", "controls", "dialogs", "models", "settings", "theme", "words"},
    "training": {"identity", "charts", "controls", "export", "models", "pages", "tables", "theme", "watch", "words"},
    "timeline": {"identity", "controls", "models", "pages", "tables", "theme", "words"},
    "cluster": {"dialogs", "identity", "models", "theme", "words"},
    "status": {"controls", "identity", "models", "theme", "words"},
    "commands": {"models", "pages", "theme", "words"},
    "main_window": {"identity", "charts", "cluster", "commands", "controls", "devices", "diagnostics", "dialogs", "experiment", "export", "help", "import",
                    "loading", "models", "pages", "ranks", "replicas", "settings", "shards", "status", "strategy", "theme",
                    "timeline", "training", "watch",
                    "words"},
    "start": {"dialogs", "main_window", "pages", "settings", "theme"},
}
VIEWS = {"scene", "cells"}
UI_ROOMS = {
    "shards/grid": {"picture": set(), "motion": {"picture"}, ".": {"motion", "picture"}},
    # session: the experiment's file and the run; bars: docks, tool bars and notices; pages: the table of pages and their menus
    "main_window": {"session": set(), "actions": {"session"}, "bars": {"actions", "session"}, "pages": {"actions"},
                    ".": {"session", "actions", "bars", "pages"}},
    "strategy": {"scene": set(), "pictures": {"scene"}, "page": {"pictures", "scene"}},
    "timeline": {"model": set(), "lanes": {"model"}, "step": {"lanes", "model"}, "whatif": {"model"},
                 "page": {"lanes", "model", "step", "whatif"}},
    "shards": {"scene": set(), "cells": {"scene"}, "watch": {"scene"}, "find": {"scene"}, "summary": {"scene"}, "seen": {"scene"},
               "grid": VIEWS | {"watch"}, "map": VIEWS, "history": VIEWS, "balance": VIEWS, "mistakes": VIEWS,
               "compare": VIEWS | {"grid"},
               "page": VIEWS | {"watch", "seen", "find", "summary", "grid", "map", "history", "balance", "mistakes", "compare"}},
}
# Folders of the command line, one for each kind of command, and the other folders that each may include.
CONTROL = {
    "terminal": set(),
    "experiment": {"terminal"},
    "plan": {"experiment", "terminal"},
    "live": {"experiment", "terminal"},
    "results": {"experiment", "terminal"},
}
# Every source file of the tree, as "ui/shards/scene/shard_scene.h": distinguishes ui/devices from engine/devices.
TREE = set()

# Headers of a library, and the only places that may include them.
CONFINED = [
    (r"dnnl|oneapi/", r"engine/backend/cpu/"),
    (r"gloo/", r"engine/comm/gloo_"),
    (r"nccl\.h", r"engine/comm/nccl/"),
    (r"cuda|cublas|cudnn|nvml", r"engine/(backend/cuda|comm/nccl)/"),
    (r"mpi\.h", r"engine/comm/mpi/"),
    (r"qrencode", r"engine/launch/classroom/qr_libqrencode"),
    (r"jpeglib|jerror", r"engine/data/readers/image_jpeg"),
    (r"png\.h", r"engine/data/readers/image_png"),
    (r"QtCharts|Q\w*(Chart|ChartView|Series|Axis)\b", r"ui/charts/|tests/bench/"),
]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
CODE = (".h", ".cpp", ".cu", ".cuh")


def includes(text):
    return [(mark == '"', name) for mark, name in INCLUDE.findall(text)]


def licence(path, text):
    """Checks the licence of a file: GPL for the window, Apache for everything else; a test has the licence of the code
    that it tests.
    """
    head = "\n".join(text.splitlines()[:3])
    wanted = ["Apache-2.0"]
    if path.startswith(("ui/", "app/ringside/")):
        wanted = ["GPL-3.0-or-later"]
    elif path.startswith("tests/"):
        wanted.append("GPL-3.0-or-later")
    if not any(f"SPDX-License-Identifier: {name}" in head for name in wanted):
        yield f"{path}: the first lines do not contain SPDX-License-Identifier: {' or '.join(wanted)}"


def size(path, text):
    lines = text.count("\n")
    if lines > 600:
        yield f"{path}: {lines} lines; the maximum is 600"


def room_in(folder, name):
    """Returns the room of `folder` that contains `name`, "." for the folder itself; None if `name` is elsewhere."""
    if not name.startswith(folder + "/"):
        return None
    rest = name[len(folder) + 1:].split("/")
    return rest[0] if len(rest) > 1 else "."


def inner_rooms(path, root, lists, name=None):
    """Checks an include of a file in a folder with rooms. Without a name, checks that the file's room is listed."""
    for folder, graph in lists.items():
        here = room_in(folder, path[len(root):])
        there = here if name is None else room_in(folder, name)
        if here is None or there is None:
            continue
        if here not in graph:
            yield f"{path}: {root}{folder}/{here} is in no list of tests/layering/rules.py"
        elif there != here and there not in graph[here]:
            yield f"{path}: {root}{folder}/{here} may not include {name}"


def layers(path, text):
    parts = path.split("/")
    if parts[0] == "engine":
        yield from inner_rooms(path, "engine/", ROOMS)
    for quoted, name in includes(text):
        if not quoted or "/" not in name:
            continue
        folder = name.split("/")[0]
        if folder not in ENGINE:
            if parts[0] == "engine":
                yield f"{path}: includes {name}, which is no engine header"
            continue
        if parts[0] == "engine" and folder not in ENGINE[parts[1]] | {parts[1], "base"}:
            yield f"{path}: engine/{parts[1]} may not include {name}"
        if parts[0] == "engine":
            yield from inner_rooms(path, "engine/", ROOMS, name)
        reaches_core_only = parts[0] == "ui" or path.startswith(("app/ringside/", "app/ringsidectl/"))
        if reaches_core_only and folder in TRAIN_ONLY:
            yield f"{path}: includes {name}; only the worker knows ringside_train"


def circles(graph):
    """Returns the folders that depend on themselves through other folders."""
    for start in graph:
        seen, todo = set(), list(graph[start])
        while todo:
            folder = todo.pop()
            if folder == start:
                yield f"{start} reaches itself"
                break
            if folder not in seen:
                seen.add(folder)
                todo.extend(graph[folder])


def rooms(path, text):
    """Checks that ui/ and app/ringsidectl are layered like the engine. A folder that is in no list is a violation."""
    for root, graph, inner in (("ui/", UI, UI_ROOMS), ("app/ringsidectl/", CONTROL, {})):
        if not path.startswith(root) or "/" not in path[len(root):]:
            continue
        here = path[len(root):].split("/")
        if here[0] not in graph:
            yield f"{path}: {root}{here[0]} is in no list of tests/layering/rules.py"
            continue
        unknown = list(inner_rooms(path, root, inner))
        if unknown:
            yield from unknown
            continue
        for quoted, name in includes(text):
            there = name.split("/")
            if not quoted or root + name not in TREE or len(there) < 2:
                continue
            if there[0] != here[0] and there[0] not in graph[here[0]]:
                yield f"{path}: {root}{here[0]} may not include {name}"
            yield from inner_rooms(path, root, inner, name)


def confined(path, text):
    for _, name in includes(text):
        for library, place in CONFINED:
            if re.match(library, name) and not re.match(place, path):
                yield f"{path}: includes <{name}>, allowed in {place} alone"


def qt_free(path, text):
    if not path.startswith(("engine/", "app/ringsidectl/", "app/worker/")):
        return
    for quoted, name in includes(text):
        if not quoted and re.match(r"Q[A-Z]|Qt", name):
            yield f"{path}: includes <{name}>; the engine, ringsidectl and the worker know no Qt"
    if path.startswith("engine/") and path.endswith(".h"):
        code = re.sub(r"//.*|\"[^\"]*\"", "", text)
        for word in re.findall(r"\b(emit|signals|slots)\b", code):
            yield f"{path}: uses the name '{word}', a Qt macro"


def no_conditional_code(path, text):
    """Checks that backends are chosen by the compiled files. Only test support may use conditions of the preprocessor.
    """
    if not path.startswith(("engine/", "ui/", "app/")) or path.endswith((".cu", ".cuh")):
        return
    for line in re.findall(r"^\s*#\s*(?:if|ifdef|ifndef|elif)\b.*", text, re.M):
        if "__CUDACC__" not in line:
            yield f"{path}: '{line.strip()}': choose by file, not by preprocessor"


def machine_paths(path, text):
    for line in re.findall(r".*(?:/home/|/root/|/Users/).*", text):
        yield f"{path}: names a machine's path: {line.strip()[:80]}"


RULES = [licence, size, layers, rooms, confined, qt_free, no_conditional_code, machine_paths]


def complaints(path, text):
    found = []
    for rule in RULES:
        found.extend(rule(path, text))
    return found
