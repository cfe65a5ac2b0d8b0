// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/crypto/secret.h"

namespace ringside {

// Handshake by which two ranks prove to each other that they know the secret of the run, before any other data crosses
// a connection. Proofs are keyed hashes over both random numbers and both ranks, so that a recorded handshake cannot be
// replayed.
//
//     connecting rank (initiator)                       accepting rank (acceptor)
//         <--- greeting, random number A ------------------
//         ---- greeting, own rank, random number B, proof -->   checks the proof
//         <--- proof --------------------------------------
//     checks the proof
//
// All messages have a fixed length. The class does no input or output: the caller moves the bytes.
class PeerHandshake {
  public:
    enum class State : std::uint8_t { kInProgress, kDone, kRefused };

    // Returns the handshake of the rank that connects to `peer`.
    static PeerHandshake initiator(const Secret& secret, int self, int peer);
    // Returns the handshake of the rank that accepted a connection. The rank of the peer is learned from the handshake
    // and must be below `size`.
    static PeerHandshake acceptor(const Secret& secret, int self, int size);

    // Returns and removes the bytes to send now.
    std::string takeOutput();
    // Returns the number of bytes expected next. The caller must not read more, because later bytes belong to the next
    // protocol.
    std::size_t bytesExpected() const { return m_state == State::kInProgress ? m_expected - m_input.size() : 0; }
    // Accepts received bytes, at most bytesExpected().
    void receive(std::string_view bytes);

    State state() const { return m_state; }
    int peer() const { return m_peer; }  // returns the peer's rank; valid once the state is kDone

  private:
    PeerHandshake(const Secret& secret, int self) : m_secret(secret), m_self(self) {}
    void readChallenge(std::string_view message);
    void readClaim(std::string_view message);
    void readAnswer(std::string_view message);
    Proof proof(bool ofInitiator) const;

    Secret m_secret;
    int m_self;
    int m_peer = -1;
    int m_size = 0;
    bool m_isInitiator = false;
    // True once the connecting rank has sent its rank and proof: the next message from the accepting rank is its proof,
    // without a greeting. Always false on the accepting rank.
    bool m_claimed = false;
    Secret m_acceptorNonce{};
    Secret m_initiatorNonce{};
    std::size_t m_expected = 0;
    std::string m_input;
    std::string m_output;
    State m_state = State::kInProgress;
};

}  // namespace ringside
