// SPDX-License-Identifier: Apache-2.0
#include "base/crypto/secret.h"

#include <string>

#include "support/catch.h"

using namespace ringside;

namespace {

std::string hexOf(const Proof& proof) {
    std::string text;
    for (const std::byte byte : proof) {
        constexpr char kDigits[] = "0123456789abcdef";
        text += kDigits[std::to_integer<unsigned>(byte) >> 4U];
        text += kDigits[std::to_integer<unsigned>(byte) & 15U];
    }
    return text;
}

}  // namespace

TEST_CASE("a proof is the HMAC-SHA-256 of RFC 4231") {
    const std::string jefe = "Jefe";  // test case 2
    CHECK(hexOf(proofOf(std::as_bytes(std::span(jefe)), "what do ya want for nothing?")) ==
          "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    const std::string b(20, '\x0b');  // test case 1
    CHECK(hexOf(proofOf(std::as_bytes(std::span(b)), "Hi There")) ==
          "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
}

TEST_CASE("proofs with another key, or of another message, differ") {
    const Secret key = randomSecret();
    CHECK(isSameProof(proofOf(key, "a"), proofOf(key, "a")));
    CHECK_FALSE(isSameProof(proofOf(key, "a"), proofOf(key, "b")));
    CHECK_FALSE(isSameProof(proofOf(key, "a"), proofOf(randomSecret(), "a")));
    CHECK(randomSecret() != randomSecret());
}
