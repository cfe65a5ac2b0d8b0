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

// Rendezvous: connects the ranks of a group with each other, with one socket per pair of ranks.
//
//     1. Each rank listens on a port and publishes its address in the store. Rank 0 also publishes a random secret.
//     2. Each rank reads the secret and the addresses of all ranks with lower numbers.
//     3. Each rank connects to all ranks with lower numbers and accepts connections from all others:
//            rank 1 --> 0
//            rank 2 --> 0 1
//            rank 3 --> 0 1 2
//     4. Both ends of a connection prove that they know the secret (PeerHandshake).
//
// A connection whose other end does not prove within 5 s that it knows the secret is closed and counted; it is never
// used as the connection of a rank. A rank retries a failed connection every 20 ms until the timeout. The listening
// socket is closed when connect() returns.
class PeerMesh {
  public:
    struct Options {
        std::string prefix;           // prefix of the group's keys in the store
        std::vector<int> ranksInRun;  // number in the run of each rank of the group, for errors
        int rank = 0;                 // this rank's number in the group
        PeerAddress host = PeerAddress::loopback();
        std::chrono::milliseconds timeout{30000};
    };

    PeerMesh(Store& store, Options options);

    // Connects to all ranks and returns the sockets, indexed by rank; the entry of this rank is empty. The sockets are
    // non-blocking and have TCP_NODELAY set. Throws CommError and names a rank that did not connect within the timeout.
    std::vector<UniqueFd> connect();

    // Returns the number of unauthenticated connections that were refused.
    std::int64_t refusedConnections() const { return m_refusedConnections; }

    // Largest number of accepted connections that are not authenticated yet. A further connection replaces the oldest
    // one.
    static constexpr std::size_t kMaxUnauthenticated = 128;

  private:
    using Clock = std::chrono::steady_clock;
    // A connection that is not authenticated yet.
    struct Attempt {
        UniqueFd socket;
        PeerHandshake handshake;
        bool isInitiator = false;  // true if this rank opened the connection
        bool connecting = false;   // true until the TCP connection is established
        Clock::time_point since;   // time at which the connection was opened or accepted
        std::string unsent = {};
    };
    enum class Progress : std::uint8_t { kPending, kDone, kLost, kUnauthenticated };

    int size() const { return static_cast<int>(m_options.ranksInRun.size()); }
    void listen();
    void readStore();
    void extendDeadlinesAfterFreeze(std::chrono::milliseconds allowed);
    std::vector<char> waitForKey(const std::string& key, int from);
    void connectTo(int peer);
    void reconnectLostPeers();
    void accept();
    bool dropOldestUnauthenticated();
    void pollOnce();
    Progress advanceAttempt(Attempt& attempt);
    Progress checkConnection(Attempt& attempt) const;
    void handleProgress(Attempt& attempt, Progress progress);
    bool allConnected() const;
    int firstMissing() const;
    [[noreturn]] void failFor(int peer) const;

    Store& m_store;
    Options m_options;
    Clock::time_point m_lastFreezeCheck = Clock::now();
    Clock::time_point m_deadline;
    Secret m_secret{};
    UniqueFd m_listener;
    std::vector<PeerAddress> m_addresses;  // addresses of the ranks with lower numbers than this rank
    // Time of the next attempt to connect to each rank with a lower number.
    std::vector<Clock::time_point> m_nextConnect;
    std::list<Attempt> m_attempts;
    std::vector<UniqueFd> m_sockets;
    std::int64_t m_refusedConnections = 0;
};

}  // namespace ringside
