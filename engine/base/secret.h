// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
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

}  // namespace ringside
