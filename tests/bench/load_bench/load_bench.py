#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""load_bench.py RINGSIDECTL [--images N] [--seconds S] [--workers 0,1,2]: measures how many images of a JPEG folder are
loaded per second, by Ringside (`ringsidectl sweep`) and by torchvision's ImageFolder with a DataLoader and the same
number of workers.

Ringside caches decoded images. So that only reading and decoding are measured, the folder contains more images than are
read in the time. Pillow makes the folder: images of 500 x 375, which both resize to 224 x 224. The peer is the PyTorch
of RINGSIDE_BENCH_PYTHON, otherwise that of the environment that train_bench/make_peer.py makes, otherwise that of this
python3. Without torchvision, a loader based on Pillow does the same; the first line of the output reports this.
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "train_bench"))

from train_bench import peer_python  # noqa: E402

SIDE, BATCH = 224, 32


def make_folder(folder, count):
    """Makes the folder of images. Smooth colours with some noise give about 60 kB per image, as many bytes per pixel as
    a photograph.
    """
    from PIL import Image, ImageFilter

    draw = random.Random(0)
    for index in range(count):
        place = folder / ("cats" if index % 2 else "dogs")
        place.mkdir(exist_ok=True)
        small = Image.frombytes("RGB", (50, 38), draw.randbytes(50 * 38 * 3)).filter(ImageFilter.GaussianBlur(1))
        noise = Image.frombytes("RGB", (500, 375), draw.randbytes(500 * 375 * 3))
        Image.blend(small.resize((500, 375)), noise, 0.08).save(place / f"{index:05}.jpg", quality=90)


def ours(program, folder, workers, seconds):
    settings = ["dataset.kind=image_folder", f"dataset.path={folder}", f"dataset.image_size={SIDE}",
                f"loader.batch_size={BATCH}", "parallel.world_size=1", "model.kind=simple_cnn"]
    words = [word for one in settings for word in ("--set", one)]
    done = subprocess.run([program, "sweep", "--json", "--num-workers", str(workers), "--seconds", str(seconds), *words],
                          check=True, capture_output=True, text=True)
    rates = [json.loads(line) for line in done.stdout.splitlines()]
    return next(one["samples_per_second"] for one in rates if one["kind"] == "loader_rate")


def theirs(folder, workers, seconds):
    done = subprocess.run([peer_python(), HERE / "peer_torchvision.py", folder, str(workers), str(seconds), str(SIDE),
                           str(BATCH)], check=True, capture_output=True, text=True)
    peer, rate = done.stdout.split()
    return peer, float(rate)


def compare(program, images, seconds, workers, rounds):
    """Measures both loaders alternately. Returns (workers, our best rate, the peer's best rate, the peer's name)."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_folder(folder, images)
        for count in workers:
            best = [0.0, 0.0]
            for _ in range(rounds):
                peer, rate = theirs(folder, count, seconds)
                best = [max(best[0], ours(program, folder, count, seconds)), max(best[1], rate)]
            yield count, *best, peer


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--images", type=int, default=3000)
    parser.add_argument("--seconds", type=float, default=1.5)
    parser.add_argument("--workers", default="0,1,2")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    workers = [int(one) for one in arguments.workers.split(",")]
    print(f"{len(os.sched_getaffinity(0))} CPUs; images per second of {arguments.images} JPEG files to {SIDE} x {SIDE}")
    for count, mine, peer_rate, peer in compare(arguments.program, arguments.images, arguments.seconds, workers,
                                                arguments.rounds):
        print(f"{count} workers {mine:10.1f}  {peer_rate:10.1f} ({peer})  {mine / peer_rate:5.2f}x", flush=True)


if __name__ == "__main__":
    main()
