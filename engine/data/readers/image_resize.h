// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data/readers/image_decode.h"

namespace ringside {

// Bit for bit what Pillow's Image.resize((width, height), BILINEAR) gives for an RGB image, and so torchvision's
// Resize on a PIL image: a triangle filter as wide as the reduction, columns first, 22-bit weights, bytes between.
RgbImage resized(const RgbImage& image, std::int64_t width, std::int64_t height);

}  // namespace ringside
