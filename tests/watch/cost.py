# SPDX-License-Identifier: Apache-2.0
"""Measures what the watch costs per step: python3 cost.py [MILLISECONDS ...].

One process trains with the watch switched on and off in turns, so that other programs disturb both equally. Prints the
medians of both and their difference, in wall-clock time and in CPU time of all threads of the process, which other
programs disturb less. The step is padded by matrix products to about the given length.
"""
import statistics
import sys
import time

import torch_python

if sys.argv[1:2] != ["train"]:
    torch_python.require()

import watched  # noqa: E402

BLOCKS, SECONDS = 24, 0.5


def train(milliseconds):
    import torch
    from ringside_watch.observations import Watching
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset

    torch.set_num_threads(1)
    data = TensorDataset(torch.randn(32768, 64), torch.randint(0, 10, (32768,)))
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    a = torch.randn(128, 128)
    begin = time.thread_time()
    for _ in range(100):
        a @ a
    repeats = int(milliseconds / 1e3 / ((time.thread_time() - begin) / 100))
    batches = iter(DataLoader(data, batch_size=32, shuffle=True))

    def steps(seconds):
        nonlocal batches
        end, lengths = time.perf_counter() + seconds, []
        while time.perf_counter() < end:
            start = time.perf_counter()
            try:
                x, y = next(batches)
            except StopIteration:
                batches = iter(DataLoader(data, batch_size=32, shuffle=True))
                continue
            for _ in range(repeats):
                a @ a
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            lengths.append(time.perf_counter() - start)
        return lengths

    steps(1.0)
    walls, times, threads = [{True: [], False: []} for _ in range(3)]
    for block in range(BLOCKS):
        Watching.on = block % 2 == 0
        before, thread_before = time.process_time(), time.thread_time()
        lengths = steps(SECONDS)
        times[Watching.on].append((time.process_time() - before) / len(lengths) * 1e6)
        threads[Watching.on].append((time.thread_time() - thread_before) / len(lengths) * 1e6)
        walls[Watching.on].append(statistics.median(lengths) * 1e6)
    Watching.on = True
    for name, values in (("wall", walls), ("CPU", times), ("CPU of the training thread", threads)):
        on, off = statistics.median(values[True]), statistics.median(values[False])
        print("%.0f ms, %s: %.0f us watched, %.0f us alone, difference %.1f us (%.2f %%)" % (
            milliseconds, name, on, off, on - off, 100 * (on - off) / off))


if __name__ == "__main__":
    if sys.argv[1:2] == ["train"]:
        train(float(sys.argv[2]))
    else:
        for milliseconds in sys.argv[1:] or ["2", "20", "200"]:
            done = watched.run_watched([sys.executable, __file__, "train", milliseconds])
            sys.stdout.write(done.out.decode() + done.error.decode())
