// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <stop_token>
#include <string>

#include "base/errors/result.h"

namespace ringside {

// What a gzip file may unpack to: a small one can claim a thousand times its size.
inline constexpr std::size_t kMaxUnpackedTextBytes = std::size_t{1} << 28;

// The whole of a text file, unpacked when it is gzip by content. Problems: those of ByteSource; a plain file of more
// than maxBytes; a packed one that unpacks to more than that or kMaxUnpackedTextBytes.
Result<std::string> readTextFile(const std::filesystem::path& path, std::size_t maxBytes,
                                 const std::stop_token& stop = {});

}  // namespace ringside
