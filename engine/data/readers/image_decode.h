// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/errors/result.h"

namespace ringside {

inline constexpr std::int64_t kMaxImagePixels = std::int64_t{1} << 26;
inline constexpr std::size_t kMaxImageFileBytes = std::size_t{1} << 28;

// An image, row by row from the top; each pixel is red, green, blue.
struct RgbImage {
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::vector<std::uint8_t> pixels = {};  // bytes of the image: height x width x 3
};

// Decodes a JPEG or PNG image, detected by content, with the result of Pillow's Image.open(file).convert("RGB"): grey
// and palette images become RGB, transparency is dropped, the EXIF orientation is ignored. Problems name the file.
Result<RgbImage> decodeImage(std::span<const std::byte> content, const std::string& file);

Result<RgbImage> decodeJpeg(std::span<const std::byte> content, const std::string& file);
Result<RgbImage> decodePng(std::span<const std::byte> content, const std::string& file);

// Returns an image of this size whose pixels are not set yet, or a problem if the size is not allowed. Used by the JPEG
// and the PNG decoder.
Result<RgbImage> emptyImage(std::int64_t width, std::int64_t height, const std::string& file);

}  // namespace ringside
