// SPDX-License-Identifier: Apache-2.0
#include "data/readers/text_file.h"

#include <algorithm>

#include "data/readers/byte_source.h"

namespace ringside {
namespace {

constexpr std::size_t kFirstPortion = std::size_t{1} << 16;

std::string sizeText(std::size_t bytes) {
    constexpr std::size_t kMebibyte = std::size_t{1} << 20;
    if (bytes % (kMebibyte << 10) == 0) return std::to_string(bytes / (kMebibyte << 10)) + " GiB";
    if (bytes % kMebibyte == 0) return std::to_string(bytes / kMebibyte) + " MiB";
    return std::to_string(bytes) + " bytes";
}

Problem tooLarge(const ByteSource& source, std::size_t limit, std::size_t maxBytes) {
    if (!source.packed()) {
        return {source.path().string(), "is larger than the limit of " + sizeText(limit), "use a smaller file"};
    }
    return {source.path().string(), "unpacks to more than " + sizeText(limit) + ", the maximum for a gzip file",
            limit < maxBytes ? "unpack it (gunzip) and use the unpacked file, whose limit is " + sizeText(maxBytes)
                             : "use a smaller file"};
}

}  // namespace

Result<std::string> readTextFile(const std::filesystem::path& path, std::size_t maxBytes, const std::stop_token& stop) {
    auto opened = ByteSource::open(path, stop);
    if (!opened) return opened.problem();
    ByteSource& source = opened.value();
    const std::size_t limit = source.packed() ? std::min(maxBytes, kMaxUnpackedTextBytes) : maxBytes;
    if (!source.packed() && source.maxBytesLeft() > limit) return tooLarge(source, limit, maxBytes);
    // An uncompressed file is read in one call. The unpacked size of a gzip file is unknown, so the buffer grows.
    std::string content;
    std::size_t used = 0;
    std::size_t portion = source.packed() ? kFirstPortion : static_cast<std::size_t>(source.maxBytesLeft()) + 1;
    for (;;) {
        content.resize(used + portion);
        auto got = source.read(std::as_writable_bytes(std::span(content).subspan(used)));
        if (!got) return got.problem();
        used += got.value();
        if (used > limit) return tooLarge(source, limit, maxBytes);
        if (used < content.size()) break;
        portion = std::min(used, limit + 1 - used);
    }
    content.resize(used);
    return content;
}

}  // namespace ringside
