// SPDX-License-Identifier: Apache-2.0
#include "data/readers/image_decode.h"

#include <cstring>

namespace ringside {
namespace {

bool startsWith(std::span<const std::byte> content, const char* mark, std::size_t size) {
    return content.size() >= size && std::memcmp(content.data(), mark, size) == 0;
}

}  // namespace

Result<RgbImage> emptyImage(std::int64_t width, std::int64_t height, const std::string& file) {
    if (width < 1 || height < 1 || width > kMaxImagePixels / height) {
        return Problem{file,
                       "is an image of " + std::to_string(width) + " x " + std::to_string(height) +
                           " pixels; the maximum is " + std::to_string(kMaxImagePixels),
                       "make the image smaller, or remove it"};
    }
    RgbImage image{width, height};
    image.pixels.resize(static_cast<std::size_t>(width * height * 3));
    return image;
}

Result<RgbImage> decodeImage(std::span<const std::byte> content, const std::string& file) {
    if (startsWith(content, "\xff\xd8\xff", 3)) return decodeJpeg(content, file);
    if (startsWith(content, "\x89PNG\r\n\x1a\n", 8)) return decodePng(content, file);
    return Problem{file,
                   content.empty() ? "is empty" : "is neither a JPEG nor a PNG image (its first bytes do not match)",
                   "convert the file to PNG, or remove it"};
}

}  // namespace ringside
