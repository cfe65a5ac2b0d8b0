# SPDX-License-Identifier: Apache-2.0
"""list_image_folder.py ROOT: prints "label path" of every image, in the order of torchvision.datasets.ImageFolder
(0.14).
"""
import os
import sys

EXTENSIONS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")

root = sys.argv[1]
classes = sorted(entry.name for entry in os.scandir(root) if entry.is_dir())
for label, name in enumerate(classes):
    for folder, _, files in sorted(os.walk(os.path.join(root, name), followlinks=True)):
        for file in sorted(files):
            if file.lower().endswith(EXTENSIONS):
                print(label, os.path.relpath(os.path.join(folder, file), root))
