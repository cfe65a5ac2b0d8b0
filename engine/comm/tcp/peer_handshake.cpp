// SPDX-License-Identifier: Apache-2.0
#include "comm/tcp/peer_handshake.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/errors/errors.h"

namespace ringside {
namespace {

// First bytes that each rank sends. They contain a version, so that programs of different versions reject each other.
constexpr std::string_view kGreeting = "ringside peer 1\n";
constexpr std::size_t kRankBytes = 4;
constexpr std::size_t kChallengeBytes = kGreeting.size() + sizeof(Secret);
constexpr std::size_t kClaimBytes = kGreeting.size() + kRankBytes + sizeof(Secret) + sizeof(Proof);

template <class Bytes>
std::string_view textOf(const Bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class Bytes>
Bytes taken(std::string_view& message) {
    Bytes bytes{};
    std::memcpy(bytes.data(), message.data(), bytes.size());
    message.remove_prefix(bytes.size());
    return bytes;
}

std::string rankBytes(int rank) {
    std::string bytes;
    for (unsigned shift = 0; shift < 32; shift += 8) {
        bytes += static_cast<char>(static_cast<unsigned>(rank) >> shift & 0xffU);
    }
    return bytes;
}

std::uint32_t rankIn(std::string_view& message) {
    std::uint32_t rank = 0;
    for (unsigned i = 0; i < kRankBytes; ++i) {
        rank |= static_cast<std::uint32_t>(static_cast<unsigned char>(message[i])) << (8 * i);
    }
    message.remove_prefix(kRankBytes);
    return rank;
}

}  // namespace

PeerHandshake PeerHandshake::initiator(const Secret& secret, int self, int peer) {
    PeerHandshake handshake(secret, self);
    handshake.m_isInitiator = true;
    handshake.m_peer = peer;
    handshake.m_expected = kChallengeBytes;
    return handshake;
}

PeerHandshake PeerHandshake::acceptor(const Secret& secret, int self, int size) {
    PeerHandshake handshake(secret, self);
    handshake.m_size = size;
    handshake.m_expected = kClaimBytes;
    handshake.m_acceptorNonce = randomSecret();
    handshake.m_output = kGreeting;
    handshake.m_output += textOf(handshake.m_acceptorNonce);
    return handshake;
}

std::string PeerHandshake::takeOutput() {
    return std::exchange(m_output, {});
}

void PeerHandshake::receive(std::string_view bytes) {
    RINGSIDE_ASSERT(bytes.size() <= bytesExpected());
    m_input += bytes;
    // Rejects the peer as soon as its bytes differ from the expected greeting, without waiting for the rest.
    const std::size_t greeted = std::min(m_input.size(), kGreeting.size());
    if (!m_claimed && m_input.compare(0, greeted, kGreeting, 0, greeted) != 0) {
        m_state = State::kRefused;
        return;
    }
    if (m_input.size() < m_expected) return;
    const std::string message = std::exchange(m_input, {});
    if (!m_isInitiator) return readClaim(message);
    return m_claimed ? readAnswer(message) : readChallenge(message);
}

void PeerHandshake::readChallenge(std::string_view message) {
    message.remove_prefix(kGreeting.size());
    m_acceptorNonce = taken<Secret>(message);
    m_initiatorNonce = randomSecret();
    m_output = kGreeting;
    m_output += rankBytes(m_self);
    m_output += textOf(m_initiatorNonce);
    m_output += textOf(proof(true));
    m_claimed = true;
    m_expected = sizeof(Proof);
}

void PeerHandshake::readClaim(std::string_view message) {
    message.remove_prefix(kGreeting.size());
    const std::uint32_t rank = rankIn(message);
    m_initiatorNonce = taken<Secret>(message);
    m_state = State::kRefused;
    if (rank >= static_cast<std::uint32_t>(m_size) || static_cast<int>(rank) == m_self) return;
    m_peer = static_cast<int>(rank);
    if (!isSameProof(taken<Proof>(message), proof(true))) return;
    m_output = textOf(proof(false));
    m_state = State::kDone;
}

void PeerHandshake::readAnswer(std::string_view message) {
    m_state = isSameProof(taken<Proof>(message), proof(false)) ? State::kDone : State::kRefused;
}

Proof PeerHandshake::proof(bool ofInitiator) const {
    std::string message(ofInitiator ? "ringside asks" : "ringside answers");
    message += textOf(m_acceptorNonce);
    message += textOf(m_initiatorNonce);
    message += rankBytes(m_isInitiator ? m_self : m_peer);
    message += rankBytes(m_isInitiator ? m_peer : m_self);
    return proofOf(m_secret, message);
}

}  // namespace ringside
