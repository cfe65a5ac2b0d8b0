// SPDX-License-Identifier: Apache-2.0
#include "export/pytorch/pytorch_transforms.h"

#include "data/loading/channel_moments.h"
#include "export/pytorch/pytorch_pieces.h"
#include "export/pytorch/pytorch_template.h"

namespace ringside {
namespace {

std::string cropLines(std::int64_t padding) {
    const std::string offsets = std::to_string(2 * padding + 1);
    const std::string each = std::to_string(padding);
    return "            top, left = (key >> 32) * " + offsets + " >> 32, (key & 0xFFFFFFFF) * " + offsets +
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

}  // namespace

PythonTransforms pythonTransforms(const RunConfig& config, const SampleShape& shape) {
    const std::string random = randomLines(config);
    const bool normalize = config.loader.normalize;
    if (random.empty() && !normalize) return {};
    PythonTransforms transforms;
    transforms.definition =
        "IMAGE = (" + std::to_string(shape.channels) + ", " + std::to_string(shape.height) + ", " +
        std::to_string(shape.width) + ")  # channels, height, width\n\n" + (random.empty() ? "" : pythonPiece("mix")) +
        (normalize ? pythonPiece("channel_scale", {{"most", std::to_string(ChannelMoments::kMaxSamples)}}) : "") +
        pythonPiece("transformed", {{"random", random}});
    transforms.wrap = std::string("    scale = ") + (normalize ? "channel_scale(training)" : "None") +
                      "\n    training = images = Transformed(training, scale, random=True)\n"
                      "    validation = Transformed(validation, scale, random=False)";
    transforms.setEpoch = "        images.set_epoch(epoch)";
    return transforms;
}

}  // namespace ringside
