// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

#include "data/raw_file.h"

namespace ringside::testing {

inline std::string pngChunk(const std::string& type, const std::string& content) {
    const std::string body = type + content;
    const auto crc = ::crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
    return bigEndian32(static_cast<std::uint32_t>(content.size())) + body +
           bigEndian32(static_cast<std::uint32_t>(crc));
}

// Returns a PNG file of 8-bit RGB. `pixels` may have fewer pixels than the header states.
inline std::string pngFile(int width, int height, const std::string& pixels) {
    std::string rows;
    const std::size_t row = static_cast<std::size_t>(width) * 3;
    for (std::size_t at = 0; at < pixels.size(); at += row) rows += '\0' + pixels.substr(at, row);
    uLongf size = ::compressBound(static_cast<uLong>(rows.size()));
    std::string packed(size, '\0');
    ::compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(rows.data()),
               static_cast<uLong>(rows.size()));
    packed.resize(size);
    const std::string header = bigEndian32(static_cast<std::uint32_t>(width)) +
                               bigEndian32(static_cast<std::uint32_t>(height)) + bytes({8, 2, 0, 0, 0});
    return "\x89PNG\r\n\x1a\n" + pngChunk("IHDR", header) + pngChunk("IDAT", packed) + pngChunk("IEND", "");
}

}  // namespace ringside::testing
