// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
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

// Failure of the link to a peer, or timeout of a wait.
class LinkError : public std::runtime_error {
  public:
    explicit LinkError(const std::string& text, int peer = -1, bool isMisuse = false)
        : std::runtime_error(text), m_peer(peer), m_isMisuse(isMisuse) {}
    // Returns the rank at the other end of the failed link; -1 if no link failed.
    int peer() const { return m_peer; }
    bool isMisuse() const { return m_isMisuse; }  // returns true if the peer violated the protocol

  private:
    int m_peer;
    bool m_isMisuse;
};

// Completion counters of the messages of one caller of PeerLinks: the numbers of finished sends and receives. Must
// outlive the caller's messages, unless they have been cancelled.
struct LinkCounters {
    int sent = 0;
    int received = 0;
    int sentTo = -1;        // peer of the last finished send
    int receivedFrom = -1;  // peer of the last finished receive
    int lostPeer = -1;      // peer of a message that can no longer complete
    std::string lostWhy;
    bool lostByMisuse = false;
};

// Messages over the sockets of a mesh (PeerMesh). Each message has a tag, called slot; messages of one slot between two
// ranks arrive in order.
//
// send() and receive() start a message and return; the wait functions block until a message is complete. The waiting
// thread transfers the bytes itself. Between waits, bytes are transferred only while setBackgroundTransfer() is on.
// Data is read from a peer only while a receive is pending, so that a fast sender is slowed down by TCP instead of
// filling the memory of this rank. Thread-safe.
class PeerLinks {
  public:
    using Clock = std::chrono::steady_clock;

    // sockets: connected stream sockets, indexed by rank; the entry of this rank is empty.
    explicit PeerLinks(std::vector<UniqueFd> sockets);
    ~PeerLinks();
    PeerLinks(const PeerLinks&) = delete;
    PeerLinks& operator=(const PeerLinks&) = delete;

    // Starts to send a message. The bytes must remain valid until the message is complete or cancelled.
    void send(LinkCounters& counters, int peer, std::uint64_t slot, std::span<const std::byte> bytes);
    // Starts to receive the next message with the tag `slot` into `bytes`. A message of another length ends the link.
    void receive(LinkCounters& counters, int peer, std::uint64_t slot, std::span<std::byte> bytes);
    // waitUntilSent() and waitUntilReceived() block until a message of `counters` was sent or received, and decrement
    // the count counters.sent or counters.received. They throw LinkError if the link fails or at the timeout.
    void waitUntilSent(LinkCounters& counters, std::chrono::milliseconds timeout) {
        waitForCount(counters, counters.sent, timeout);
    }
    void waitUntilReceived(LinkCounters& counters, std::chrono::milliseconds timeout) {
        waitForCount(counters, counters.received, timeout);
    }
    // Cancels all messages of `counters`. A message that has been transferred in part ends the link.
    void cancelMessages(LinkCounters& counters);

    // Turns the background thread, which transfers bytes between waits, on or off.
    void setBackgroundTransfer(bool on);

    // Returns the statistics of each existing link. LinkStatistics::peer is the rank in the mesh (PeerMesh).
    std::vector<LinkStatistics> statistics() const;

    // Makes all pending and future waits throw LinkError.
    void abort();
    // Shuts down the sockets, which makes the waits of the peers throw too.
    void close();

  private:
    static constexpr std::size_t kHeaderBytes = 16;
    struct Outgoing {
        LinkCounters* user;
        std::span<const std::byte> bytes;
        std::byte header[kHeaderBytes];
        std::size_t gone = 0;  // number of bytes of the message that have been sent, including its header
    };
    struct Incoming {
        LinkCounters* user;
        std::uint64_t slot;
        std::span<std::byte> bytes;
    };
    // A message that arrived before its receive was started.
    struct Early {
        std::uint64_t slot;
        std::vector<std::byte> bytes;
    };
    struct Peer {
        UniqueFd socket;
        std::deque<Outgoing> outgoing;
        std::deque<Incoming>
            pendingReceives;  // pending receives; a message is delivered to the first one with the same tag
        std::deque<Early> early;
        std::vector<std::byte> read;  // read-ahead buffer; [at, end) has not been parsed yet
        std::size_t at = 0;
        std::size_t end = 0;
        bool inMessage = false;  // true if the header of a message, but not all of its content, has been received
        // true if no receive is pending for the message, which is then stored in early.back()
        bool isUnexpected = false;
        std::size_t have = 0;  // number of bytes of the message's content that have been received
        std::size_t length = 0;
        std::uint64_t slot = 0;
        std::string lost;  // reason for which this link has ended; empty while the link works
        bool misused = false;
        // Time in which threads waited for the rest of a message of which the beginning had arrived. Atomic, because
        // statistics() locks no mutex.
        std::atomic<std::int64_t> waitUs{0};
        Clock::time_point waitedUntil = {};  // end of the last wait that waitUs counts

        // True if a receive is pending for a message of which this peer has sent the beginning, but not all bytes.
        bool isInMessage() const { return inMessage && !pendingReceives.empty() && lost.empty(); }
    };

    void waitForCount(LinkCounters& counters, int& count, std::chrono::milliseconds timeout);
    void transferOrWait(std::unique_lock<std::mutex>& lock, Clock::time_point deadline);
    void addWait(Clock::time_point begin, const std::vector<std::size_t>& peers);
    void runBackgroundThread();
    bool sendAndReceiveAll();
    bool write(int rank);
    bool read(int rank);
    bool readMore(int rank);
    bool parseReceived(int rank);
    bool beginMessage(int rank);
    void endMessage(int rank);
    bool deliverEarlyMessage(int rank, const Incoming& incoming);
    std::span<std::byte> remainingMemoryFor(Peer& peer);
    Incoming* pendingReceiveOf(Peer& peer);
    void endLink(int rank, const std::string& why, bool isMisuse = false);
    void endLinkForWrongSize(int rank, std::size_t sent, std::size_t expected);
    void reportLinkLoss(LinkCounters& counters, int rank) const;
    void wake();

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::vector<Peer> m_peers;
    UniqueFd m_wake;
    bool m_aborted = false;
    bool m_background = false;
    bool m_pumping = false;  // true if the background thread transfers the bytes and other threads only wait
    bool m_ending = false;
    std::thread m_thread;
};

}  // namespace ringside
