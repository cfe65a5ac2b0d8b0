#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""@title@, in plain PyTorch. Exported by Ringside.

    python3 @script@ --out DIR      starts its @world_size@ ranks itself
    torchrun --nproc_per_node @world_size@ @script@ --out DIR      when torchrun is to start them

Every rank is a process that runs train(): it holds the whole model, DistributedSampler deals it its own samples, and
DistributedDataParallel averages the gradients of all ranks. DIR gets metrics.jsonl (losses and accuracies),
telemetry.jsonl (a hash of the samples each rank trained on), summary.json and the weights.
"""
@imports@

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn import functional
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

try:
    from safetensors.torch import save_file
except ImportError:  # then weights are saved in PyTorch's own format
    save_file = None

NAME = @name@
WORLD_SIZE = @world_size@
BATCH_SIZE = @batch_size@  # per rank; the global batch is @global_batch@
EPOCHS = @epochs@
LOG_EVERY = @log_every@  # steps between lines of metrics.jsonl
CHECKPOINT_EVERY = @checkpoint_every@  # epochs between checkpoints; 0 keeps the final weights only
HEADLINE = @headline@  # the validation figure shown first: exact counts every sample once, padded also the repeats
DATA = @data_path@

@load_data@

def split(x, y):
    """The samples that train and those that validate, each with its number within its part."""
    order = torch.randperm(len(x), generator=torch.Generator().manual_seed(@split_seed@))
    kept_back = min(max(math.ceil(len(x) * @validation_fraction@ - 1e-9), 1), len(x) - 1)
    training, validation = order[: len(x) - kept_back], order[len(x) - kept_back :]
@standardize@    return [TensorDataset(x[part], y[part], torch.arange(len(part))) for part in (training, validation)]

@model@

def losses_and_hits(output, y):
    """One loss per sample, and 1 where the answer is right."""
@losses@

class Metrics:
    """Sums of loss, hits and samples; row 0 counts every sample once, row 1 everything that was dealt.

    DistributedSampler goes round the ranks like a dealer of cards: slot s of rank r is card r + world_size * s. It
    repeats cards from the start until all ranks have equally many, so that what comes after the last one is a repeat.
    """

    def __init__(self, dataset, device):
        self.size = len(dataset)
        self.sums = torch.zeros(2, 3, dtype=torch.float64, device=device)
        self.slots = 0

    def add(self, losses, hits):
        rows = torch.stack([losses.detach(), hits, torch.ones_like(hits)], dim=1).double()
        slots = torch.arange(self.slots, self.slots + len(rows), device=rows.device)
        card = dist.get_rank() + dist.get_world_size() * slots
        self.sums[0] += rows[card < self.size].sum(0)
        self.sums[1] += rows.sum(0)
        self.slots += len(rows)
        return rows.sum(0)

    def result(self):
        """Exact and padded means over all ranks."""
        dist.all_reduce(self.sums)
        return {"exact": means(self.sums[0]), "padded": means(self.sums[1])}


def means(sums):
    loss, hits, samples = sums.tolist()
    loss, accuracy = (value / samples if samples else math.nan for value in (loss, hits))
    return {
        "loss": loss if math.isfinite(loss) else None,
        "accuracy": accuracy if math.isfinite(accuracy) else None,
        "samples": int(samples),
    }


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

    def save(self, model, step):
        if dist.get_rank() != 0:
            return
        directory = self.directory / "checkpoints" / f"step-{step:08d}"
        directory.mkdir(parents=True, exist_ok=True)
        if save_file:
            save_file(model.state_dict(), directory / "model.safetensors")
        else:
            torch.save(model.state_dict(), directory / "model.pt")

    def summary(self, **values):
        if dist.get_rank() == 0:
            (self.directory / "summary.json").write_text(json.dumps(values, indent=2) + "\n")


def sha256(tensors):
    return hashlib.sha256(b"".join(tensor.detach().cpu().numpy().tobytes() for tensor in tensors)).hexdigest()


def of_all_ranks(value):
    values = [None] * dist.get_world_size()
    dist.all_gather_object(values, value)
    return values


def train_epoch(model, loader, optimizer, epoch, step, report, device):
    model.train()
    metrics, used = Metrics(loader.dataset, device), []
@train_step@        if step % LOG_EVERY == 0:
            dist.all_reduce(step_sums)
            lr = optimizer.param_groups[0]["lr"]
            batch = means(step_sums)
            report.line("metrics.jsonl", kind="step", step=step, epoch=epoch, loss=batch["loss"],
                        accuracy=batch["accuracy"], lr=lr, samples=batch["samples"])
    report.line("metrics.jsonl", kind="epoch", epoch=epoch, split="train", **metrics.result()["exact"])
    for rank, (count, digest) in enumerate(of_all_ranks((sum(map(len, used)), sha256(used)))):
        report.line("telemetry.jsonl", kind="consumed", rank=rank, epoch=epoch, count=count, sha256=digest)
    return step


@torch.no_grad()
def validate(model, loader, epoch, report, device):
    """Every rank evaluates its share; all_reduce puts the sums together."""
    model.eval()
    metrics = Metrics(loader.dataset, device)
    for x, y, _ in loader:
        metrics.add(*losses_and_hits(model(x.to(device)), y.to(device)))
    result = metrics.result()
    report.line("metrics.jsonl", kind="epoch", epoch=epoch, split="val", **result[HEADLINE], **result)
    return result[HEADLINE]


def train(device, args):
    """One rank, from the first epoch to the final weights."""
    report = Report(args.out)

    training, validation = split(*load_data(args.data))
    sampler = DistributedSampler(training, shuffle=@shuffle@, seed=@sampler_seed@, drop_last=@sampler_drop_last@)
    loader = DataLoader(training, BATCH_SIZE, sampler=sampler, drop_last=@loader_drop_last@@loader_options@)
    validation_sampler = DistributedSampler(validation, shuffle=False)
    validation_loader = DataLoader(validation, BATCH_SIZE, sampler=validation_sampler)
    plan_hashes = of_all_ranks(sha256([torch.tensor(list(sampler))]))

    torch.manual_seed(@training_seed@)
    network = build_model().to(device)
    initial = sha256(network.parameters())
    model = DistributedDataParallel(network, bucket_cap_mb=@bucket_cap_mb@)  # starts all ranks from rank 0's weights
    optimizer = @optimizer@
@schedule@
    step, final = 0, None
    for epoch in range(EPOCHS):
@set_epoch@
        step = train_epoch(model, loader, optimizer, epoch, step, report, device)
        final = validate(network, validation_loader, epoch, report, device)
@schedule_step@        if CHECKPOINT_EVERY and (epoch + 1) % CHECKPOINT_EVERY == 0 and epoch + 1 < EPOCHS:
            report.save(network, step)
    report.save(network, step)
    report.summary(version=1, name=NAME, state="finished", world_size=dist.get_world_size(), steps=step,
                   final={f"val_{key}": value for key, value in final.items()}, plan_hashes=plan_hashes,
                   initial_parameters_sha256=initial, parameters_sha256=sha256(network.parameters()))


def join_and_train(local_rank, args, init):
    device = torch.device(f"cuda:{local_rank}" if args.device == "cuda" else "cpu")
    if device.type == "cuda":
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if device.type == "cuda" else "gloo",
                            timeout=datetime.timedelta(seconds=@timeout@), **init)
    train(device, args)  # a function of its own: the model must be gone before the group, or the end may hang
    dist.barrier()
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, required=True, help="directory for metrics and weights")
    parser.add_argument("--data", type=pathlib.Path, default=DATA, help="the samples (default: %(default)s)")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="@device@", help="default: %(default)s")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    if "RANK" in os.environ:  # torchrun has started this process as one of the ranks
        join_and_train(int(os.environ["LOCAL_RANK"]), args, {"init_method": "env://"})
        return
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // WORLD_SIZE)))
    if sys.platform == "linux":
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")  # all ranks are on this computer
    with tempfile.TemporaryDirectory() as meeting_place:
        url = (pathlib.Path(meeting_place) / "ranks").as_uri()
        mp.spawn(start_rank, args=(args, url), nprocs=WORLD_SIZE)


def start_rank(rank, args, url):
    join_and_train(rank, args, {"init_method": url, "rank": rank, "world_size": WORLD_SIZE})


if __name__ == "__main__":
    main()
