// SPDX-License-Identifier: Apache-2.0
#include "base/crypto/secret.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>

#include <cerrno>
#include <vector>

#include "base/crypto/sha256.h"
#include "base/errors/errors.h"
#include "base/system/files.h"

namespace ringside {
namespace {

std::string hexOf(std::span<const std::byte> bytes) {
    constexpr const char* kDigits = "0123456789abcdef";
    std::string text;
    for (const std::byte byte : bytes) {
        text += kDigits[std::to_integer<unsigned>(byte) >> 4];
        text += kDigits[std::to_integer<unsigned>(byte) & 15];
    }
    return text;
}

}  // namespace

Secret randomSecret() {
    Secret secret{};
    ssize_t got = -1;
    do {
        got = ::getrandom(secret.data(), secret.size(), 0);
    } while (got < 0 && errno == EINTR);
    // getrandom(2) never returns fewer bytes than requested, for up to 256 bytes
    RINGSIDE_ASSERT(got == static_cast<ssize_t>(secret.size()));
    return secret;
}

Proof proofOf(std::span<const std::byte> key, std::string_view message) {
    Proof proof{};
    unsigned int length = 0;
    const auto* bytes = reinterpret_cast<const unsigned char*>(message.data());
    auto* out = reinterpret_cast<unsigned char*>(proof.data());
    RINGSIDE_ASSERT(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes, message.size(), out, &length));
    RINGSIDE_ASSERT(length == proof.size());
    return proof;
}

bool isSameProof(const Proof& a, const Proof& b) {
    return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string hmacSha256(std::string_view key, std::string_view text) {
    return hexOf(proofOf(std::as_bytes(std::span(key.data(), key.size())), text));
}

bool isSameSecret(std::string_view one, std::string_view other) {
    return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

std::string sha256Text(std::string_view text) {
    Sha256 sum;
    sum.add(std::as_bytes(std::span(text.data(), text.size())));
    return sum.hex();
}

std::string randomHex(std::size_t bytes) {
    std::vector<std::byte> random(bytes);
    if (::getrandom(random.data(), bytes, 0) != static_cast<ssize_t>(bytes))
        throw IoError("the kernel returned no random bytes (" + errnoText(errno) + ")");
    return hexOf(random);
}

}  // namespace ringside
