// SPDX-License-Identifier: Apache-2.0
#include <csetjmp>
#include <cstdio>
// <cstdio> comes first, because jpeglib.h needs its declarations.
#include <jerror.h>
#include <jpeglib.h>

#include "data/readers/image_decode.h"

namespace ringside {
namespace {

constexpr int kMaxScans = 500;  // maximum number of scans: a progressive file of many empty scans would take hours

// libjpeg reports errors with longjmp, so no object with a destructor may live between setjmp and the error.
struct JpegReader {
    jpeg_decompress_struct info{};
    jpeg_error_mgr errors{};
    jpeg_progress_mgr progress{};
    std::jmp_buf escape{};
    char message[JMSG_LENGTH_MAX] = "";

    JpegReader();
    ~JpegReader() { jpeg_destroy_decompress(&info); }
    JpegReader(const JpegReader&) = delete;
    JpegReader& operator=(const JpegReader&) = delete;

    bool readHeader(std::span<const std::byte> content);
    bool readPixels(std::uint8_t* out);
    void readRows(std::uint8_t* out);
};

JpegReader& readerOf(j_common_ptr common) {
    return *static_cast<JpegReader*>(common->client_data);
}

[[noreturn]] void fail(j_common_ptr common) {
    (*common->err->format_message)(common, readerOf(common).message);
    std::longjmp(readerOf(common).escape, 1);
}

// Ignores warnings, as Pillow does, except for a truncated file.
void checkWarning(j_common_ptr common, int) {
    if (common->err->msg_code == JWRN_JPEG_EOF) fail(common);
}

void watchScans(j_common_ptr common) {
    const auto* info = reinterpret_cast<j_decompress_ptr>(common);
    if (info->input_scan_number <= kMaxScans) return;
    std::snprintf(readerOf(common).message, JMSG_LENGTH_MAX, "the image has more than %d scans", kMaxScans);
    std::longjmp(readerOf(common).escape, 1);
}

JpegReader::JpegReader() {
    info.err = jpeg_std_error(&errors);
    errors.error_exit = fail;
    errors.emit_message = checkWarning;
    info.client_data = this;
    progress.progress_monitor = watchScans;
}

bool JpegReader::readHeader(std::span<const std::byte> content) {
    if (setjmp(escape) != 0) return false;
    jpeg_create_decompress(&info);
    info.progress = &progress;
    jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(content.data()),
                 static_cast<unsigned long>(content.size()));
    jpeg_read_header(&info, TRUE);
    const bool cmyk = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
    info.out_color_space = cmyk ? JCS_CMYK : JCS_RGB;
    return true;
}

// Converts one row of CMYK to RGB. Adobe's files store inverted values (`inverse`).
void convertInks(const std::uint8_t* inks, std::uint8_t* out, unsigned width, bool inverse) {
    for (unsigned x = 0; x < width; ++x) {
        const unsigned flip = inverse ? 0U : 255U;
        const unsigned light = inks[4 * x + 3] ^ flip;
        for (unsigned c = 0; c < 3; ++c) {
            out[3 * x + c] = static_cast<std::uint8_t>(((inks[4 * x + c] ^ flip) * light + 127) / 255);
        }
    }
}

void JpegReader::readRows(std::uint8_t* out) {
    jpeg_start_decompress(&info);
    const bool inks = info.out_color_space == JCS_CMYK;
    JSAMPARRAY spare = nullptr;
    if (inks) {
        spare = (*info.mem->alloc_sarray)(reinterpret_cast<j_common_ptr>(&info), JPOOL_IMAGE, info.output_width * 4, 1);
    }
    while (info.output_scanline < info.output_height) {
        JSAMPROW row = out + std::size_t{info.output_scanline} * info.output_width * 3;
        jpeg_read_scanlines(&info, inks ? spare : &row, 1);
        if (inks) convertInks(spare[0], row, info.output_width, info.saw_Adobe_marker != FALSE);
    }
}

bool JpegReader::readPixels(std::uint8_t* out) {
    if (setjmp(escape) != 0) return false;
    readRows(out);
    return true;
}

}  // namespace

Result<RgbImage> decodeJpeg(std::span<const std::byte> content, const std::string& file) {
    JpegReader reader;
    const auto damaged = [&] {
        return Problem{file, "is a damaged JPEG image (" + std::string(reader.message) + ")",
                       "replace or remove the file"};
    };
    if (!reader.readHeader(content)) return damaged();
    auto image = emptyImage(reader.info.image_width, reader.info.image_height, file);
    if (!image) return image;
    if (!reader.readPixels(image.value().pixels.data())) return damaged();
    return image;
}

}  // namespace ringside
