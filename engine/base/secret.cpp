// SPDX-License-Identifier: Apache-2.0
#include "base/secret.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>

#include <cerrno>

#include "base/errors.h"

namespace ringside {

Secret randomSecret() {
    Secret secret{};
    ssize_t got = -1;
    do {
        got = ::getrandom(secret.data(), secret.size(), 0);
    } while (got < 0 && errno == EINTR);
    RINGSIDE_ASSERT(got == static_cast<ssize_t>(secret.size()));  // so few bytes come whole (getrandom(2))
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

}  // namespace ringside
