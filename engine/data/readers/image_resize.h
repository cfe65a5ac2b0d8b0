// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data/readers/image_decode.h"

namespace ringside {

// Returns the image scaled to a size, bit for bit as Pillow's Image.resize((width, height), BILINEAR) for RGB and
// therefore as torchvision's Resize on a PIL image.
//
// Algorithm: a triangle filter whose width grows with the reduction factor, applied first along each row and then along
// each column, with 22-bit fixed-point weights and 8-bit values between both passes.
RgbImage resized(const RgbImage& image, std::int64_t width, std::int64_t height);

}  // namespace ringside
