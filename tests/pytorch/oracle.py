# SPDX-License-Identifier: Apache-2.0
"""Answers queries about the behaviour of PyTorch: reads a JSON list of queries from standard input and prints a
JSON list of answers.
"""
import hashlib
import json
import sys

try:
    import torch
except ImportError:
    sys.exit("PyTorch is missing: install python3-torch, or configure with -DRINGSIDE_WITHOUT_PYTORCH=ON")
from torch.utils.data import (BatchSampler, DataLoader, RandomSampler, SequentialSampler, Subset,
                              SubsetRandomSampler, WeightedRandomSampler, random_split)
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
    """Returns the indices and batches of every rank, as a training script gets them."""
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
    """Returns the indices, and a number drawn after them, because the state of the generator must be equal too."""
    generator = seeded(q)
    sampler = RandomSampler(range(q["n"]), replacement=q["replacement"], num_samples=q["count"], generator=generator)
    return [list(sampler), torch.randint(0, 1000000, (1,), generator=generator).item()]


def weighted_sampler(q):
    return list(WeightedRandomSampler(q["weights"], q["count"], replacement=True, generator=seeded(q)))


def order_of(q):
    data = range(q["n"])
    generator = torch.Generator().manual_seed(q["seed"] + q["epoch"])
    return list(RandomSampler(data, generator=generator) if q["shuffle"] else SequentialSampler(data))


def distributed_over(data, q, rank, world=None, seed=None, shuffle=None):
    """Returns the list of a DistributedSampler over any data, as positions in it."""
    sampler = DistributedSampler(data, num_replicas=world or q["world"], rank=rank,
                                 shuffle=q["shuffle"] if shuffle is None else shuffle,
                                 seed=q["seed"] if seed is None else seed, drop_last=q["drop_last"])
    sampler.set_epoch(q["epoch"])
    return list(sampler)


def subset_indices(q):
    if q["subset"]:
        return q["subset"]
    generator = torch.Generator().manual_seed(q["subset_seed"])
    return torch.randperm(q["n"], generator=generator).tolist()[:q["subset_size"]]


def random_kind(q, rank):
    torch.manual_seed(q["seed"] + q["epoch"])
    loader = DataLoader(range(q["n"]), batch_size=q["batch"], shuffle=True, collate_fn=list)
    return [index for batch in loader for index in batch]


def batch_sharded_kind(q, rank):
    """Returns a rank's samples if complete batches are assigned in turn. Samples that the last round lacks are taken
    from the beginning of the order, repeatedly if necessary.
    """
    order, world, size = order_of(q), q["world"], q["batch"]
    batches = list(BatchSampler(order, size, q["drop_last"]))
    if q["drop_last"]:
        batches = batches[:len(batches) // world * world]
    fill = [order[i % len(order)] for i in range(world * size)]
    while batches and (len(batches) % world or len(batches[-1]) < size):
        if len(batches[-1]) == size:
            batches.append([])
        take = size - len(batches[-1])
        batches[-1] = batches[-1] + fill[:take]
        fill = fill[take:]
    return [index for batch in batches[rank::world] for index in batch]


def contiguous_kind(q, rank):
    order, world = order_of(q), q["world"]
    size = len(order) // world if q["drop_last"] else -(-len(order) // world)
    return [order[i % len(order)] for i in range(rank * size, (rank + 1) * size)]


def weighted_kind(q, rank):
    labels = torch.tensor(q["labels"])
    counts = torch.bincount(labels, minlength=q["classes"]).double()
    by_class = torch.tensor(q["class_weights"], dtype=torch.double) if q["class_weights"] else 1.0 / counts
    generator = torch.Generator().manual_seed(q["seed"] + q["epoch"])
    return list(WeightedRandomSampler(by_class[labels], q["count"], replacement=True, generator=generator))


def distributed_weighted_kind(q, rank):
    drawn = weighted_kind(q, rank)
    return [drawn[i] for i in distributed_over(drawn, q, rank, shuffle=False)]


def subset_kind(q, rank):
    subset = Subset(range(q["n"]), subset_indices(q))
    return [subset[i] for i in distributed_over(subset, q, rank)]


def subset_random_kind(q, rank):
    generator = torch.Generator().manual_seed(q["seed"] + q["epoch"])
    return list(SubsetRandomSampler(subset_indices(q), generator=generator))


def double_sharding(q, rank):
    share = Subset(range(q["n"]), distributed_over(range(q["n"]), q, rank, shuffle=False))
    return [share[i] for i in distributed_over(share, q, rank)]


KINDS = {
    "sequential": lambda q, rank: list(SequentialSampler(range(q["n"]))),
    "random": random_kind,
    "batch_sharded": batch_sharded_kind,
    "contiguous": contiguous_kind,
    "unpadded": lambda q, rank: order_of(q)[rank::q["world"]],
    "weighted": weighted_kind,
    "distributed_weighted": distributed_weighted_kind,
    "subset": subset_kind,
    "subset_random": subset_random_kind,
    "seed_per_rank": lambda q, rank: distributed_over(range(q["n"]), q, rank, seed=q["seed"] + rank),
    "double_sharding": double_sharding,
    "wrong_rank": lambda q, rank: distributed_over(range(q["n"]), q, q["wrong_rank"]),
    "wrong_world_size": lambda q, rank: distributed_over(range(q["n"]), q, rank, world=q["wrong_world_size"]),
}


def sampler_kind(q):
    """Returns the indices of every rank, for a kind of sampler or with a mistake."""
    return [KINDS[q["kind"]](q, rank) for rank in range(q["world"])]


queries = json.load(sys.stdin)
json.dump([globals()[q["ask"]](q) for q in queries], sys.stdout)
