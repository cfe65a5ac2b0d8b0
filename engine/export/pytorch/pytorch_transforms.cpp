// SPDX-License-Identifier: Apache-2.0
#include "export/pytorch/pytorch_transforms.h"

#include "data/loading/channel_moments.h"
#include "export/pytorch/pytorch_pieces.h"

namespace ringside {
namespace {

constexpr const char* kMix = R"(
def mix(x):
    """The output function of SplitMix64: 64 bits that look random, the same for the same x."""
    mask = 2**64 - 1
    x = (x + 0x9E3779B97F4A7C15) & mask
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & mask
    x = (x ^ x >> 27) * 0x94D049BB133111EB & mask
    return x ^ x >> 31

)";

constexpr const char* kTransformsClass = R"(
class Transformed(Dataset):
    """Images as Ringside transforms them. What is random depends on the seed, the epoch and the sample alone."""

    def __init__(self, part, scale, random):
        self.part, self.targets, self.scale, self.random = part, part.targets, scale, random
        self.epoch = torch.zeros((), dtype=torch.int64).share_memory_()  # loader workers that persist see it as well

    def set_epoch(self, epoch):
        self.epoch.fill_(epoch)

    def __len__(self):
        return len(self.part)

    def __getitem__(self, number):
        x, y, number = self.part[number]
        image = x.reshape(IMAGE)
)";

constexpr const char* kTail = R"(        if self.scale:
            image = (image - self.scale[0]) / self.scale[1]
        return image.reshape(x.shape), y, number

)";

std::string cropLines(std::int64_t padding) {
    const std::string places = std::to_string(2 * padding + 1);
    const std::string each = std::to_string(padding);
    return "            top, left = (key >> 32) * " + places + " >> 32, (key & 0xFFFFFFFF) * " + places +
           " >> 32\n"
           "            image = functional.pad(image, (" +
           each + ", " + each + ", " + each + ", " + each +
           "))[:, top : top + IMAGE[1], left : left + IMAGE[2]]  # RandomCrop\n";
}

std::string randomLines(const RunConfig& config) {
    const LoaderConfig& loader = config.loader;
    if (loader.randomCropPadding == 0 && !loader.horizontalFlip) return "";
    std::string text = "        if self.random:\n            key = mix(mix(mix(" +
                       std::to_string(static_cast<std::uint64_t>(config.training.seed)) +
                       ") + int(self.epoch)) + int(number))\n";
    if (loader.randomCropPadding > 0) text += cropLines(loader.randomCropPadding);
    if (loader.horizontalFlip)
        text += "            if mix(key) >> 63:\n                image = image.flip(2)  # RandomHorizontalFlip\n";
    return text;
}

std::string scaleFunction() {
    const std::string most = std::to_string(ChannelMoments::kMostSamples);
    return R"(
def channel_scale(part):
    """Mean and standard deviation of each channel, as Normalize takes them."""
    used = min(len(part), )" +
           most + R"()

    def images():
        return (part[i * len(part) // used][0].reshape(IMAGE).double() for i in range(used))

    mean = sum(image.mean((1, 2), keepdim=True) for image in images()) / used
    deviation = (sum(((image - mean) ** 2).mean((1, 2), keepdim=True) for image in images()) / used).sqrt()
    deviation[deviation <= 1e-12 * mean.abs()] = 1
    return mean.float(), deviation.float()

)";
}

}  // namespace

PythonTransforms pythonTransforms(const RunConfig& config, const SampleShape& shape) {
    const std::string random = randomLines(config);
    const bool normalize = config.loader.normalize;
    if (random.empty() && !normalize) return {};
    PythonTransforms transforms;
    transforms.definition = "IMAGE = (" + std::to_string(shape.channels) + ", " + std::to_string(shape.height) + ", " +
                            std::to_string(shape.width) + ")  # channels, height, width\n\n" +
                            (random.empty() ? "" : kMix) + (normalize ? scaleFunction() : "") + kTransformsClass +
                            random + kTail;
    transforms.wrap = std::string("    scale = ") + (normalize ? "channel_scale(training)" : "None") +
                      "\n    training = images = Transformed(training, scale, random=True)\n"
                      "    validation = Transformed(validation, scale, random=False)";
    transforms.setEpoch = "        images.set_epoch(epoch)";
    return transforms;
}

}  // namespace ringside
