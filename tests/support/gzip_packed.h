// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

#include <string>

#include "base/errors/errors.h"

namespace ringside::testing {

// Returns the text as a gzip file.
inline std::string gzipPacked(const std::string& text) {
    constexpr int kGzip = 15 + 16;
    z_stream stream{};
    RINGSIDE_ASSERT(deflateInit2(&stream, 9, Z_DEFLATED, kGzip, 9, Z_DEFAULT_STRATEGY) == Z_OK);
    std::string packed(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    RINGSIDE_ASSERT(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
}

}  // namespace ringside::testing
