// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "base/crypto/secret.h"
#include "base/system/unique_fd.h"
#include "comm/store.h"
#include "comm/tcp/peer_address.h"
#include "comm/tcp/peer_handshake.h"

namespace ringside {

// Connects the ranks of a group with one another, a socket for every two of them. Nothing is listening any more when
// connect() returns, and nobody got in who does not know the secret in the store: whoever else connects is cut off and
// counted, and takes no rank's place.
class PeerMesh {
  public:
    struct Options {
        std::string prefix;           // of the group's keys in the store
        std::vector<int> ranksInRun;  // how the group's ranks are called in errors
        int rank = 0;                 // in the group
        PeerAddress host = PeerAddress::loopback();
        std::chrono::milliseconds timeout{30000};
    };

    PeerMesh(Store& store, Options options);

    // The sockets by rank, this one's own empty; TCP without delay, not blocking. Throws CommError naming a rank that
    // did not come.
    std::vector<UniqueFd> connect();

    std::int64_t strangers() const { return m_strangers; }

    // Of accepted connections that have not shown who they are; the oldest makes room for one more.
    static constexpr std::size_t kMostUnknown = 128;

  private:
    using Clock = std::chrono::steady_clock;
    struct Attempt {
        UniqueFd socket;
        PeerHandshake handshake;
        bool asking = false;
        bool connecting = false;  // until the system says that it is connected
        Clock::time_point since;
        std::string unsent = {};
    };
    enum class Progress : std::uint8_t { kWaits, kDone, kLost, kStranger };

    int size() const { return static_cast<int>(m_options.ranksInRun.size()); }
    void listen();
    void readStore();
    void forgiveFreeze(std::chrono::milliseconds allowed);
    std::vector<char> wait(const std::string& key, int from);
    void ask(int peer);
    void askAgainWhereLost();
    void accept();
    bool dropOldestUnknown();
    void step();
    Progress advance(Attempt& attempt);
    Progress afterConnecting(Attempt& attempt) const;
    void settle(Attempt& attempt, Progress progress);
    bool allHere() const;
    int firstMissing() const;
    [[noreturn]] void failFor(int peer) const;

    Store& m_store;
    Options m_options;
    Clock::time_point m_lookedAt = Clock::now();
    Clock::time_point m_deadline;
    Secret m_secret{};
    UniqueFd m_listener;
    std::vector<PeerAddress> m_addresses;  // of the ranks below this one
    std::vector<Clock::time_point> m_askAgain;
    std::list<Attempt> m_attempts;
    std::vector<UniqueFd> m_sockets;
    std::int64_t m_strangers = 0;
};

}  // namespace ringside
