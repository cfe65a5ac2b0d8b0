# SPDX-License-Identifier: Apache-2.0
"""gpu_bench's figures with PyTorch, in the same form: eager, a CUDA graph, and torch.compile with CUDA graphs."""
import sys
import time


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


try:
    import torch
except ImportError:
    skip("this python3 has no PyTorch")
if not torch.cuda.is_available():
    skip("this PyTorch sees no GPU")


def seconds_per(work):
    """Doubles the number of calls until they take long enough, as gpu_bench does."""
    work()
    torch.cuda.synchronize()
    calls = 1
    while True:
        start = time.perf_counter()
        for _ in range(calls):
            work()
        torch.cuda.synchronize()
        seconds = time.perf_counter() - start
        if seconds > 0.3:
            return seconds / calls
        calls *= 2


def show(what, value, unit):
    print(f"PyTorch {torch.__version__} | {what:44} | {value:12.1f} | {unit}", flush=True)


torch.backends.cuda.matmul.allow_tf32 = False
device = torch.device("cuda:0")
x = torch.zeros(32, 64, device=device)
labels = torch.zeros(32, dtype=torch.int64, device=device)
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10)).to(device)
loss = torch.nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)


def step():
    optimizer.zero_grad(set_to_none=False)
    loss(model(x), labels).backward()
    optimizer.step()


show("MLP 64-128-10, batch 32, eager", 1 / seconds_per(step), "steps/s")
side = torch.cuda.Stream()
with torch.cuda.stream(side):
    for _ in range(5):
        step()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    step()
show("MLP 64-128-10, batch 32, CUDA graph", 1 / seconds_per(graph.replay), "steps/s")
if hasattr(torch, "compile"):
    compiled = torch.compile(lambda: loss(model(x), labels), mode="reduce-overhead")

    def compiled_step():
        optimizer.zero_grad(set_to_none=False)
        compiled().backward()
        optimizer.step()

    try:
        for _ in range(5):
            compiled_step()
        show("MLP 64-128-10, batch 32, torch.compile", 1 / seconds_per(compiled_step), "steps/s")
    except Exception as error:  # no compiler for its kernels, for instance
        print(f"torch.compile was not measured: {str(error).splitlines()[0]}")

square = torch.zeros(4096, 4096, device=device)
linear = torch.nn.Linear(4096, 4096, device=device)
with torch.no_grad():
    show("linear 4096 x 4096 x 4096, float32", 2 * 4096**3 / seconds_per(lambda: linear(square)) / 1e12, "TFLOP/s")
    torch.backends.cuda.matmul.allow_tf32 = True
    show("linear 4096 x 4096 x 4096, TF32", 2 * 4096**3 / seconds_per(lambda: linear(square)) / 1e12, "TFLOP/s")
