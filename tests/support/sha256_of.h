// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/crypto/sha256.h"

namespace ringside {

// Returns the SHA-256 of the bytes, in lower-case hex.
inline std::string sha256Of(std::string_view bytes) {
    Sha256 sum;
    sum.add(std::as_bytes(std::span(bytes)));
    return sum.hex();
}

// Returns the SHA-256 of the numbers as little-endian 64-bit integers, in lower-case hex.
inline std::string sha256OfNumbers(const std::vector<std::int64_t>& numbers) {
    return sha256Of({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::int64_t)});
}

}  // namespace ringside
