# SPDX-License-Identifier: Apache-2.0
"""Describes loaders, samplers and passes by their attributes. No index is drawn, and no property is evaluated."""
from . import created, datasets, places

LOADER = ("batch_size", "drop_last", "num_workers", "prefetch_factor", "persistent_workers", "pin_memory", "in_order")
SAMPLER = ("num_replicas", "rank", "epoch", "seed", "shuffle", "drop_last", "total_size", "num_samples", "replacement",
           "_num_samples", "batch_size", "num_processes", "process_index", "split_batches", "even_batches",
           "skip_batches", "initial_seed")
INNER = ("batch_sampler", "sampler", "base_sampler", "_sampler", "dataset")


def _plain(value):
    return isinstance(value, (bool, int, float, str)) and len(str(value)) < 100


def describe(sampler, depth=0):
    """Returns the class and simple attributes of a sampler, and of the samplers inside it, up to four levels deep."""
    kind = type(sampler)
    facts = {"class": "%s.%s" % (kind.__module__, kind.__qualname__)}
    attributes = getattr(sampler, "__dict__", {})
    for name in SAMPLER:
        if _plain(attributes.get(name)):
            facts[name.lstrip("_")] = attributes[name]
    line = created.line_of(sampler)
    if line:
        facts["created"] = line
    generator = attributes.get("generator")
    if generator is not None and hasattr(generator, "initial_seed"):
        facts["generator_seed"] = generator.initial_seed()
    source = attributes.get("data_source")
    length = datasets.length(source) if source is not None else None
    if length is not None:
        facts["source_length"] = length
    for name in INNER[:-1]:
        inner = attributes.get(name)
        if inner is not None and depth < 4 and hasattr(inner, "__iter__"):
            facts["inner"] = describe(inner, depth + 1)
            break
    return facts


def _batch_sampler_or_sampler(attributes):
    """Returns the batch sampler of a DataLoader, or its sampler if it has none. Compares with None, because the truth
    value of a sampler may call a missing __len__.
    """
    batch_sampler = attributes.get("batch_sampler")
    return batch_sampler if batch_sampler is not None else attributes.get("sampler")


def describe_loader(loader):
    attributes = getattr(loader, "__dict__", {})
    facts = {"class": "%s.%s" % (type(loader).__module__, type(loader).__qualname__), "where": places.user_line(2)}
    line = created.line_of(loader)
    if line:
        facts["created"] = line
    for name in LOADER:
        if _plain(attributes.get(name)):
            facts[name] = attributes[name]
    facts["sampler"] = describe(_batch_sampler_or_sampler(attributes))
    facts["dataset"] = datasets.describe(attributes.get("dataset"))
    return facts


def find(sampler, name, depth=0):
    """Returns the first simple attribute of this name among a sampler and the samplers inside it, from the outermost to
    the innermost, or None.
    """
    attributes = getattr(sampler, "__dict__", {})
    if _plain(attributes.get(name)):
        return attributes[name]
    for inner in INNER[:-1]:
        if attributes.get(inner) is not None and depth < 4:
            found = find(attributes[inner], name, depth + 1)
            if found is not None:
                return found
    return None


def describe_pass(loader, loader_number, pass_number):
    """Returns the facts of a pass at its begin. They contain sampler_epoch only if a sampler of the loader has an
    epoch.
    """
    attributes = getattr(loader, "__dict__", {})
    sampler = _batch_sampler_or_sampler(attributes)
    facts = {"loader": loader_number, "pass": pass_number, "where": places.user_line(2)}
    epoch = find(sampler, "epoch")
    if epoch is not None:
        facts["sampler_epoch"] = epoch
    return facts
