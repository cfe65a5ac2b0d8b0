// SPDX-License-Identifier: Apache-2.0
#include "data/readers/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/errors/errors.h"

namespace ringside {
namespace {

// Owner of a zlib stream.
class Inflater {
  public:
    Inflater() { RINGSIDE_ASSERT(inflateInit2(&m_stream, kGzipOnly) == Z_OK); }
    ~Inflater() { inflateEnd(&m_stream); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;
    z_stream* operator->() { return &m_stream; }
    int advance() { return inflate(&m_stream, Z_NO_FLUSH); }
    int restart() { return inflateReset(&m_stream); }

  private:
    static constexpr int kGzipOnly = 15 + 16;
    z_stream m_stream{};
};

// Passes the next portion of the input to zlib, whose lengths have 32 bits.
void feed(Inflater& inflater, std::string_view& rest) {
    if (inflater->avail_in > 0 || rest.empty()) return;
    const std::size_t portion = std::min<std::size_t>(rest.size(), std::numeric_limits<uInt>::max());
    inflater->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));
    inflater->avail_in = static_cast<uInt>(portion);
    rest.remove_prefix(portion);
}

}  // namespace

Result<std::string> gunzip(std::string_view bytes, const std::string& what, std::size_t maxBytes) {
    const Problem damaged{what, "is a damaged or truncated gzip file", "download the file again"};
    Inflater inflater;
    std::string content;
    std::array<char, 1U << 16> buffer{};
    for (;;) {
        feed(inflater, bytes);
        inflater->next_out = reinterpret_cast<Bytef*>(buffer.data());
        inflater->avail_out = static_cast<uInt>(buffer.size());
        const int status = inflater.advance();
        if (status != Z_OK && status != Z_STREAM_END) return damaged;
        content.append(buffer.data(), buffer.size() - inflater->avail_out);
        if (content.size() > maxBytes) {
            return Problem{what, "unpacks to more than the limit of " + std::to_string(maxBytes) + " bytes",
                           "use a smaller file"};
        }
        if (status == Z_STREAM_END) {
            if (inflater->avail_in == 0 && bytes.empty()) return content;
            inflater.restart();  // a gzip file may hold several members
        }
    }
}

}  // namespace ringside
