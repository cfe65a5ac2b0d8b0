// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/crypto/secret.h"

namespace ringside {

// How two ranks find out that both belong to the run, before anything else is said on a connection: whoever answered
// sends a number used once, whoever asked shows with it that it knows the run's secret, and is shown the same. Every
// message has a fixed length. Bytes in and out are the caller's business.
class PeerHandshake {
  public:
    enum class State : std::uint8_t { kGoing, kDone, kRefused };

    // Of the rank that connects to `peer`.
    static PeerHandshake asking(const Secret& secret, int self, int peer);
    // Of the rank that accepted a connection: from whom, the handshake tells. Ranks are those below `size`.
    static PeerHandshake answering(const Secret& secret, int self, int size);

    // Bytes to send now.
    std::string takeOutput();
    // How many bytes it can take now; none is to be read beyond them.
    std::size_t wanted() const { return m_state == State::kGoing ? m_expected - m_input.size() : 0; }
    // At most wanted() bytes.
    void feed(std::string_view bytes);

    State state() const { return m_state; }
    int peer() const { return m_peer; }  // once done

  private:
    PeerHandshake(const Secret& secret, int self) : m_secret(secret), m_self(self) {}
    void readChallenge(std::string_view message);
    void readClaim(std::string_view message);
    void readAnswer(std::string_view message);
    Proof proof(bool ofAsking) const;

    Secret m_secret;
    int m_self;
    int m_peer = -1;
    int m_size = 0;
    bool m_asking = false;
    bool m_claimed = false;  // to be who we are; the answer has no greeting
    Secret m_answeringOnce{};
    Secret m_askingOnce{};
    std::size_t m_expected = 0;
    std::string m_input;
    std::string m_output;
    State m_state = State::kGoing;
};

}  // namespace ringside
