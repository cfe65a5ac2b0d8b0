# SPDX-License-Identifier: Apache-2.0
"""What PyTorch does: a JSON list of questions on standard input, a JSON list of answers on standard output."""
import hashlib
import json
import sys

try:
    import torch
except ImportError:
    sys.exit("PyTorch is missing: install python3-torch, or configure with -DRINGSIDE_WITHOUT_PYTORCH=ON")
from torch.utils.data import (DataLoader, RandomSampler, SubsetRandomSampler, WeightedRandomSampler,
                              random_split)
from torch.utils.data.distributed import DistributedSampler


def sha256_int64(values):
    return hashlib.sha256(b"".join(v.to_bytes(8, "little", signed=True) for v in values)).hexdigest()


def sha256_float32(tensor):
    floats = tensor.contiguous().view(-1).tolist()
    import array
    return hashlib.sha256(array.array("f", floats).tobytes()).hexdigest()


def sampler_of(q, rank):
    sampler = DistributedSampler(range(q["n"]), num_replicas=q["world"], rank=rank, shuffle=q["shuffle"],
                                 seed=q["seed"], drop_last=q["drop_last"])
    sampler.set_epoch(q["epoch"])
    return sampler


def distributed(q):
    """Indices and batches of every rank, as a training script gets them."""
    ranks = []
    for rank in range(q["world"]):
        sampler = sampler_of(q, rank)
        loader = DataLoader(range(q["n"]), batch_size=q["batch"], sampler=sampler, drop_last=q["loader_drop_last"],
                            collate_fn=list)
        ranks.append({"indices": list(sampler), "batches": list(loader)})
    return ranks


def distributed_hashes(q):
    return [sha256_int64(list(sampler_of(q, rank))) for rank in q["ranks"]]


def split(q):
    generator = torch.Generator()
    generator.manual_seed(q["seed"])
    parts = random_split(range(sum(q["sizes"])), q["sizes"], generator=generator)
    return [list(part.indices) for part in parts]


def randperm(q):
    generator = torch.Generator()
    generator.manual_seed(q["seed"])
    return sha256_int64(torch.randperm(q["n"], generator=generator).tolist())


def synthetic(q):
    torch.manual_seed(q["seed"])
    x = torch.randn(q["size"], q["features"])
    y = torch.randn(q["size"], q["targets"])
    return [sha256_float32(x), sha256_float32(y)]


def uniform(q):
    torch.manual_seed(q["seed"])
    return sha256_float32(torch.empty(q["n"]).uniform_(q["low"], q["high"]))


def randint(q):
    torch.manual_seed(q["seed"])
    return torch.randint(q["low"], q["high"], (q["n"],)).tolist()


def seeded(q):
    generator = torch.Generator()
    generator.manual_seed(q["seed"])
    return generator


def random_sampler(q):
    """The indices, and a number drawn after them: the generator's state counts too."""
    generator = seeded(q)
    sampler = RandomSampler(range(q["n"]), replacement=q["replacement"], num_samples=q["count"], generator=generator)
    return [list(sampler), torch.randint(0, 1000000, (1,), generator=generator).item()]


def subset_sampler(q):
    return list(SubsetRandomSampler(q["indices"], generator=seeded(q)))


def weighted_sampler(q):
    return list(WeightedRandomSampler(q["weights"], q["count"], replacement=True, generator=seeded(q)))


def shuffled_loader(q):
    torch.manual_seed(q["seed"])
    loader = DataLoader(range(q["n"]), batch_size=q["batch"], shuffle=True, drop_last=q["drop_last"], collate_fn=list)
    return [list(loader) for _ in range(q["epochs"])]


questions = json.load(sys.stdin)
json.dump([globals()[q["ask"]](q) for q in questions], sys.stdout)
