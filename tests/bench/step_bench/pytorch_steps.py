# SPDX-License-Identifier: Apache-2.0
"""Steps per second of PyTorch DDP over Gloo: the peer of step_bench.py and cnn_bench.py."""
import os
import subprocess
import sys
import time

BLAS = """
import torch
torch.ones(2, 2) @ torch.ones(2, 2)
print(torch.__version__, *{line.split()[-1] for line in open("/proc/self/maps") if "blas" in line or "mkl_core" in line})
"""


def threads(world):
    """Returns the number of threads of one rank, the same as in Ringside."""
    return max(1, len(os.sched_getaffinity(0)) // world)


def description():
    """Returns one line with the libraries of PyTorch for matrix products, which determine its speed."""
    done = subprocess.run([sys.executable, "-c", BLAS], capture_output=True, text=True)
    if done.returncode != 0:
        return "PyTorch is not installed: install python3-torch to have a peer"
    version, *libraries = done.stdout.split()
    fast = [name for name in map(os.path.basename, map(os.path.realpath, libraries)) if "openblas" in name or "mkl" in name]
    if fast:
        return f"PyTorch {version} with {fast[0]}"
    return (f"PyTorch {version} with the reference BLAS, whose products take many times as long: "
            "install libopenblas0-pthread for a peer at its best")


def train(rank, world, steps, queue, port, make_model, batch, batches, shape):
    os.environ["OMP_NUM_THREADS"] = str(threads(world))  # limits the threads of BLAS, which torch.set_num_threads()
                                                         # does not limit
    import torch
    import torch.distributed as dist

    torch.set_num_threads(threads(world))
    if world > 1:
        dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world)
    torch.manual_seed(0)
    model = make_model()
    trained = torch.nn.parallel.DistributedDataParallel(model) if world > 1 else model
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    x, y = torch.rand(batches * batch, *shape), torch.randint(0, 10, (batches * batch,))
    warm_up = max(1, steps // 4 if steps < 100 else steps // 10)
    for step in range(steps):
        if step == warm_up:
            begin = time.perf_counter()
        at = step % batches * batch
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(trained(x[at:at + batch]), y[at:at + batch]).backward()
        optimizer.step()
    if rank == 0:
        queue.put((steps - warm_up) / (time.perf_counter() - begin))


def rate(world, steps, port, *workload):
    """Returns the steps per second. workload: (make_model, samples per batch, number of batches, shape of a sample)."""
    import torch.multiprocessing as mp

    context = mp.get_context("spawn")
    queue = context.SimpleQueue()
    ranks = [context.Process(target=train, args=(rank, world, steps, queue, port, *workload)) for rank in range(world)]
    for rank in ranks:
        rank.start()
    for rank in ranks:
        rank.join()
    return queue.get()
