#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""@title@, in plain PyTorch. Exported by Ringside.

    python3 @script@ --out DIR      starts its @world_size@ ranks itself
    torchrun --nproc_per_node @world_size@ @script@ --out DIR      if torchrun starts them

@how@ DIR gets config.json, metrics.jsonl (losses and accuracies),
telemetry.jsonl (a hash of the samples each rank trained on), summary.json, and checkpoints from which Ringside can
continue.
@note@"""
@imports@
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn import functional
from torch.utils.data import @data_imports@
from torch.utils.data.distributed import DistributedSampler
@strategy_imports@
NAME = @name@
WORLD_SIZE = @world_size@
@strategy_constants@BATCH_SIZE = @batch_size@  # per @reader@; the global batch is @global_batch@
EPOCHS = @epochs@
@max_steps@LOG_EVERY = @log_every@  # steps between lines of metrics.jsonl
CHECKPOINT_EVERY = @checkpoint_every@  # epochs between checkpoints; 0 keeps the final weights only
HEADLINE = @headline@  # validation result shown first: exact counts every sample once, padded also repetitions
DATA = @data_path@
@not_carried@# The experiment in the format of Ringside. It is only written to DIR; the script does not use it.
CONFIG = @config@

@load_data@

class Part(Dataset):
    """Some of the samples, each with its number within this part."""

    def __init__(self, data, indices):
        self.data, self.indices, self.targets = data, indices, data.targets[indices]

    def __len__(self):
        return len(self.indices)

    def __getitem__(self, number):
        return (*self.data[self.indices[number]], number)

@split@@model@
@sampler@
def losses_and_correct(output, y):
    """Returns the loss of each sample, and 1 for each sample whose prediction is correct, otherwise 0."""
@losses@

class Metrics:
    """Sums of losses, correct predictions and samples; row 0 counts every sample once, row 1 every assigned position.

    A sampler puts the samples into an order and assigns the positions of the order to the ranks. It continues at the
    start of the order until all ranks have equally many, so every position past the end repeats a sample.
    """

    def __init__(self, sampler, device):
        self.positions, self.length = positions_of(sampler)
        self.sums = torch.zeros(2, 3, dtype=torch.float64, device=device)
        self.slots = 0

    def add(self, losses, correct):
        rows = torch.stack([losses.detach(), correct, torch.ones_like(correct)], dim=1).double()
        positions = torch.tensor(self.positions[self.slots : self.slots + len(rows)], device=rows.device)
        self.sums[0] += rows[positions < self.length].sum(0)
        self.sums[1] += rows.sum(0)
        self.slots += len(rows)
        return rows.sum(0)

    def result(self):
        """Returns the exact and the padded means over all ranks."""
        dist.all_reduce(self.sums)
        return {"exact": means(self.sums[0]), "padded": means(self.sums[1])}


def positions_of(sampler):
    """Returns the positions of this rank's samples in the sampler's order, and the length of the order."""
@own_positions@    return range(sampler.rank, sampler.total_size, sampler.num_replicas), len(sampler.dataset)


def means(sums):
    loss, correct, samples = sums.tolist()
    loss, accuracy = (value / samples if samples else math.nan for value in (loss, correct))
    return {
        "loss": loss if math.isfinite(loss) else None,
        "accuracy": accuracy if math.isfinite(accuracy) else None,
        "samples": int(samples),
    }


def write_safetensors(path, tensors):
    """Writes the safetensors format: the length of the header, the header as JSON, then the values of all tensors."""
    header, values = {}, b""
    for name, tensor in sorted(tensors.items()):
        tensor = tensor.detach().cpu().contiguous()
        value = tensor.numpy().tobytes()
        header[name] = {"dtype": {torch.float32: "F32", torch.int64: "I64"}[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [len(values), len(values) + len(value)]}
        values += value
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + values)


def read_safetensors(path):
    content = path.read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    tensors = {}
    for name, entry in json.loads(content[8:start]).items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            value = bytearray(content[start + begin : start + end])
            dtype = {"F32": torch.float32, "I64": torch.int64}[entry["dtype"]]
            tensors[name] = torch.frombuffer(value, dtype=dtype).reshape(entry["shape"])
    return tensors


@strategy_functions@
class Report:
    """The files of the run directory, written by rank 0."""

    def __init__(self, directory):
        self.directory = directory
        self.files = {}

    def line(self, name, **values):
        if dist.get_rank() != 0:
            return
        if name not in self.files:
            self.files[name] = open(self.directory / name, "w", buffering=1)
        self.files[name].write(json.dumps(values) + "\n")

    def save(self, network, tensors, step, epochs_done):
        """Writes a checkpoint: the weights, the optimizer's state of each weight, and last the manifest."""
        if dist.get_rank() != 0:
            return
        directory = self.directory / "checkpoints" / f"step-{step:08d}"
        directory.mkdir(parents=True, exist_ok=True)
        for name, part in zip(("model.safetensors", "optimizer.safetensors"), tensors):
            write_safetensors(directory / name, part)
        files = [{"name": file.name, "bytes": file.stat().st_size, "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
                 for file in sorted(directory.glob("*.safetensors"))]
        manifest = {"version": 1, "step": step, "epochs_done": epochs_done, "model": type(network).__name__,
                    "optimizer": "@optimizer_kind@", "files": files}
        (directory / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")

    def write(self, name, values):
        if dist.get_rank() == 0:
            (self.directory / name).write_text(json.dumps(values, indent=2) + "\n")


def sha256(tensors):
    return hashlib.sha256(b"".join(tensor.detach().cpu().numpy().tobytes() for tensor in tensors)).hexdigest()


def of_all_ranks(value):
    values = [None] * dist.get_world_size()
    dist.all_gather_object(values, value)
    return values


@stop@def train_epoch(model, loader, optimizer, epoch, step, report, device):
    model.train()
    metrics, used = Metrics(loader.sampler, device), []
@train_step@        if step % LOG_EVERY == 0:
            dist.all_reduce(step_sums)
            lr = optimizer.param_groups[0]["lr"]
            batch = means(step_sums)
            report.line("metrics.jsonl", kind="step", step=step, epoch=epoch, loss=batch["loss"],
                        accuracy=batch["accuracy"], lr=lr, samples=batch["samples"])
@last_step@    report.line("metrics.jsonl", kind="epoch", epoch=epoch, split="train", **metrics.result()["exact"])
@cut_epoch@    for rank, (count, digest) in enumerate(of_all_ranks((sum(map(len, used)), sha256(used)))@readers_only@):
        report.line("telemetry.jsonl", kind="consumed", rank=rank, epoch=epoch, count=count, sha256=digest)
    return step


@torch.no_grad()
def validate(model, loader, epoch, report, device):
    """Evaluates this rank's share of the samples. all_reduce adds up the sums of all ranks."""
    model.eval()
@share_buffers@    metrics = Metrics(loader.sampler, device)
    for x, y, _ in loader:
@validate_batch@    result = metrics.result()
    report.line("metrics.jsonl", kind="epoch", epoch=epoch, split="val", **result[HEADLINE], **result)
    return result[HEADLINE]


def train(device, args):
    """Trains one rank, from the first epoch to the final weights."""
    report = Report(args.out)
@world@    report.write("config.json", CONFIG)

@make_parts@
@make_sampler@
    loader = DataLoader(training, BATCH_SIZE, sampler=sampler, drop_last=@loader_drop_last@@loader_options@)
    validation_sampler = DistributedSampler(validation, shuffle=False@readers@)
    validation_loader = DataLoader(validation, BATCH_SIZE, sampler=validation_sampler@loader_options@)
    plan_hashes = of_all_ranks(sha256([torch.tensor(@planned@)]))@readers_only@

    torch.manual_seed(@training_seed@)
    network = build_model()
    if args.weights:
        network.load_state_dict(read_safetensors(args.weights))
    network.to(device)
    initial = sha256(network.parameters())
@wrap@    report.line("telemetry.jsonl", kind="replica", rank=0, step=0, hash=initial)
    optimizer = @optimizer@
@schedule@
@count_epochs@    step, final = 0, None
    for epoch in range(EPOCHS):
@set_epoch@
        step = train_epoch(model, loader, optimizer, epoch, step, report, device)
        final = validate(@evaluated@, validation_loader, epoch, report, device)
@cut_training@        report.line("telemetry.jsonl", kind="replica", rank=0, step=step, hash=@weights_hash@)
@schedule_step@        if CHECKPOINT_EVERY and (epoch + 1) % CHECKPOINT_EVERY == 0 and epoch + 1 < EPOCHS:
            report.save(network, @tensors@, step, epoch + 1)
@end_training@    report.save(network, @tensors@, step, @epochs_done@)
    weights = @weights_hash@
    report.write("summary.json", {
        "version": 1, "name": NAME, "state": "finished", "world_size": dist.get_world_size(), "steps": step,
        "final": {f"val_{key}": value for key, value in final.items()}, "plan_hashes": plan_hashes,
        "initial_parameters_sha256": initial, "parameters_sha256": weights})


def end_process():
    """Ends the process as sys.exit() does, but without the end of the interpreter.

    Gloo's threads can outlive destroy_process_group(), because caches of DTensor refer to the group. If such a thread then
    frees a tensor while the interpreter ends, the process aborts (PyTorch issue 190489).
    """
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def join_and_train(local_rank, args, init):
    device = torch.device(f"cuda:{local_rank}" if args.device == "cuda" else "cpu")
    if device.type == "cuda":
        torch.cuda.set_device(device)
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = @reduced_precision@
    dist.init_process_group("nccl" if device.type == "cuda" else "gloo",
                            timeout=datetime.timedelta(seconds=@timeout@), **init)
    train(device, args)  # a separate function: the end may hang unless the model is deleted before the group
    dist.barrier()
    dist.destroy_process_group()
    end_process()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, required=True, help="directory for metrics and weights")
    parser.add_argument("--data", type=pathlib.Path, default=DATA, help="the samples (default: %(default)s)")
    parser.add_argument("--weights", type=pathlib.Path, help="a model.safetensors to start from")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="@device@", help="default: %(default)s")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    if "RANK" in os.environ:  # torchrun has started this process as one of the ranks
        join_and_train(int(os.environ["LOCAL_RANK"]), args, {"init_method": "env://"})
        return
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // WORLD_SIZE)))
    if sys.platform == "linux":
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")  # all ranks are on this computer
    with tempfile.TemporaryDirectory() as directory:
        url = (pathlib.Path(directory) / "ranks").as_uri()
        try:
            mp.spawn(start_rank, args=(args, url), nprocs=WORLD_SIZE)
        except mp.ProcessExitedException as end:  # the rank has printed the reason, unless a signal ended it
            sys.exit(end.exit_code if end.exit_code >= 0 else str(end))


def start_rank(rank, args, url):
    join_and_train(rank, args, {"init_method": url, "rank": rank, "world_size": WORLD_SIZE})


if __name__ == "__main__":
    main()
