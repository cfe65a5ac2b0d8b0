# SPDX-License-Identifier: Apache-2.0
"""The architecture's rules about source files, as functions from (path, text) to complaints."""
import re

# What each engine folder may include, besides itself and base.
ENGINE = {
    "base": set(),
    "config": set(),
    "sampling": {"config"},
    "data": {"config", "sampling"},
    "telemetry": {"config"},
    "tensor": set(),
    "model": {"config", "data", "tensor"},
    "devices": {"config", "model"},
    "launch": set(),
    "run": {"config", "sampling", "data", "telemetry", "model", "devices", "launch"},
    "export": {"config", "sampling", "data", "telemetry", "run", "model"},
    "backend": {"tensor", "devices"},  # devices: the GPU report that backend/cuda fills
    "nn": {"config", "model", "sampling", "tensor", "backend"},
    "comm": {"launch", "telemetry", "tensor"},  # tensor: the seam to the GPU's runtime
    "parallel": {"config", "telemetry", "tensor", "backend", "nn", "comm"},
    "train": {"config", "sampling", "data", "telemetry", "devices", "launch", "run", "model", "tensor", "backend", "nn",
              "comm", "parallel"},
}
CORE = {"base", "config", "sampling", "data", "telemetry", "devices", "launch", "run", "export", "tensor", "model"}
TRAIN_ONLY = set(ENGINE) - CORE

# Rooms within a folder: what each may include of its neighbours there.
ROOMS = {
    "data": {"readers": set(), "sets": {"readers"}, "loading": {"sets"}, "preview": {"readers", "sets"}},
    "run": {"checkpoint": set(), "prepare": {"checkpoint"}, "record": {"checkpoint", "prepare"},
            "supervise": {"checkpoint", "prepare", "record"}},
}

# A library's headers, and the only places that may include them.
CONFINED = [
    (r"dnnl|oneapi/", r"engine/backend/cpu/"),
    (r"gloo/", r"engine/comm/gloo_"),
    (r"nccl\.h", r"engine/comm/nccl/"),
    (r"cuda|cublas|cudnn|nvml", r"engine/(backend/cuda|comm/nccl)/"),
    (r"mpi\.h", r"engine/comm/mpi_"),
    (r"jpeglib|jerror", r"engine/data/readers/image_jpeg"),
    (r"png\.h", r"engine/data/readers/image_png"),
    (r"QtCharts|Q\w*(Chart|ChartView|Series|Axis)\b", r"ui/charts/|tests/bench/"),
]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
CODE = (".h", ".cpp", ".cu", ".cuh")


def includes(text):
    return [(mark == '"', name) for mark, name in INCLUDE.findall(text)]


def licence(path, text):
    """The window is GPL; the rest is Apache; a test takes the licence of what it tests."""
    head = "\n".join(text.splitlines()[:3])
    wanted = ["Apache-2.0"]
    if path.startswith(("ui/", "app/ringside/")):
        wanted = ["GPL-3.0-or-later"]
    elif path.startswith("tests/"):
        wanted.append("GPL-3.0-or-later")
    if not any(f"SPDX-License-Identifier: {name}" in head for name in wanted):
        yield f"{path}: the first lines do not say SPDX-License-Identifier: {' or '.join(wanted)}"


def size(path, text):
    lines = text.count("\n")
    if lines > 600:
        yield f"{path}: {lines} lines; the house style stops at 600"


def layers(path, text):
    parts = path.split("/")
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
        if parts[0] == "engine" and parts[1] == folder and folder in ROOMS:
            here, there = parts[2], name.split("/")[1]
            if there != here and there not in ROOMS[folder].get(here, set()):
                yield f"{path}: engine/{folder}/{here} may not include {name}"
        reaches_core_only = parts[0] == "ui" or path.startswith(("app/ringside/", "app/ringsidectl/"))
        if reaches_core_only and folder in TRAIN_ONLY:
            yield f"{path}: includes {name}; only the worker knows ringside_train"


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
    """Backends are chosen by which file is compiled; only test support may ask the preprocessor."""
    if not path.startswith(("engine/", "ui/", "app/")) or path.endswith((".cu", ".cuh")):
        return
    for line in re.findall(r"^\s*#\s*(?:if|ifdef|ifndef|elif)\b.*", text, re.M):
        if "__CUDACC__" not in line:
            yield f"{path}: '{line.strip()}': choose by file, not by preprocessor"


def machine_paths(path, text):
    for line in re.findall(r".*(?:/home/|/root/|/Users/).*", text):
        yield f"{path}: names a machine's path: {line.strip()[:80]}"


RULES = [licence, size, layers, confined, qt_free, no_conditional_code, machine_paths]


def complaints(path, text):
    found = []
    for rule in RULES:
        found.extend(rule(path, text))
    return found
