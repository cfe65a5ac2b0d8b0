# SPDX-License-Identifier: Apache-2.0
"""Fingerprints of data sets and batches, so that ranks can be compared. No item is read, no value is recorded.

A data set is described by its length, its class, a hash of its list of samples (indices of a Subset, files of a folder)
and the checksum of a few values of its tensors. Checksums of equal content are equal on all hosts.
"""
import array
import hashlib
import itertools
import weakref
import zlib

from . import created

LISTS = ("samples", "imgs", "files", "filenames", "paths")
MAX_ITEMS = 4096  # limit of the number of hashed items of a list, which are evenly spaced
MAX_LISTED = 1000000  # a Subset with more indices is reported without the list of its indices
MAX_VALUES = 64  # limit of the number of values read of a tensor or of a sample, which are evenly spaced


def length(dataset):
    try:
        return len(dataset)
    except Exception:
        return None


def _spaced(items, most):
    step = max(1, len(items) // most)
    return items[::step][:most]


def hash_list(items):
    """Returns the SHA-256 of the length of a list and of evenly spaced items."""
    sha = hashlib.sha256(str(len(items)).encode())
    for item in _spaced(items, MAX_ITEMS):
        sha.update(repr(item if not hasattr(item, "item") else item.item()).encode("utf-8", "replace") + b"\n")
    return sha.hexdigest()


def checksum(tensor):
    """Returns the CRC-32 of the shape of a tensor and of evenly spaced values; None if the object is no tensor on the
    CPU.
    """
    if not hasattr(tensor, "reshape") or not hasattr(tensor, "shape"):
        return None
    device = getattr(tensor, "device", None)
    if device is not None and getattr(device, "type", "cpu") != "cpu":
        return None
    flat = tensor.reshape(-1)
    values = _spaced(flat, MAX_VALUES).tolist() if len(flat) else []
    return zlib.crc32(repr((tuple(tensor.shape), values)).encode())


_objects = {}  # id of a data set object -> (weak reference or None, number of the object)
_references = {}  # number of a data set object -> weak reference or None
_count = itertools.count()


def number_of(dataset):
    """Returns the number of a data set object. No other object of this process has the same number."""
    reference, number = _objects.get(id(dataset), (None, None))
    if number is not None and (reference is None or reference() is dataset):
        return number
    try:
        reference = weakref.ref(dataset)
    except TypeError:  # some objects, such as a list, cannot be referenced weakly
        reference = None
    number = next(_count)
    _objects[id(dataset)], _references[number] = (reference, number), reference
    return number


def is_gone(number):
    """Returns whether the data set object with this number no longer exists."""
    reference = _references.get(number)
    return reference is not None and reference() is None


def is_same_content(facts, others):
    """Returns whether two descriptions of data sets are equal, apart from the objects, and show the content of each
    innermost data set.
    """
    one, other = _content_of(facts), _content_of(others)
    return one == other and all(_shows_content(innermost) for innermost in _innermost_of(one))


def _content_of(facts):
    """Returns a description without the numbers of the objects and without the lines that created them."""
    if isinstance(facts, list):
        return [_content_of(one) for one in facts]
    if not isinstance(facts, dict):
        return facts
    return {key: _content_of(value) for key, value in facts.items() if key not in ("object", "created")}


def _innermost_of(facts):
    """Returns the descriptions of the innermost data sets: those in a description that contain no other data set."""
    inside = ([facts["inner"]] if "inner" in facts else []) + facts.get("parts", [])
    return [one for part in inside for one in _innermost_of(part)] if inside else [facts]


def _shows_content(facts):
    """Returns whether a description has a value that depends on the samples. The hash of the indices of a Subset does not;
    a checksum is None for a tensor that is not on the CPU.
    """
    return any(key == "fingerprint" or key.endswith("_sha256") and key != "indices_sha256"
               or key.endswith("_crc32") and any(one is not None for one in value) for key, value in facts.items())


def take_number(dataset, facts):
    """Gives a data set and the data sets inside it the object numbers in `facts`. The objects that had these numbers no
    longer exist.
    """
    number, attributes = facts.get("object"), getattr(dataset, "__dict__", {})
    reference = _objects[id(dataset)][0]
    _objects[id(dataset)], _references[number] = (reference, number), reference
    if "inner" in facts:
        take_number(attributes["dataset"], facts["inner"])
    for part, inner in zip(attributes.get("datasets") or (), facts.get("parts") or ()):
        take_number(part, inner)


def subsets(dataset, depth=0):
    """Returns [(number, indices)] of the Subset objects in a data set, from the outermost to the innermost."""
    attributes = getattr(dataset, "__dict__", {})
    found = []
    indices = attributes.get("indices")
    if indices is not None and attributes.get("dataset") is not None and hasattr(indices, "__len__"):
        if len(indices) <= MAX_LISTED:
            found.append((number_of(dataset), indices))
    if depth < 4 and attributes.get("dataset") is not None:
        found += subsets(attributes["dataset"], depth + 1)
    return found


def describe(dataset, depth=0):
    kind = type(dataset)
    facts = {"class": "%s.%s" % (kind.__module__, kind.__qualname__), "object": number_of(dataset)}
    count = length(dataset) if not _is_iterable_only(dataset) else None
    if count is not None:
        facts["length"] = count
    line = created.line_of(dataset)
    if line:
        facts["created"] = line
    attributes = getattr(dataset, "__dict__", {})
    if isinstance(attributes.get("_fingerprint"), str):
        facts["fingerprint"] = attributes["_fingerprint"][:100]
    if "indices" in attributes and hasattr(attributes["indices"], "__len__"):
        facts["indices_sha256"] = hash_list(attributes["indices"])
    for name in _attribute_that_lists_samples(attributes, count):
        facts[name + "_sha256"] = hash_list(attributes[name])
    sums = [checksum(one) for one in _arrays(attributes)]
    if sums:
        facts["content_crc32"] = sums
    if depth < 4 and attributes.get("dataset") is not None:
        facts["inner"] = describe(attributes["dataset"], depth + 1)
    if depth < 4 and isinstance(attributes.get("datasets"), (list, tuple)):
        facts["parts"] = [describe(one, depth + 1) for one in attributes["datasets"][:16]]
    return facts


def _attribute_that_lists_samples(attributes, count):
    """Returns a list with the name of the attribute that lists the samples of a data set, or an empty list. Prefers the
    names in LISTS to other lists of numbers or strings with one item for each sample.
    """
    usual = [name for name in LISTS if isinstance(attributes.get(name), (list, tuple))]
    others = [name for name, value in attributes.items()
              if isinstance(value, (list, tuple)) and value and len(value) == count and _is_plain(value[0])]
    return (usual + sorted(others))[:1]


def _is_plain(item):
    return isinstance(item, (str, int, float)) or (
        isinstance(item, tuple) and all(isinstance(one, (str, int, float)) for one in item))


def _is_iterable_only(dataset):
    return not hasattr(dataset, "__getitem__")


def _arrays(attributes):
    """Returns the tensors and arrays that are attributes of a data set. Those of TensorDataset, MNIST and CIFAR come
    first.
    """
    found = []
    usual = ("tensors", "data", "targets")
    for name in usual + tuple(sorted(set(attributes) - set(usual))):
        value = attributes.get(name)
        found.extend(one for one in (value if isinstance(value, tuple) else [value]) if _is_array(one))
    return found[:8]


def _is_array(value):
    """True for a tensor or an array of which single values can be read without copying all of them."""
    if not (hasattr(value, "reshape") and hasattr(value, "shape") and hasattr(value, "tolist")):
        return False
    if hasattr(value, "is_contiguous"):
        return value.is_contiguous()
    return bool(getattr(getattr(value, "flags", None), "c_contiguous", False))


def _tensors(data):
    if hasattr(data, "dim") and hasattr(data, "shape"):
        return [data]
    if isinstance(data, dict):
        data = list(data.values())
    if isinstance(data, (list, tuple)):
        return [tensor for one in data[:8] for tensor in _tensors(one)]
    return []


def batch_length(data):
    """Returns the number of samples in a batch: the first dimension of its first tensor; None if it is not known."""
    tensors = _tensors(data)
    if tensors and tensors[0].dim() > 0:
        return int(tensors[0].shape[0])
    return len(data) if isinstance(data, list) and not tensors else None


def _rows(tensor, count):
    """Returns the CRC-32 of evenly spaced values of each of the first samples of a batch."""
    flat = tensor[:count].reshape(count, -1)
    step = max(1, flat.shape[1] // MAX_VALUES)
    rows = flat[:, ::step][:, :MAX_VALUES].tolist()
    return [zlib.crc32(array.array("d", row).tobytes()) for row in rows]


def fingerprint_batch(data, samples, most):
    """Returns the checksums of the first samples in the batch's first tensor and in its last one, or None."""
    tensors = [one for one in _tensors(data) if one.dim() > 0 and one.shape[0] == samples and one.device.type == "cpu"]
    if not tensors or not samples or tensors[0].is_complex() or tensors[-1].is_complex():
        return None
    count = min(int(samples), most)
    facts = {"sample_crc32": _rows(tensors[0], count)}
    if len(tensors) > 1:
        facts["label_crc32"] = _rows(tensors[-1], count)
    return facts
