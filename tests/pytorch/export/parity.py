#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains every case twice, with Ringside and with its exported script under real PyTorch, and compares step by step.

    tests/pytorch/export/parity.py --bin build/release/bin            all cases, as a table
    tests/pytorch/export/parity.py --bin build/release/bin mlp-1-sgd  one case; exit code 0 if it meets its requirements
    tests/pytorch/export/parity.py --bin build/release/bin --long     280 steps of SimpleCNN at CIFAR's size, minutes

A case must have the same samples for every rank in every epoch (SHA-256), the same initial weights to the last bit,
every step's loss within the tolerance, and the final validation accuracy within half a point. The exit code is 77 if
all tested cases meet this, but some were left out: a package is missing, or a strategy needs PyTorch 2.6.
RINGSIDE_PEER_PYTHON names a python3 with a newer PyTorch for these cases; ./test --peers sets it.
"""
import argparse
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from newer_torch import HINT, python_with_torch  # noqa: E402

HALF_POINT = 0.005
LEFT_OUT = 77
MLP, CNN = 1e-5, 1e-4  # largest relative difference of a loss, for perceptrons and for convolutional models

SGD = {"kind": "sgd", "lr": 0.05}
SGD_TUTORIAL = {"kind": "sgd", "lr": 0.001}  # the rate of PyTorch's tutorial on CIFAR-10, with our momentum of 0.9
ADAM = {"kind": "adam", "lr": 0.001}
ADAMW = {"kind": "adamw", "lr": 0.001, "weight_decay": 0.01}
TOY = {"dataset": {"kind": "synthetic"}, "model": {"kind": "toy_linear"}}
SIMPLE_CNN = {"model": {"kind": "simple_cnn"}}
IMBALANCED = {"kind": "synthetic", "shape": "imbalanced", "size": 300, "features": 8, "classes": 3}
LIST = [{"kind": "conv2d", "out": 8, "kernel": 3, "padding": 1}, {"kind": "batch_norm2d"}, {"kind": "gelu"},
        {"kind": "residual", "layers": [{"kind": "conv2d", "out": 8, "kernel": 3, "padding": 1}]},
        {"kind": "max_pool2d", "kernel": 2}, {"kind": "flatten"}, {"kind": "layer_norm"}, {"kind": "linear", "out": 32}, {"kind": "relu"}, {"kind": "linear"}]
TEXT_LIST = [{"kind": "embedding", "out": 16}, {"kind": "position_embedding"},
             {"kind": "residual", "layers": [{"kind": "layer_norm"}, {"kind": "attention", "heads": 2}]},
             {"kind": "layer_norm"}, {"kind": "linear"}]
WIDE = {"kind": "conv2d", "out": 32, "kernel": 3, "padding": 1}
WINOGRAD = [WIDE, {"kind": "relu"}, WIDE, {"kind": "relu"}, {"kind": "max_pool2d", "kernel": 2}, {"kind": "flatten"}, {"kind": "linear"}]


def case(world, epochs, update, steps, tolerance=MLP, data=None, **sections):
    sections = {name: dict(section) for name, section in sections.items()}
    sections.setdefault("parallel", {}).update(world_size=world, timeout_seconds=120)
    sections.setdefault("training", {}).update(epochs=epochs)
    sections["optimizer"] = {**update, **sections.get("optimizer", {})}
    return {"config": {"version": 1, **sections}, "steps": steps, "tolerance": tolerance, "data": data, "readers": world}


def strategy(name, world, readers, update, steps, needs=(2, 6), **sections):
    """Returns a case with the digits under another strategy. All batches have one size, which PyTorch's pipelines
    require.
    """
    sections.setdefault("loader", {}).setdefault("drop_last", True)
    sections.setdefault("training", {})
    sections["parallel"] = {"strategy": name, **sections.get("parallel", {})}
    one = case(world, sections["training"].pop("epochs", 2), update, steps, sections.pop("tolerance", MLP), **sections)
    return {**one, "readers": readers, "needs": needs}


def cifar_case(world, update, steps, batch, clear=False, normalize=False, seed=0):
    """Returns a case with SimpleCNN on generated images of CIFAR's size, each trained twice. clear: with less noise."""
    return case(world, 2, update, steps, CNN, data={"count": world * batch * steps // 2, "clear": clear},
                loader={"batch_size": batch, "normalize": normalize}, training={"seed": seed}, **SIMPLE_CNN)


# 1,437 digits train in batches of 32: 45, 23 and 12 steps an epoch on 1, 2 and 4 ranks, 44, 22 and 11 with the loader's
# drop_last. The toy model's 819 samples make 26, 13 and 7. The rates are such that no ReLU's input is so close to zero that
# rounding decides (docs/pytorch.md): at 0.1 mlp-1-sgd parts by 1.1e-5 at step 198. They hold with PyTorch on the reference BLAS
# and on OpenBLAS with the kernels of Haswell, SkylakeX and Prescott.
CASES = {
    "mlp-1-sgd": case(1, 7, SGD, 315),
    "mlp-2-sgd": case(2, 13, SGD, 299, sampler={"drop_last": True, "seed": 11}, training={"seed": 5},
                      optimizer={"weight_decay": 1e-3, "nesterov": True}),
    # 358 samples are for validation. On four ranks, two of them are repeated.
    "mlp-4-sgd": case(4, 26, SGD, 286, loader={"drop_last": True}, dataset={"validation_fraction": 358 / 1797},
                      training={"validate": "padded"}),
    "mlp-1-adamw": case(1, 3, ADAMW, 132, loader={"drop_last": True}, training={"validate": "padded"}),
    # 23 batches make 12 steps
    "mlp-2-adam-accumulate": case(2, 12, ADAM, 144, training={"accumulate_steps": 2},
                                  optimizer={"clip_grad_norm": 1}, schedule={"kind": "step", "warmup_epochs": 2}),
    "mlp-4-adamw-accumulate": case(4, 20, ADAMW, 120, training={"accumulate_steps": 2},
                                   optimizer={"scale_lr": "linear"}, schedule={"kind": "cosine"}),
    "toy-1-adam": case(1, 5, ADAM, 130, **TOY),
    "toy-2-sgd-accumulate": case(2, 18, {"kind": "sgd", "lr": 0.01}, 126, training={"accumulate_steps": 2},
                                 sampler={"drop_last": True}, **TOY),
    "toy-4-sgd": case(4, 18, {"kind": "sgd", "lr": 0.01}, 108, sampler={"set_epoch": False},
                      loader={"drop_last": True}, training={"validate": "padded"}, **TOY),
    "cnn-1-sgd": case(1, 3, {"kind": "sgd", "lr": 0.01}, 135, CNN, **SIMPLE_CNN),
    "cnn-2-adam-accumulate": case(2, 6, {**ADAM, "lr": 0.0003}, 72, CNN, training={"accumulate_steps": 2},
                                  sampler={"drop_last": True}, **SIMPLE_CNN),
    "cnn-4-adamw": case(4, 6, {**ADAMW, "lr": 0.0003}, 66, CNN, loader={"drop_last": True}, training={"validate": "padded"},
                        **SIMPLE_CNN),
    "layers-2-sgd": case(2, 2, {"kind": "sgd", "lr": 0.01}, 46, CNN, model={"kind": "layers", "layers": LIST}),
    # The second convolution is wide and large enough for Winograd's algorithm, where the processor has AVX-512.
    "winograd-2-sgd": case(2, 2, {"kind": "sgd", "lr": 0.01}, 46, CNN, model={"kind": "layers", "layers": WINOGRAD}),
    "direct-2-sgd": case(2, 2, {"kind": "sgd", "lr": 0.01}, 46, CNN, model={"kind": "layers", "layers": WINOGRAD},
                         training={"winograd": False}),
    # At CIFAR's size the second convolution is wide, too. The first part by 3e-4 where Winograd's algorithm also convolves
    # forward, and the second by 9e-7.
    "cifar-1-sgd": cifar_case(1, {"kind": "sgd", "lr": 0.01}, 64, 32, clear=True, seed=5),
    "cifar-1-adam": cifar_case(1, {"kind": "adam", "lr": 0.0001}, 64, 32, normalize=True, seed=2),
    "residual-2-sgd": case(2, 2, {"kind": "sgd", "lr": 0.01}, 46, CNN, model={"kind": "residual_cnn", "width": 8, "depth": 1}),
    "transformer-2-adamw": case(2, 6, ADAMW, 48, CNN, dataset={"kind": "text", "context_length": 32},
                                model={"kind": "transformer", "width": 32, "depth": 2, "heads": 4},
                                loader={"batch_size": 24}),
    # Samplers and kinds of data. 240 samples of the imbalanced set train.
    "batch-sharded-npy": case(2, 2, SGD, 4, data="npy", sampler={"kind": "batch_sharded"}),
    "contiguous-cifar": case(2, 2, SGD, 4, CNN, data="cifar10", sampler={"kind": "contiguous"},
                             loader={"batch_size": 16}, **SIMPLE_CNN),
    "random-spirals": case(2, 2, SGD, 10, sampler={"kind": "random"},
                           dataset={"kind": "synthetic", "shape": "spirals", "size": 200}),
    "sequential-blobs": case(2, 2, SGD, 10, sampler={"kind": "sequential"},
                             dataset={"kind": "synthetic", "shape": "blobs", "size": 200}),
    # A low learning rate, because float32 rounding changes the first five digits of a loss near 0.
    "weighted-imbalanced": case(2, 2, {"kind": "sgd", "lr": 0.01}, 8, sampler={"kind": "weighted", "num_samples": 100},
                                dataset=IMBALANCED),
    "distributed-weighted-imbalanced": case(2, 2, SGD, 8, dataset=IMBALANCED,
                                            sampler={"kind": "distributed_weighted", "class_weights": [1, 5, 20]}),
    "class-balanced-imbalanced": case(2, 2, SGD, 8, sampler={"kind": "class_balanced"}, dataset=IMBALANCED),
    # Crops, flips and Normalize; PyTorch's workers are processes, Ringside's threads.
    "transforms-digits": case(2, 4, SGD, 92, training={"seed": -7},
                              loader={"num_workers": 1, "persistent_workers": True, "random_crop_padding": 2,
                                      "horizontal_flip": True, "normalize": True}),
    "transforms-cifar": case(2, 2, SGD, 4, CNN, data="cifar10", loader={"batch_size": 16, "random_crop_padding": 4,
                                                                       "normalize": True}, **SIMPLE_CNN),
    "subset-idx": case(2, 2, SGD, 4, data="idx", sampler={"kind": "subset", "subset_fraction": 0.6},
                       loader={"batch_size": 16}),
    "unpadded-csv": case(2, 3, SGD, 6, data="csv", sampler={"kind": "unpadded"}, dataset={"missing": "mean"}),
    # Classes that torch.nn does not have, and a run that ends in the middle of its second epoch.
    "layers-text-2-adamw": case(2, 2, ADAMW, 16, CNN, dataset={"kind": "text", "context_length": 32},
                                loader={"batch_size": 24}, model={"kind": "layers", "layers": TEXT_LIST}),
    "max-steps-2-sgd": {**case(2, 2, SGD, 30, training={"max_steps": 30}), "whole_epochs": 1},
    "max-steps-2-accumulate": {**case(2, 3, SGD, 15, training={"max_steps": 15, "accumulate_steps": 2}), "whole_epochs": 1},
    # Strategies. 44, 22 and 11 steps an epoch on 1, 2 and 4 readers.
    "data-parallel-2-sgd": strategy("data_parallel", 2, 1, SGD, 88, needs=(1, 13)),
    "zero1-2-adam": strategy("fsdp", 2, 2, ADAM, 44, needs=(1, 13), fsdp={"shard": "optimizer"},
                             training={"accumulate_steps": 2, "epochs": 4}),
    "zero2-2-adam": strategy("fsdp", 2, 2, ADAM, 44, fsdp={"shard": "gradients"}),
    "fsdp-4-adam-layer": strategy("fsdp", 4, 4, ADAM, 44, fsdp={"unit": "layer"}, training={"epochs": 4},
                                  model={"hidden": [37, 22]}),
    "fsdp-2-sgd-whole-clip": strategy("fsdp", 2, 2, SGD, 44, fsdp={"unit": "whole", "prefetch": "none"},
                                      optimizer={"clip_grad_norm": 1}),
    "fsdp-2-accumulate": strategy("fsdp", 2, 2, SGD, 44, training={"accumulate_steps": 2, "epochs": 4}),
    "fsdp-2-transformer": strategy("fsdp", 2, 2, ADAMW, 14, tolerance=CNN, loader={"batch_size": 24},
                                   dataset={"kind": "text", "context_length": 32},
                                   model={"kind": "transformer", "width": 32, "depth": 2, "heads": 4}),
    "fsdp-2-residual": strategy("fsdp", 2, 2, {"kind": "sgd", "lr": 0.003}, 22, tolerance=CNN, training={"epochs": 1},
                                model={"kind": "residual_cnn", "width": 8, "depth": 1}),
    "hsdp-2x2-adam": strategy("fsdp", 4, 4, ADAM, 44, mesh={"replicate": 2}, training={"epochs": 4}),
    "model-parallel-2-sgd": strategy("model_parallel", 2, 1, SGD, 88),
    "gpipe-2-max-steps": {**strategy("pipeline", 2, 1, SGD, 44, training={"max_steps": 44}, pipeline={"schedule": "gpipe"}),
                          "whole_epochs": 1},
    "gpipe-2-sgd": strategy("pipeline", 2, 1, SGD, 88, pipeline={"schedule": "gpipe", "micro_batches": 4}),
    "1f1b-3-adam": strategy("pipeline", 3, 1, ADAM, 88, model={"hidden": [64, 64]},
                            pipeline={"schedule": "1f1b", "micro_batches": 8}, optimizer={"clip_grad_norm": 1}),
    "interleaved-2-sgd": strategy("pipeline", 2, 1, SGD, 88, model={"hidden": [64, 64, 64]},
                                  pipeline={"schedule": "interleaved", "micro_batches": 4, "stages_per_rank": 2}),
    "zero-bubble-2-sgd": strategy("pipeline", 2, 1, SGD, 88, model={"hidden": [64, 64, 64]},
                                  pipeline={"schedule": "zero_bubble", "micro_batches": 4, "stages_per_rank": 2}),
    "1f1b-2x2-accumulate": strategy("pipeline", 4, 2, SGD, 44, mesh={"replicate": 2},
                                    pipeline={"schedule": "1f1b", "micro_batches": 4},
                                    training={"accumulate_steps": 2, "epochs": 4}),
    "1f1b-sharded-adam": strategy("pipeline", 4, 2, ADAM, 44, mesh={"shard": 2},
                                  pipeline={"schedule": "1f1b", "micro_batches": 4}, optimizer={"clip_grad_norm": 1}),
    "1f1b-2-transformer": strategy("pipeline", 2, 1, ADAMW, 30, tolerance=CNN, loader={"batch_size": 24},
                                   dataset={"kind": "text", "context_length": 32}, sampler={"kind": "class_balanced"},
                                   model={"kind": "transformer", "width": 32, "depth": 2, "heads": 4},
                                   pipeline={"schedule": "1f1b", "micro_batches": 4}),
    "1f1b-2x2-residual": strategy("pipeline", 4, 2, {"kind": "sgd", "lr": 0.003}, 22, tolerance=CNN, mesh={"replicate": 2},
                                  training={"epochs": 1},
                                  model={"kind": "residual_cnn", "width": 8, "depth": 1},
                                  pipeline={"schedule": "1f1b", "micro_batches": 4}),
    "gpipe-2-cnn": strategy("pipeline", 2, 1, {"kind": "sgd", "lr": 0.01}, 88, tolerance=CNN,
                            pipeline={"schedule": "gpipe", "micro_batches": 4}, **SIMPLE_CNN),
    "image-folder": case(2, 2, SGD, 4, data="image_folder", dataset={"image_size": 6}, loader={"batch_size": 8}),
}


LONG_CASES = {
    "cifar-1-sgd-280": cifar_case(1, SGD_TUTORIAL, 280, 128),
    "cifar-2-sgd-280": cifar_case(2, SGD_TUTORIAL, 280, 128),
    "cifar-2-adam-280": cifar_case(2, {"kind": "adam", "lr": 3e-6}, 280, 128, normalize=True),
    "cifar-2-adamw-280": cifar_case(2, {"kind": "adamw", "lr": 3e-6, "weight_decay": 0.01}, 280, 128, normalize=True),
}


def patterns(count, clear):
    """Returns images that can be learnt: each has one of ten coarse patterns under noise. A fifth of the labels are
    wrong unless `clear`.
    """
    import numpy
    random = numpy.random.RandomState(0)
    coarse = random.randint(0, 256, (10, 8, 8, 3)).repeat(4, 1).repeat(4, 2)
    labels = random.randint(0, 10, count)
    share = 0.4 if clear else 0.25
    images = (share * coarse[labels] + (1 - share) * random.randint(0, 256, (count, 32, 32, 3))).astype("uint8")
    wrong = random.rand(count) < (0 if clear else 0.2)
    return images, numpy.where(wrong, random.randint(0, 10, count), labels).astype("int64")


def pixels(count, *shape):
    """Returns pseudo-random bytes that are the same on every machine."""
    import numpy
    size = int(numpy.prod((count, *shape)))
    return ((numpy.arange(size, dtype="uint64") * 2654435761 >> 7) % 256).astype("uint8").reshape(count, *shape)


def write_idx(path, array):
    head = bytes([0, 0, 8, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape)
    path.write_bytes(head + array.tobytes())


def make_patterns(directory, count, clear):
    """Writes `count` images to train on, and a sixteenth of that number for validation."""
    import numpy
    images, labels = patterns(count + count // 16, clear)
    for part, rows in (("train", slice(count)), ("test", slice(count, None))):
        numpy.save(directory / f"x_{part}.npy", images[rows])
        numpy.save(directory / f"y_{part}.npy", labels[rows])
    return directory / "x_train.npy"


def make_data(kind, directory):
    """Makes a small data set of this kind. Returns the value for dataset.path."""
    import numpy
    labels = (numpy.arange(100) * 7 % 5).astype("uint8")
    if kind == "npy":  # channels last, and a part that validates
        for part, count in (("train", 100), ("test", 30)):
            numpy.save(directory / f"x_{part}.npy", pixels(count, 4, 5, 3))
            numpy.save(directory / f"y_{part}.npy", labels[:count].astype("int64"))
        return directory / "x_train.npy"
    if kind == "idx":
        write_idx(directory / "train-images-idx3-ubyte", pixels(100, 6, 6))
        write_idx(directory / "train-labels-idx1-ubyte", labels)
        return directory
    if kind == "cifar10":
        records = [bytes([labels[i]]) + pixels(40, 3072)[i].tobytes() for i in range(40)]
        (directory / "data_batch_1.bin").write_bytes(b"".join(records[:20]))
        (directory / "data_batch_2.bin").write_bytes(b"".join(records[20:]))
        (directory / "test_batch.bin").write_bytes(b"".join(records[:10]))
        return directory
    if kind == "csv":
        rows = [f"{i % 13},{'?' if i % 17 == 3 else i * 37 % 29},{'abc'[i % 3]}" for i in range(100)]
        (directory / "table.csv").write_text("width;height;kind\n".replace(";", ",") + "\n".join(rows) + "\n")
        return directory / "table.csv"
    from PIL import Image
    for label, name in enumerate(["bird", "cat"]):
        (directory / name).mkdir()
        for i in range(20):
            image = Image.fromarray(pixels(40, 8, 9, 3)[label * 20 + i])
            image.save(directory / name / f"{i:02}.png")
    return directory


def run(*command, seconds):
    # One thread per rank: the threads of PyTorch spin, and wait minutes for each other if other programs need the CPUs
    # too.
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=seconds, env={**os.environ, "OMP_NUM_THREADS": "1"})
    if done.returncode != 0:
        sys.exit(f"{' '.join(str(part) for part in command)} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def compare(binaries, one, directory, seconds):
    """Trains both and returns the report of ringsidectl compare."""
    config = json.loads(json.dumps(one["config"]))
    if one["data"]:
        (directory / "data").mkdir()
        made_up = isinstance(one["data"], dict)
        path = (make_patterns(directory / "data", **one["data"]) if made_up else make_data(one["data"], directory / "data"))
        config["dataset"] = {"kind": "npy" if made_up else one["data"], "path": str(path), **config.get("dataset", {})}
    experiment = directory / "experiment.json"
    experiment.write_text(json.dumps(config))
    run(binaries / "ringsidectl", "run", experiment, "--quiet", "--out", directory / "ringside", seconds=seconds)
    run(binaries / "ringsidectl", "export", experiment, "-o", directory / "train.py", seconds=seconds)
    python = python_with_torch(one["needs"]) if "needs" in one else sys.executable
    run(python, directory / "train.py", "--out", directory / "pytorch", seconds=seconds)
    report = subprocess.run([str(binaries / "ringsidectl"), "compare", str(directory / "ringside"),
                             str(directory / "pytorch"), "--tolerance", str(one["tolerance"]), "--json"],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if not report.stdout:
        sys.exit(f"ringsidectl compare ended with {report.returncode}:\n{report.stderr}")
    return json.loads(report.stdout)


def check(one, report):
    """Returns the differences between the report and the case's requirements."""
    wrong = []
    config = one["config"]
    if not report["equal"]:
        wrong.append(report["verdict"])
    if report["steps"] != one["steps"]:
        wrong.append(f"{report['steps']} steps, not {one['steps']}")
    epochs = one.get("whole_epochs", config["training"]["epochs"])  # an epoch that ends early has no hash of its
                                                                    # samples
    if not report["same_shards"] or report["shards_compared"] != epochs * one["readers"]:
        wrong.append("other samples")
    if not report["same_initial_weights"]:
        wrong.append("other initial weights")
    if not report["same_sample_counts"]:
        wrong.append("other numbers of samples")
    if report["validation_accuracy_difference"] > HALF_POINT:
        wrong.append("another validation accuracy")
    return wrong


def row(name, one, report, wrong):
    largest = report["largest_difference"]
    return (f"{name:<32} {report['steps']:>5}  {'same' if report['same_shards'] else 'OTHER':<8}"
            f"{'same bits' if report['same_initial_weights'] else 'OTHER':<11}"
            f"{largest['relative']:>9.1e} (step {largest['step']:>3})  {one['tolerance']:<7.0e}"
            f"{100 * report['validation_accuracy_difference']:>6.2f}  {'; '.join(wrong) or 'ok'}")


def missing(one):
    """Returns the requirement of the case that is not installed; empty if there is none."""
    if "needs" in one and python_with_torch(one["needs"]) is None:
        return "PyTorch {}.{} or newer is not installed {}".format(*one["needs"], HINT)
    if one["data"] == "image_folder":
        try:
            import PIL  # noqa: F401
        except ImportError:
            return "python3-pil is not installed"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release/bin"))
    parser.add_argument("--list", action="store_true", help="print the names of the cases")
    parser.add_argument("--long", action="store_true", help="the cases that take minutes instead")
    parser.add_argument("cases", nargs="*")
    args = parser.parse_args()
    if args.list:
        print(";".join(CASES), end="")
        return 0
    failed = left_out = 0
    print(f"{'case':<32} {'steps':>5}  {'indices':<8}{'initial':<11}{'largest difference':<21} {'limit':<7}"
          f"{'points':>6}  verdict")
    for name in args.cases or (LONG_CASES if args.long else CASES):
        one = {**CASES, **LONG_CASES}[name]
        if lacking := missing(one):
            print(f"{name:<32} left out: {lacking}")
            left_out += 1
            continue
        with tempfile.TemporaryDirectory() as directory:
            seconds = 280 if name in CASES else 1800  # longest time of a run in seconds; ctest allows 300 for a case
            report = compare(args.bin.resolve(), one, pathlib.Path(directory), seconds)
        wrong = check(one, report)
        failed += bool(wrong)
        print(row(name, one, report, wrong), flush=True)
    return 1 if failed else LEFT_OUT if left_out else 0


if __name__ == "__main__":
    sys.exit(main())
