// SPDX-License-Identifier: Apache-2.0
#include "launch/proof.h"

#include <sys/random.h>

#include <cerrno>
#include <span>
#include <vector>

#include "base/errors.h"
#include "base/files.h"
#include "base/sha256.h"

namespace ringside {
namespace {

constexpr std::size_t kBlockBytes = 64;
constexpr const char* kHexDigits = "0123456789abcdef";

int hexValue(char digit) {
    return digit <= '9' ? digit - '0' : digit - 'a' + 10;
}

std::string bytesOfHex(const std::string& hex) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        bytes += static_cast<char>(hexValue(hex[i]) * 16 + hexValue(hex[i + 1]));
    return bytes;
}

std::string padWith(const std::string& key, char mask) {
    std::string pad(kBlockBytes, mask);
    for (std::size_t i = 0; i < key.size(); ++i) pad[i] = static_cast<char>(pad[i] ^ key[i]);
    return pad;
}

}  // namespace

std::string sha256Text(std::string_view text) {
    Sha256 sum;
    sum.add(std::as_bytes(std::span(text.data(), text.size())));
    return sum.hex();
}

std::string hmacSha256(std::string_view key, std::string_view text) {
    const std::string block = key.size() > kBlockBytes ? bytesOfHex(sha256Text(key)) : std::string(key);
    const std::string inner = sha256Text(padWith(block, 0x36).append(text));
    return sha256Text(padWith(block, 0x5c) + bytesOfHex(inner));
}

std::string randomHex(std::size_t bytes) {
    std::vector<unsigned char> random(bytes);
    if (::getrandom(random.data(), bytes, 0) != static_cast<ssize_t>(bytes))
        throw IoError("no random bytes from the kernel (" + errnoText(errno) + ")");
    std::string text;
    for (const unsigned char byte : random) {
        text += kHexDigits[byte >> 4];
        text += kHexDigits[byte & 15];
    }
    return text;
}

bool sameSecret(std::string_view one, std::string_view other) {
    if (one.size() != other.size()) return false;
    unsigned difference = 0;
    for (std::size_t i = 0; i < one.size(); ++i)
        difference |= static_cast<unsigned>(static_cast<unsigned char>(one[i]) ^ static_cast<unsigned char>(other[i]));
    return difference == 0;
}

}  // namespace ringside
