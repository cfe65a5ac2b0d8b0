// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace ringside {

// 128 bits that only the processes of one run know.
using Secret = std::array<std::byte, 16>;

// Fresh from the system's generator; also for numbers that are used once.
Secret randomSecret();

// HMAC-SHA-256 (RFC 2104): shows that its maker knows the key and meant this message.
using Proof = std::array<std::byte, 32>;
Proof proofOf(std::span<const std::byte> key, std::string_view message);

// Compared in a time that does not tell where they differ.
bool isSameProof(const Proof& a, const Proof& b);

// The same for keys and proofs that travel as text, in hexadecimal.
std::string hmacSha256(std::string_view key, std::string_view text);
bool sameSecret(std::string_view one, std::string_view other);

// SHA-256 of a text in hexadecimal.
std::string sha256Text(std::string_view text);

// So many bytes from the kernel, in hexadecimal. Throws IoError.
std::string randomHex(std::size_t bytes);

}  // namespace ringside
