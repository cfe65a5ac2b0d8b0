// SPDX-License-Identifier: Apache-2.0
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>

#include "data/readers/image_decode.h"

namespace ringside {
namespace {

constexpr png_uint_32 kMaxSide = 1U << 20;
constexpr png_alloc_size_t kMaxChunkBytes = 8U << 20;  // maximum size of text and colour profile chunks, compressed or
                                                       // not

// libpng reports errors with longjmp, so no object with a destructor may live between setjmp and the error.
struct PngReader {
    png_structp png = nullptr;
    png_infop info = nullptr;
    std::span<const std::byte> rest;
    char message[128] = "out of memory";

    explicit PngReader(std::span<const std::byte> content);
    ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
    PngReader(const PngReader&) = delete;
    PngReader& operator=(const PngReader&) = delete;

    bool readHeader();
    bool readPixels(std::uint8_t* out);
    void readRows(std::uint8_t* out);
};

void fail(png_structp png, png_const_charp text) {
    auto& reader = *static_cast<PngReader*>(png_get_error_ptr(png));
    std::snprintf(reader.message, sizeof reader.message, "%s", text);
    png_longjmp(png, 1);
}

void ignoreWarning(png_structp, png_const_charp) {}

void readBytes(png_structp png, png_bytep out, std::size_t size) {
    auto& reader = *static_cast<PngReader*>(png_get_io_ptr(png));
    if (size > reader.rest.size()) png_error(png, "the file ends too early");
    std::memcpy(out, reader.rest.data(), size);
    reader.rest = reader.rest.subspan(size);
}

PngReader::PngReader(std::span<const std::byte> content) : rest(content) {
    png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, fail, ignoreWarning);
    if (png != nullptr) info = png_create_info_struct(png);
}

bool PngReader::readHeader() {
    if (info == nullptr || setjmp(png_jmpbuf(png)) != 0) return false;
    png_set_read_fn(png, this, readBytes);
    png_set_user_limits(png, kMaxSide, kMaxSide);
    png_set_chunk_malloc_max(png, kMaxChunkBytes);
    png_read_info(png, info);
    return true;
}

void PngReader::readRows(std::uint8_t* out) {
    png_set_expand(png);
    png_set_strip_16(png);
    png_set_gray_to_rgb(png);
    png_set_strip_alpha(png);
    const int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    const std::size_t rowBytes = png_get_rowbytes(png, info);
    const png_uint_32 height = png_get_image_height(png, info);
    if (rowBytes != std::size_t{png_get_image_width(png, info)} * 3)
        png_error(png, "the pixels cannot be converted to RGB");
    for (int pass = 0; pass < passes; ++pass) {
        for (png_uint_32 y = 0; y < height; ++y) png_read_row(png, out + y * rowBytes, nullptr);
    }
}

bool PngReader::readPixels(std::uint8_t* out) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    readRows(out);
    return true;
}

}  // namespace

Result<RgbImage> decodePng(std::span<const std::byte> content, const std::string& file) {
    PngReader reader(content);
    const auto damaged = [&] {
        return Problem{file, "is a damaged PNG image (" + std::string(reader.message) + ")",
                       "replace or remove the file"};
    };
    if (!reader.readHeader()) return damaged();
    auto image =
        emptyImage(png_get_image_width(reader.png, reader.info), png_get_image_height(reader.png, reader.info), file);
    if (!image) return image;
    if (!reader.readPixels(image.value().pixels.data())) return damaged();
    return image;
}

}  // namespace ringside
