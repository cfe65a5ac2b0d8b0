// SPDX-License-Identifier: Apache-2.0
#include "comm/tcp/peer_links.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/errors/errors.h"
#include "base/processors/processors.h"
#include "base/system/files.h"
#include "base/time/awake_deadline.h"
#include "comm/tcp/tcp_count.h"

namespace ringside {
namespace {

constexpr std::size_t kReadAhead = std::size_t{64} << 10;
// Smallest step, in bytes, in which the memory for a message without a pending receive grows as its bytes arrive.
constexpr std::size_t kGrowth = std::size_t{1} << 20;
constexpr std::chrono::seconds kCheckInterval{1};
// Largest number of messages of one peer that may arrive before their receives.
constexpr std::size_t kMaxEarly = 65536;

bool isTemporary(int error) {
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

}  // namespace

PeerLinks::PeerLinks(std::vector<UniqueFd> sockets)
    : m_peers(sockets.size()), m_wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!m_wake) throw CommError("an event descriptor cannot be created (" + errnoText(errno) + ")");
    for (std::size_t rank = 0; rank < sockets.size(); ++rank) {
        if (!sockets[rank]) continue;
        ::fcntl(sockets[rank].get(), F_SETFL, ::fcntl(sockets[rank].get(), F_GETFL) | O_NONBLOCK);
        m_peers[rank].socket = std::move(sockets[rank]);
        m_peers[rank].read.resize(kReadAhead);
    }
}

PeerLinks::~PeerLinks() {
    {
        std::lock_guard lock(m_mutex);
        m_ending = true;
        wake();
    }
    m_changed.notify_all();
    if (m_thread.joinable()) m_thread.join();
}

void PeerLinks::send(LinkCounters& user, int peer, std::uint64_t slot, std::span<const std::byte> bytes) {
    std::lock_guard lock(m_mutex);
    Peer& to = m_peers[static_cast<std::size_t>(peer)];
    if (!to.lost.empty()) return reportLinkLoss(user, peer);
    Outgoing message{&user, bytes, {}};
    const std::uint64_t length = bytes.size();
    std::memcpy(message.header, &slot, sizeof slot);
    std::memcpy(message.header + sizeof slot, &length, sizeof length);
    to.outgoing.push_back(message);
    if (to.outgoing.size() == 1) write(peer);
    if (!to.outgoing.empty() && m_pumping) wake();
}

void PeerLinks::receive(LinkCounters& user, int peer, std::uint64_t slot, std::span<std::byte> bytes) {
    std::lock_guard lock(m_mutex);
    Peer& from = m_peers[static_cast<std::size_t>(peer)];
    const Incoming incoming{&user, slot, bytes};
    if (deliverEarlyMessage(peer, incoming)) return;
    if (!from.lost.empty()) return reportLinkLoss(user, peer);
    from.pendingReceives.push_back(incoming);
    if (m_pumping) wake();
}

void PeerLinks::waitForCount(LinkCounters& user, int& count, std::chrono::milliseconds timeout) {
    AwakeDeadline deadline(timeout);
    std::unique_lock lock(m_mutex);
    while (count == 0) {
        if (m_aborted) throw LinkError("communication was aborted");
        if (!user.lostWhy.empty()) throw LinkError(user.lostWhy, user.lostPeer, user.lostByMisuse);
        if (m_pumping || !sendAndReceiveAll()) {
            transferOrWait(lock, deadline.nextCheck());
            if (count == 0 && deadline.hasPassed()) throw LinkError("the timeout was reached");
        }
    }
    --count;
}

// Blocks until a message may have made progress, at most until the deadline. Polls the sockets, or waits for the
// background thread if that thread transfers the bytes.
void PeerLinks::transferOrWait(std::unique_lock<std::mutex>& lock, Clock::time_point deadline) {
    if (m_pumping && std::this_thread::get_id() != m_thread.get_id()) {
        m_changed.wait_until(lock, deadline);
        return;
    }
    // Sockets to poll, and peers whose message has arrived in part. Kept between calls, so that a wait allocates no
    // memory.
    thread_local std::vector<pollfd> polls;
    thread_local std::vector<std::size_t> partial;
    polls.assign(1, {m_wake.get(), POLLIN, 0});
    partial.clear();
    for (std::size_t rank = 0; rank < m_peers.size(); ++rank) {
        const Peer& peer = m_peers[rank];
        if (peer.isInMessage()) partial.push_back(rank);
        const int events = (peer.pendingReceives.empty() ? 0 : POLLIN) | (peer.outgoing.empty() ? 0 : POLLOUT);
        if (peer.socket && peer.lost.empty() && events != 0) {
            polls.push_back({peer.socket.get(), static_cast<short>(events), 0});
        }
    }
    const Clock::time_point begin = Clock::now();
    const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - begin);
    const auto wait = std::clamp(left, std::chrono::nanoseconds(0), std::chrono::nanoseconds(kCheckInterval));
    const timespec time{wait.count() / 1'000'000'000, wait.count() % 1'000'000'000};
    lock.unlock();
    ::ppoll(polls.data(), polls.size(), &time, nullptr);
    lock.lock();
    if (!partial.empty()) addWait(begin, partial);
    // Does not reset the event after an abort: the event stays readable, so that it wakes every waiting thread.
    std::uint64_t ignored = 0;
    const bool isMine = !m_pumping || std::this_thread::get_id() == m_thread.get_id();
    if (m_aborted || !isMine || polls.front().revents == 0) return;
    [[maybe_unused]] const ssize_t got = ::read(m_wake.get(), &ignored, sizeof ignored);
}

