// SPDX-License-Identifier: Apache-2.0
#include "base/crypto/sha256.h"

#include <openssl/evp.h>

#include <array>

#include "base/errors/errors.h"
#include "base/system/unique_handle.h"

namespace ringside {
namespace {

struct DigestTraits {
    using Handle = EVP_MD_CTX*;
    static Handle none() { return nullptr; }
    static void close(Handle context) noexcept { EVP_MD_CTX_free(context); }
};

}  // namespace

struct Sha256::Context {
    UniqueHandle<DigestTraits> digest{EVP_MD_CTX_new()};
};

Sha256::Sha256() : m_context(std::make_unique<Context>()) {
    RINGSIDE_ASSERT(EVP_DigestInit_ex(m_context->digest.get(), EVP_sha256(), nullptr) == 1);
}

Sha256::~Sha256() = default;

void Sha256::add(std::span<const std::byte> bytes) {
    RINGSIDE_ASSERT(EVP_DigestUpdate(m_context->digest.get(), bytes.data(), bytes.size()) == 1);
}

std::string Sha256::hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> sum{};
    unsigned int length = 0;
    RINGSIDE_ASSERT(EVP_DigestFinal_ex(m_context->digest.get(), sum.data(), &length) == 1);
    constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (unsigned int i = 0; i < length; ++i) {
        text += kDigits[sum[i] >> 4];
        text += kDigits[sum[i] & 15];
    }
    return text;
}

}  // namespace ringside
