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

// Rows from the top, red, green and blue side by side.
struct RgbImage {
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::vector<std::uint8_t> pixels = {};  // height x width x 3
};

// A JPEG or PNG image, told apart by content, as Pillow's Image.open(file).convert("RGB") gives it: grey and palettes
// become RGB, transparency is left out, the orientation in EXIF is ignored. Problems name the file.
Result<RgbImage> decodeImage(std::span<const std::byte> content, const std::string& file);

Result<RgbImage> decodeJpeg(std::span<const std::byte> content, const std::string& file);
Result<RgbImage> decodePng(std::span<const std::byte> content, const std::string& file);

// Shared by the decoders: an image of this size without pixels yet, or why there cannot be one.
Result<RgbImage> emptyImage(std::int64_t width, std::int64_t height, const std::string& file);

}  // namespace ringside
