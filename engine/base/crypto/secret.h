// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace ringside {

// 128-bit key shared by the processes of one run.
using Secret = std::array<std::byte, 16>;

// Returns 16 bytes from getrandom(2). Also used for nonces.
Secret randomSecret();

// HMAC-SHA-256 (RFC 2104) of a message: proves that the sender holds the key and that the message is unchanged.
using Proof = std::array<std::byte, 32>;
Proof proofOf(std::span<const std::byte> key, std::string_view message);

// Compares in constant time, so that the duration does not reveal the position of the first difference.
bool isSameProof(const Proof& a, const Proof& b);

// Variants of proofOf() and isSameProof() for keys and proofs in text form. hmacSha256() returns hexadecimal.
std::string hmacSha256(std::string_view key, std::string_view text);
bool isSameSecret(std::string_view one, std::string_view other);

// Returns the SHA-256 of a text in hexadecimal.
std::string sha256Text(std::string_view text);

// Returns `bytes` random bytes from getrandom(2), in hexadecimal. Throws IoError.
std::string randomHex(std::size_t bytes);

}  // namespace ringside