// Adds the time since `begin` to the waiting times of these peers, which statistics() returns. Time in which several
// threads wait for the same peer counts once.
void PeerLinks::addWait(Clock::time_point begin, const std::vector<std::size_t>& peers) {
    const Clock::time_point end = Clock::now();
    for (const std::size_t rank : peers) {
        Peer& peer = m_peers[rank];
        const auto waited = end - std::max(begin, peer.waitedUntil);
        peer.waitUs += std::max<std::int64_t>(std::chrono::duration_cast<std::chrono::microseconds>(waited).count(), 0);
        peer.waitedUntil = end;
    }
}

void PeerLinks::setBackgroundTransfer(bool on) {
    std::unique_lock lock(m_mutex);
    if (m_background == on) return;
    m_background = on;
    // Sets m_pumping before the background thread runs, so that from now on no other thread transfers bytes.
    m_pumping = m_pumping || (on && !m_aborted);
    if (on && !m_thread.joinable()) m_thread = std::thread([this] { runBackgroundThread(); });
    wake();
    m_changed.notify_all();
}

void PeerLinks::runBackgroundThread() {
    nameThread("links");
    std::unique_lock lock(m_mutex);
    while (!m_ending) {
        m_pumping = m_background && !m_aborted;
        if (!m_pumping) {
            m_changed.notify_all();  // waiting threads must now transfer the bytes of their messages themselves
            m_changed.wait(lock, [this] { return m_ending || (m_background && !m_aborted); });
            continue;
        }
        if (sendAndReceiveAll()) {
            m_changed.notify_all();
        } else {
            transferOrWait(lock, Clock::now() + kCheckInterval);
        }
    }
    m_pumping = false;
}

// Sends and receives all bytes that the sockets accept or provide without blocking. Returns true if any bytes were
// transferred.
bool PeerLinks::sendAndReceiveAll() {
    bool moved = false;
    for (int rank = 0; rank < static_cast<int>(m_peers.size()); ++rank) {
        moved = write(rank) || moved;
        moved = read(rank) || moved;
    }
    return moved;
}

bool PeerLinks::write(int rank) {
    Peer& peer = m_peers[static_cast<std::size_t>(rank)];
    bool moved = false;
    while (!peer.outgoing.empty()) {
        Outgoing& message = peer.outgoing.front();
        const std::size_t headerGone = std::min(message.gone, kHeaderBytes);
        const std::size_t bytesGone = message.gone - headerGone;
        const std::size_t bytesLeft = message.bytes.size() - bytesGone;
        std::array<iovec, 2> pieces{
            {{message.header + headerGone, kHeaderBytes - headerGone},
             {const_cast<std::byte*>(message.bytes.data()) + bytesGone, bytesLeft}}};  // the cast is safe, because
                                                                                       // sendmsg() only reads the bytes
        msghdr all{};
        all.msg_iov = pieces.data();
        all.msg_iovlen = bytesLeft > 0 ? 2 : 1;
        const ssize_t sent = ::sendmsg(peer.socket.get(), &all, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && isTemporary(errno)) return moved;
        if (sent < 0) {
            endLink(rank, errnoText(errno));
            return true;
        }
        moved = true;
        message.gone += static_cast<std::size_t>(sent);
        if (message.gone < kHeaderBytes + message.bytes.size()) continue;
        ++message.user->sent;
        message.user->sentTo = rank;
        peer.outgoing.pop_front();
    }
    return moved;
}

