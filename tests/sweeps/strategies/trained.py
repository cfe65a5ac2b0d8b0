# SPDX-License-Identifier: Apache-2.0
"""Trains cells with the real programs and compares their results."""
import hashlib
import json
import os
import shutil
import socket
import subprocess
import threading
from dataclasses import dataclass

PATIENCE = 90  # timeout of a run in seconds
REFUSED = 2


@dataclass
class Judged:
    state: str  # equal | trained | refused | red
    why: str = ""


@dataclass
class Ended:
    code: int
    said: str
    hashes: dict
    losses: list


def words(settings):
    return [word for one in settings for word in ("--set", one)]


def value_of(settings, key):
    return [one.split("=", 1)[1] for one in settings if one.startswith(key + "=")][-1]


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Runner:
    def __init__(self, programs, scratch):
        self.programs, self.scratch = programs, scratch
        self.lock, self.number, self.twins = threading.Lock(), 0, {}

    def directory(self):
        with self.lock:
            self.number += 1
            return self.scratch / f"run-{self.number}"

    def train(self, settings, transport="shm"):
        out = self.directory()
        ended = (self.on_hosts if transport == "hosts" else self.on_one_host)(settings, out)
        shutil.rmtree(out, ignore_errors=True)
        return ended

    def on_one_host(self, settings, out):
        command = [self.programs / "ringsidectl", "run", "--quiet", "--out", out, *words(settings)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return Ended(-1, f"hung for {PATIENCE} s", {}, [])
        return self.ended(done.returncode, done.stdout + done.stderr, out)

    def on_hosts(self, settings, out):
        """Runs the ranks on two hosts, half of them on each, as torchrun starts them."""
        world, port = int(value_of(settings, "parallel.world_size")), free_port()
        if value_of(settings, "parallel.strategy") == "data_parallel":
            return self.on_one_host(settings, out)  # a strategy with one process needs only one host
        local = max(1, world // 2)
        ranks = []
        for rank in range(world):
            place = {"RANK": rank, "WORLD_SIZE": world, "LOCAL_RANK": rank % local, "LOCAL_WORLD_SIZE": local,
                     "GROUP_RANK": rank // local, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port,
                     "TORCHELASTIC_RUN_ID": str(port)}
            ranks.append(subprocess.Popen(
                [self.programs / "ringside-worker", *(["--out", out] if rank == 0 else []), *words(settings)],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                env={**os.environ, **{name: str(value) for name, value in place.items()}}))
        said = []
        for rank in ranks:
            try:
                said.append(rank.communicate(timeout=PATIENCE)[0])
            except subprocess.TimeoutExpired:
                for other in ranks:
                    other.kill()
                return Ended(-1, f"hung for {PATIENCE} s", {}, [])
        codes = {rank.returncode for rank in ranks}
        if REFUSED in codes and codes != {REFUSED}:
            return Ended(-1, f"codes {sorted(codes)}: not all ranks refuse", {}, [])
        own = "\n".join(line for line in said[0].splitlines() if not line.startswith("ringside: this is rank"))
        return self.ended(ranks[0].returncode, own, out)

    def ended(self, code, said, out):
        last = sorted((out / "checkpoints").glob("step-*/manifest.json"))
        hashes = {}
        if last:
            for name in ("model.safetensors", "optimizer.safetensors"):
                hashes[name] = hashlib.sha256((last[-1].parent / name).read_bytes()).hexdigest()
        losses = []
        if (out / "metrics.jsonl").exists():
            lines = (json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines())
            losses = [line["loss"] for line in lines if line["kind"] == "epoch" and line["split"] == "val"]
        return Ended(code, said.strip(), hashes, losses)

    def twin(self, settings):
        key = tuple(settings)
        with self.lock:
            event = self.twins.setdefault(key, [threading.Lock(), None])
        with event[0]:
            if event[1] is None:
                event[1] = self.train(settings)
            return event[1]

    def judge(self, cell):
        settings = cell.settings()
        ended = self.train(settings, cell.transport)
        if cell.feature.fails and cell.feature.fails in ended.said and ended.code != 0:
            return Judged("trained", ended.said)
        if ended.code == REFUSED and not ended.hashes:
            return refusal(ended.said)
        if cell.feature.fails:
            return Judged("red", f"code {ended.code}: {ended.said}")
        if ended.code != 0 or not ended.hashes:
            return Judged("red", f"code {ended.code}: {ended.said}")
        return self.compared(ended, cell.twin())

    def compared(self, ended, twin_settings):
        if not twin_settings:
            return Judged("trained")
        twin = self.twin(twin_settings)
        if twin.code != 0:
            return Judged("red", f"its twin ends with {twin.code}: {twin.said}")
        if twin.hashes != ended.hashes:
            other = [name for name in ended.hashes if ended.hashes[name] != twin.hashes.get(name)]
            return Judged("red", f"{' and '.join(other)} not the twin's; losses {ended.losses} and {twin.losses}")
        if len(twin.losses) != len(ended.losses) or any(
                abs(a - b) > 1e-5 * max(1, abs(b)) for a, b in zip(ended.losses, twin.losses) if a is not None and b is not None):
            return Judged("red", f"validation losses {ended.losses}, the twin's {twin.losses}")
        return Judged("equal")


def refusal(said):
    """Checks a refusal: one line for each setting, with a remedy after its last colon, before a rank has started."""
    lines = said.splitlines()
    if any("rank 0" in line for line in lines) or not lines:
        return Judged("red", "refused by the ranks only: " + said)
    if not all(line.startswith("ringside") and line.count(": ") >= 2 for line in lines):
        return Judged("red", "refused without a way out: " + said)
    return Judged("refused", " | ".join(lines))
