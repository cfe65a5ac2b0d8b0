# SPDX-License-Identifier: Apache-2.0
"""peer_torchvision.py FOLDER WORKERS SECONDS SIDE BATCH: prints the name of the loader and the images per second of a
DataLoader.
"""
import pathlib
import sys
import time

import numpy
import torch
from PIL import Image

try:
    from torchvision import datasets, transforms
except ImportError:
    datasets = None


class PillowFolder(torch.utils.data.Dataset):
    """Does the same as ImageFolder with Resize and ToTensor, for a PyTorch without torchvision."""

    def __init__(self, folder, side):
        self.side = side
        classes = sorted(one for one in pathlib.Path(folder).iterdir() if one.is_dir())
        self.samples = [(file, label) for label, one in enumerate(classes) for file in sorted(one.glob("*.jpg"))]

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        file, label = self.samples[index]
        with open(file, "rb") as stream:
            image = Image.open(stream).convert("RGB").resize((self.side, self.side), Image.BILINEAR)
        return torch.from_numpy(numpy.array(image)).permute(2, 0, 1).contiguous().float().div(255), label


def main():
    folder, workers, seconds, side, batch = sys.argv[1], *map(int, sys.argv[2:3]), float(sys.argv[3]), *map(int, sys.argv[4:])
    torch.set_num_threads(1)
    if datasets is None:
        data, name = PillowFolder(folder, side), "Pillow"
    else:
        steps = [transforms.Resize((side, side)), transforms.ToTensor()]
        data, name = datasets.ImageFolder(folder, transforms.Compose(steps)), "torchvision"
    loader = torch.utils.data.DataLoader(data, batch, shuffle=True, num_workers=workers,
                                         persistent_workers=workers > 0)
    images, begin = 0, time.perf_counter()
    for pixels, _ in loader:
        if images == 0:
            begin = time.perf_counter()  # measured from here: the workers have started
        images += len(pixels)
        if time.perf_counter() - begin >= seconds:
            break
    images -= batch  # the first batch does not count
    print(name, images / (time.perf_counter() - begin))


if __name__ == "__main__":
    main()
