// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/system/unique_fd.h"
#include "comm/communicator.h"

namespace ringside {

// A link to a peer has ended, or a wait has.
class LinkError : public std::runtime_error {
  public:
    explicit LinkError(const std::string& text, int peer = -1, bool isMisuse = false)
        : std::runtime_error(text), m_peer(peer), m_isMisuse(isMisuse) {}
    int peer() const { return m_peer; }           // whose link it was, -1 when none's
    bool isMisuse() const { return m_isMisuse; }  // the peer sent what the collectives of a run never send

  private:
    int m_peer;
    bool m_isMisuse;
};

// Who waits for messages: counts those that have gone and come, whichever they were. Must outlive what it started, or
// be forgotten.
struct LinkUser {
    int sent = 0;
    int received = 0;
    int sentTo = -1;        // the last one
    int receivedFrom = -1;  // the last one
    int lostPeer = -1;      // a message under way cannot end any more: with this peer, and why
    std::string lostWhy;
    bool lostByMisuse = false;
};

// Messages over the sockets of a mesh: each has a slot, and those of a slot between two ranks keep their order. Sends
// and receives are asked for at once and waited for later. Whoever waits moves the bytes himself; between waits they
// move only while a thread of its own is asked for. From a peer nothing is read that nobody has asked for: the sender
// is slowed down instead of this rank's memory filled. Safe from any thread.
class PeerLinks {
  public:
    using Clock = std::chrono::steady_clock;

    // Connected stream sockets by rank, the own one empty.
    explicit PeerLinks(std::vector<UniqueFd> sockets);
    ~PeerLinks();
    PeerLinks(const PeerLinks&) = delete;
    PeerLinks& operator=(const PeerLinks&) = delete;

    void send(LinkUser& user, int peer, std::uint64_t slot, std::span<const std::byte> bytes);
    void receive(LinkUser& user, int peer, std::uint64_t slot, std::span<std::byte> bytes);
    // Takes one away from user.sent or user.received, as soon as there is one. Throws LinkError.
    void awaitSent(LinkUser& user, std::chrono::milliseconds timeout) { await(user, user.sent, timeout); }
    void awaitReceived(LinkUser& user, std::chrono::milliseconds timeout) { await(user, user.received, timeout); }
    // Nothing more is moved to or from what it gave. A message half moved ends the link.
    void forget(LinkUser& user);

    // While on, a thread of its own moves bytes.
    void moveInBackground(bool on);

    // Of all links that there still are; peers as the mesh numbers them.
    std::vector<LinkReading> readings() const;

    // All waits, now and later, throw.
    void abort();
    // The peers' waits throw as well.
    void close();

  private:
    static constexpr std::size_t kHeaderBytes = 16;
    struct Outgoing {
        LinkUser* user;
        std::span<const std::byte> bytes;
        std::byte header[kHeaderBytes];
        std::size_t gone = 0;  // of header and bytes
    };
    struct Incoming {
        LinkUser* user;
        std::uint64_t slot;
        std::span<std::byte> bytes;
    };
    // A message that came before it was asked for.
    struct Early {
        std::uint64_t slot;
        std::vector<std::byte> bytes;
    };
    struct Peer {
        UniqueFd socket;
        std::deque<Outgoing> outgoing;
        std::deque<Incoming> asked;  // the first with a message's slot takes it
        std::deque<Early> early;
        std::vector<std::byte> read;  // what came and is not looked at yet: [at, end)
        std::size_t at = 0;
        std::size_t end = 0;
        bool inMessage = false;  // the header was read
        bool toEarly = false;    // it is nobody's: kept in early.back()
        std::size_t have = 0;    // of its bytes
        std::size_t length = 0;
        std::uint64_t slot = 0;
        std::string lost;  // why this link has ended
        bool misused = false;
    };

    void await(LinkUser& user, int& count, std::chrono::milliseconds timeout);
    void moveOrWait(std::unique_lock<std::mutex>& lock, Clock::time_point deadline);
    void pump();
    bool moveAll();
    bool write(int rank);
    bool read(int rank);
    bool readMore(int rank);
    bool acceptRead(int rank);
    bool beginMessage(int rank);
    void endMessage(int rank);
    bool giveEarly(int rank, const Incoming& asked);
    std::span<std::byte> roomFor(Peer& peer);
    Incoming* takerOf(Peer& peer);
    void lose(int rank, const std::string& why, bool isMisuse = false);
    void loseForSize(int rank, std::size_t sent, std::size_t expected);
    void passOnLoss(LinkUser& user, int rank) const;
    void wake();

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::vector<Peer> m_peers;
    UniqueFd m_wake;
    bool m_aborted = false;
    bool m_background = false;
    bool m_pumping = false;  // the thread moves bytes: others need only wait
    bool m_ending = false;
    std::thread m_thread;
};

}  // namespace ringside