// Receives from one peer while receives are pending and bytes arrive. Returns true if any bytes were received.
bool PeerLinks::read(int rank) {
    Peer& peer = m_peers[static_cast<std::size_t>(rank)];
    bool moved = false;
    while (!peer.pendingReceives.empty()) {
        if (parseReceived(rank)) {
            moved = true;
        } else if (!peer.lost.empty() || !readMore(rank)) {
            break;
        } else {
            moved = true;
        }
    }
    return moved;
}

// Reads from the socket; large pieces go directly to their destination. Returns false if no bytes arrived.
bool PeerLinks::readMore(int rank) {
    Peer& peer = m_peers[static_cast<std::size_t>(rank)];
    std::span<std::byte> room = peer.inMessage ? remainingMemoryFor(peer) : std::span<std::byte>();
    const bool direct = room.size() >= kReadAhead / 2;
    if (!direct) {
        if (peer.at > 0)
            std::copy(peer.read.begin() + static_cast<std::ptrdiff_t>(peer.at),
                      peer.read.begin() + static_cast<std::ptrdiff_t>(peer.end), peer.read.begin());
        peer.end -= std::exchange(peer.at, 0);
        room = std::span(peer.read).subspan(peer.end);
    }
    const ssize_t got = ::recv(peer.socket.get(), room.data(), room.size(), MSG_DONTWAIT);
    if (got < 0 && isTemporary(errno)) return false;
    if (got <= 0) {
        endLink(rank, got == 0 ? "the peer closed the connection" : errnoText(errno));
        return true;
    }
    if (!direct) {
        peer.end += static_cast<std::size_t>(got);
        return true;
    }
    peer.have += static_cast<std::size_t>(got);
    if (peer.have == peer.length) endMessage(rank);
    return true;
}

// Parses the read-ahead buffer. Returns false if more bytes are needed.
bool PeerLinks::parseReceived(int rank) {
    Peer& peer = m_peers[static_cast<std::size_t>(rank)];
    if (!peer.inMessage) return peer.end - peer.at >= kHeaderBytes && beginMessage(rank);
    const std::span<std::byte> room = remainingMemoryFor(peer);
    const std::size_t count = std::min(room.size(), peer.end - peer.at);
    if (count == 0) return false;
    std::memcpy(room.data(), peer.read.data() + peer.at, count);
    peer.at += count;
    peer.have += count;
    if (peer.have == peer.length) endMessage(rank);
    return true;
}

PeerLinks::Incoming* PeerLinks::pendingReceiveOf(Peer& peer) {
    const auto found = std::ranges::find(peer.pendingReceives, peer.slot, &Incoming::slot);
    return found == peer.pendingReceives.end() ? nullptr : &*found;
}

bool PeerLinks::beginMessage(int rank) {
    Peer& peer = m_peers[static_cast<std::size_t>(rank)];
    std::uint64_t length = 0;
    std::memcpy(&peer.slot, peer.read.data() + peer.at, sizeof peer.slot);
    std::memcpy(&length, peer.read.data() + peer.at + sizeof peer.slot, sizeof length);
    peer.at += kHeaderBytes;
    peer.length = length;
    peer.have = 0;
    peer.inMessage = true;
    const Incoming* taker = pendingReceiveOf(peer);
    peer.isUnexpected = taker == nullptr;
    if (taker != nullptr && taker->bytes.size() != length) {
        endLinkForWrongSize(rank, length, taker->bytes.size());
        return true;
    }
    if (peer.isUnexpected && peer.early.size() >= kMaxEarly) {
        endLink(rank,
                "the peer sent more than " + std::to_string(kMaxEarly) +
                    " messages for which this rank has called no receive",
                true);
        return true;
    }
    if (peer.isUnexpected) peer.early.push_back({peer.slot, {}});
    if (length == 0) endMessage(rank);
    return true;
}

// Returns the memory for the next bytes of the current message. If no receive is pending for the message, the memory
// grows in steps as bytes arrive; the returned memory may then be smaller than the rest of the message.
std::span<std::byte> PeerLinks::remainingMemoryFor(Peer& peer) {
    if (!peer.isUnexpected) return pendingReceiveOf(peer)->bytes.subspan(peer.have);
    std::vector<std::byte>& bytes = peer.early.back().bytes;
    if (bytes.size() == peer.have) bytes.resize(std::min(peer.length, std::max(kGrowth, 2 * peer.have)));
    return std::span(bytes).subspan(peer.have);
}

void PeerLinks::endMessage(int rank) {
    Peer& peer = m_peers[static_cast<std::size_t>(rank)];
    peer.inMessage = false;
    if (peer.isUnexpected) return;
    const auto taker = std::ranges::find(peer.pendingReceives, peer.slot, &Incoming::slot);
    ++taker->user->received;
    taker->user->receivedFrom = rank;
    peer.pendingReceives.erase(taker);
}

