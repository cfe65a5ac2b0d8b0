# SPDX-License-Identifier: Apache-2.0
# Transforms of images. A line "#@ name" begins the piece of that name, which ends before the next such line.
#@ mix

def mix(x):
    """Returns 64 pseudorandom bits that depend on x only: the output function of SplitMix64."""
    mask = 2**64 - 1
    x = (x + 0x9E3779B97F4A7C15) & mask
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & mask
    x = (x ^ x >> 27) * 0x94D049BB133111EB & mask
    return x ^ x >> 31

#@ transformed

class Transformed(Dataset):
    """Images as Ringside transforms them. Random transforms depend only on the seed, the epoch and the sample."""

    def __init__(self, part, scale, random):
        self.part, self.targets, self.scale, self.random = part, part.targets, scale, random
        self.epoch = torch.zeros((), dtype=torch.int64).share_memory_()  # shared with persistent loader workers

    def set_epoch(self, epoch):
        self.epoch.fill_(epoch)

    def __len__(self):
        return len(self.part)

    def __getitem__(self, number):
        x, y, number = self.part[number]
        image = x.reshape(IMAGE)
@random@        if self.scale:
            image = (image - self.scale[0]) / self.scale[1]
        return image.reshape(x.shape), y, number

#@ channel_scale

def channel_scale(part):
    """Returns the mean and the standard deviation of each channel, for Normalize."""
    used = min(len(part), @most@)

    def images():
        return (part[i * len(part) // used][0].reshape(IMAGE).double() for i in range(used))

    mean = sum(image.mean((1, 2), keepdim=True) for image in images()) / used
    deviation = (sum(((image - mean) ** 2).mean((1, 2), keepdim=True) for image in images()) / used).sqrt()
    deviation[deviation <= 1e-12 * mean.abs()] = 1
    return mean.float(), deviation.float()

