# SPDX-License-Identifier: Apache-2.0
# Functions that read the samples. A line "#@ name" begins the piece of that name, which ends before the next such line.
#@ read_bytes

def read_bytes(path):
    content = path.read_bytes()
    return gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content

#@ read_array

def read_array(path):
    """Reads a NumPy array, or an IDX file: two zeros, the type, the number of dimensions, their sizes, the values."""
    content = read_bytes(path)
    if content[:6] == b"\x93NUMPY":
        return numpy.load(io.BytesIO(content))
    kind = {8: ">u1", 9: ">i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}[content[2]]
    start = 4 + 4 * content[3]
    return numpy.frombuffer(content, kind, offset=start).reshape(numpy.frombuffer(content[4:start], ">u4"))

#@ samples

class Samples(Dataset):
    """Samples in memory, with their labels or targets."""

    def __init__(self, x, y):
        self.x, self.targets = x, y

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
#@ open_text

def open_text(path):
    if str(path).endswith(".gz"):
        return gzip.open(path, "rt", newline="", encoding="utf-8-sig")
    return open(path, newline="", encoding="utf-8-sig")

#@ split

def split(data):
    """Returns the training samples and the validation samples."""
    order = torch.randperm(len(data), generator=torch.Generator().manual_seed(@split_seed@))
    kept_back = min(max(math.ceil(len(data) * @validation_fraction@ - 1e-9), 1), len(data) - 1)
    training, validation = order[: len(data) - kept_back], order[len(data) - kept_back :]
@standardize@    return Part(data, training), Part(data, validation)

#@ standardize
    trained = data.x[training].double()  # the scale must not depend on validation samples
    mean, deviation = trained.mean(0), trained.std(0, unbiased=False)
    deviation[deviation <= 1e-12 * mean.abs()] = 1
    data.x = ((data.x - mean) / deviation).float()
#@ is_missing

def is_missing(cell):
    return cell.strip().lower() in ("", "?", "-", "na", "n/a", "nan", "null", "none")

#@ fill_missing
    means = data.x[training].double().nanmean(0).float()
    data.x = torch.where(data.x.isnan(), means, data.x)
#@ text

class Text(Dataset):
    """Sequences of characters as numbers; the model predicts the next character after each character."""

    def __init__(self, tokens, length):
        count = (len(tokens) - 1) // length
        self.x = tokens[: count * length].reshape(count, length)
        self.y = tokens[1 : count * length + 1].reshape(count, length)
        self.targets = self.y[:, -1]  # samplers use the last label of a sample as its class

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return self.x[index], self.y[index]

#@ load_text

def load_data(path):
    """Returns a text as numbers: its characters are numbered in the order of their code points."""
    with open_text(path) as file:
        text = file.read()
    number = {character: i for i, character in enumerate(sorted(set(text)))}
#@ images

SIZE = @size@  # width and height that every image is resized to


class Images(Dataset):
    """A folder of images for each class, numbered as torchvision.datasets.ImageFolder numbers them."""

    def __init__(self, root):
        self.files, labels = [], []
        for label, name in enumerate(sorted(entry.name for entry in os.scandir(root) if entry.is_dir())):
            for folder, _, names in sorted(os.walk(root / name, followlinks=True)):
                images = [file for file in sorted(names) if file.lower().endswith((".jpg", ".jpeg", ".png"))]
                self.files += [os.path.join(folder, file) for file in images]
                labels += [label] * len(images)
        self.targets = torch.tensor(labels)

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        # Ringside and Pillow before version 13 resize rows first. Pillow from version 13 on resizes columns first if
        # an image shrinks more in height than in width, which rounds some pixels differently.
        image = Image.open(self.files[index]).convert("RGB").resize(SIZE, Image.BILINEAR)
        x = torch.from_numpy(numpy.array(image)).permute(2, 0, 1).float() / 255
        return x@flat@, self.targets[index]


def checked(images):
    """Prints a warning if Pillow resizes images differently from Ringside, so that losses differ."""
    version = int(pillow_version.split(".")[0])
    if version >= 13 and dist.get_rank() == 0 and any(Image.open(file).size != SIZE for file in images.files):
        print(f"Pillow {version} resizes tall images differently from Ringside: install Pillow 12 for the same losses",
              file=sys.stderr, flush=True)
    return images


def load_data(path):
