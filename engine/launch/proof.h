// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ringside {

// HMAC-SHA256 (RFC 2104) in hexadecimal: shows that one knows the key without saying it.
std::string hmacSha256(std::string_view key, std::string_view text);

// SHA-256 of a text in hexadecimal.
std::string sha256Text(std::string_view text);

// From the kernel, in hexadecimal. Throws IoError.
std::string randomHex(std::size_t bytes);

// In a time that does not tell how much of it is right.
bool sameSecret(std::string_view one, std::string_view other);

}  // namespace ringside
