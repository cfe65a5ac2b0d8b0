# SPDX-License-Identifier: Apache-2.0
"""Measures the figures of gpu_bench with PyTorch and prints them in the same form: eager, with a CUDA graph, and with
torch.compile and CUDA graphs.
"""
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
    """Returns the seconds per call. Doubles the number of calls until they take long enough, as gpu_bench does."""
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


class Training:
    """The step of gpu_bench's Training: cross-entropy and SGD with momentum, on data that stays on the GPU."""

    def __init__(self, model, batch, shape, bf16):
        self.model = model.to(device)
        self.x = torch.randn(batch, *shape, device=device)  # random, because products of zeros are faster
        self.labels = torch.zeros(batch, dtype=torch.int64, device=device)
        self.loss = torch.nn.CrossEntropyLoss()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9)
        self.bf16 = bf16

    def forward(self):
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=self.bf16, cache_enabled=False):
            return self.loss(self.model(self.x), self.labels)

    def step(self):
        self.optimizer.zero_grad(set_to_none=False)
        self.forward().backward()
        self.optimizer.step()

    def compiled_step(self, forward):
        """Runs a compiled step. Releases the gradients first: they are in the memory of torch.compile's CUDA graph,
        which the next pass reuses.
        """
        torch.compiler.cudagraph_mark_step_begin()
        self.optimizer.zero_grad(set_to_none=True)
        forward().backward()
        self.optimizer.step()


def mlp():
    return torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))


def simple_cnn():
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 32, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(32, 64, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
        torch.nn.Flatten(), torch.nn.Linear(4096, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10))


def measure(what, make, compiles):
    training = make()
    show(f"{what}, eager", 1 / seconds_per(training.step), "steps/s")
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(5):
            training.step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        training.step()
    show(f"{what}, CUDA graph", 1 / seconds_per(graph.replay), "steps/s")
    if not compiles or not hasattr(torch, "compile"):
        return
    try:
        training = make()
        compiled = torch.compile(training.forward, mode="reduce-overhead")
        for _ in range(5):
            training.compiled_step(compiled)
        show(f"{what}, torch.compile", 1 / seconds_per(lambda: training.compiled_step(compiled)), "steps/s")
    except Exception as error:  # for example, without a compiler for the kernels
        print(f"torch.compile was not measured: {str(error).splitlines()[0]}")


def measure_optimizer(name, **options):
    """Measures gpu_bench's optimizer: clip_grad_norm_() and AdamW over 144 tensors."""
    shapes = [(256, 256) if i % 3 == 0 else (256,) for i in range(144)]
    parameters = [torch.nn.Parameter(torch.zeros(shape, device=device)) for shape in shapes]
    for one in parameters:
        one.grad = torch.randn_like(one)
    optimizer = torch.optim.AdamW(parameters, lr=1e-3, **options)

    def update():
        torch.nn.utils.clip_grad_norm_(parameters, 1.0, foreach=options.get("foreach", True))
        optimizer.step()

    show(f"AdamW, clipped, 144 tensors, {name}, eager", 1 / seconds_per(update), "updates/s")


device = torch.device("cuda:0")
measure_optimizer("fused", fused=True)
measure_optimizer("foreach", foreach=True)
measure_optimizer("one by one", foreach=False)
square = torch.randn(4096, 4096, device=device)
for name, tf32, bf16 in ("float32", False, False), ("TF32", True, False), ("bf16", False, True):
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
    measure(f"MLP 64-128-10, batch 32, {name}", lambda: Training(mlp(), 32, (64,), bf16), not tf32)
    measure(f"SimpleCNN, batch 128, {name}", lambda: Training(simple_cnn(), 128, (3, 32, 32), bf16), not tf32)
    linear = torch.nn.Linear(4096, 4096, device=device)
    with torch.no_grad(), torch.autocast("cuda", dtype=torch.bfloat16, enabled=bf16):
        show(f"linear 4096 x 4096 x 4096, {name}", 2 * 4096**3 / seconds_per(lambda: linear(square)) / 1e12, "TFLOP/s")
