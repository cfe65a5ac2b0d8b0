// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <stop_token>
#include <string>

#include "base/errors/result.h"

namespace ringside {

// Largest unpacked size of a gzip file. Lower than the limit of uncompressed files, because a small gzip file can
// unpack to a thousand times its size.
inline constexpr std::size_t kMaxUnpackedTextBytes = std::size_t{1} << 28;

// Returns the content of a text file, unpacked if it is gzip by content. Problems: those of ByteSource; a plain file of
// more than maxBytes; a gzip file that unpacks to more than maxBytes or kMaxUnpackedTextBytes.
Result<std::string> readTextFile(const std::filesystem::path& path, std::size_t maxBytes,
                                 const std::stop_token& stop = {});

}  // namespace ringside
