// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/crypto/sha256.h"

namespace ringside {

// Returns the SHA-256 of the bytes, in lower-case hex.
inline std::string sha256Of(std::string_view bytes) {
    Sha256 sum;
    sum.add(std::as_bytes(std::span(bytes)));
    return sum.hex();
}

}  // namespace ringside