// Matches a new receive with a message of its tag (`slot`) that arrived before it. Returns true if the whole message
// had arrived and the receive is complete. If only part of the message has arrived, copies that part and returns false.
// A wrong length ends the link.
bool PeerLinks::deliverEarlyMessage(int rank, const Incoming& incoming) {
    Peer& peer = m_peers[static_cast<std::size_t>(rank)];
    // An older receive of the same tag (`slot`) is still pending: the new receive queues behind it, to keep the order.
    if (std::ranges::find(peer.pendingReceives, incoming.slot, &Incoming::slot) != peer.pendingReceives.end())
        return false;
    const auto found = std::ranges::find(peer.early, incoming.slot, &Early::slot);
    if (found == peer.early.end()) return false;
    const bool isPart = peer.inMessage && peer.isUnexpected && found + 1 == peer.early.end();
    const std::size_t length = isPart ? peer.length : found->bytes.size();
    const std::size_t have = isPart ? peer.have : length;
    if (length != incoming.bytes.size()) {
        endLinkForWrongSize(rank, length, incoming.bytes.size());
        return false;
    }
    if (have > 0) std::memcpy(incoming.bytes.data(), found->bytes.data(), have);
    peer.early.erase(found);
    if (isPart) {
        peer.isUnexpected = false;
        return false;
    }
    ++incoming.user->received;
    incoming.user->receivedFrom = rank;
    return true;
}

void PeerLinks::reportLinkLoss(LinkCounters& user, int rank) const {
    if (!user.lostWhy.empty()) return;
    const Peer& peer = m_peers[static_cast<std::size_t>(rank)];
    user.lostPeer = rank;
    user.lostWhy = peer.lost;
    user.lostByMisuse = peer.misused;
}

void PeerLinks::endLinkForWrongSize(int rank, std::size_t sent, std::size_t expected) {
    endLink(rank,
            "the peer sent a message of " + std::to_string(sent) + " bytes instead of " + std::to_string(expected) +
                " bytes",
            true);
}

void PeerLinks::endLink(int rank, const std::string& why, bool isMisuse) {
    Peer& peer = m_peers[static_cast<std::size_t>(rank)];
    if (!peer.lost.empty()) return;
    peer.lost = why;
    peer.misused = isMisuse;
    for (const Outgoing& message : peer.outgoing) reportLinkLoss(*message.user, rank);
    for (const Incoming& message : peer.pendingReceives) reportLinkLoss(*message.user, rank);
    peer.outgoing.clear();
    peer.pendingReceives.clear();
    ::shutdown(peer.socket.get(), SHUT_RDWR);
}

void PeerLinks::cancelMessages(LinkCounters& user) {
    std::lock_guard lock(m_mutex);
    for (int rank = 0; rank < static_cast<int>(m_peers.size()); ++rank) {
        Peer& peer = m_peers[static_cast<std::size_t>(rank)];
        const auto half = [&](const Outgoing& message) { return message.user == &user && message.gone > 0; };
        const Incoming* taker = peer.inMessage && !peer.isUnexpected ? pendingReceiveOf(peer) : nullptr;
        if (std::ranges::any_of(peer.outgoing, half) || (taker != nullptr && taker->user == &user)) {
            endLink(rank, "a message was cancelled after a part of it had been transferred");
        }
        std::erase_if(peer.outgoing, [&](const Outgoing& message) { return message.user == &user; });
        std::erase_if(peer.pendingReceives, [&](const Incoming& message) { return message.user == &user; });
    }
}

void PeerLinks::wake() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(m_wake.get(), &one, sizeof one);
}

// Locks no mutex, because the sockets never change.
std::vector<LinkStatistics> PeerLinks::statistics() const {
    std::vector<LinkStatistics> all;
    for (std::size_t peer = 0; peer < m_peers.size(); ++peer) {
        const std::optional<TcpCount> count = readTcpCount(m_peers[peer].socket.get());
        if (!count) continue;
        all.push_back({.peer = static_cast<int>(peer),
                       .roundTripUs = count->roundTripUs,
                       .bytes = count->bytes,
                       .busyUs = count->busyUs,
                       .waitUs = m_peers[peer].waitUs});
    }
    return all;
}

void PeerLinks::abort() {
    {
        std::lock_guard lock(m_mutex);
        m_aborted = true;
        wake();
    }
    m_changed.notify_all();
}

void PeerLinks::close() {
    std::lock_guard lock(m_mutex);
    for (Peer& peer : m_peers) {
        if (peer.socket) ::shutdown(peer.socket.get(), SHUT_RDWR);
    }
}

}  // namespace ringside
