// SPDX-License-Identifier: Apache-2.0
#include "comm/tcp/peer_mesh.h"

#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/errors/errors.h"
#include "base/system/files.h"
#include "base/time/awake_deadline.h"
#include "comm/collective_text.h"

namespace ringside {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kRetryInterval{20};
constexpr milliseconds kHandshakeTimeout{5000};
constexpr int kAcceptedAtOnce = 64;

bool isForLater(int error) {
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR || error == EINPROGRESS;
}

void sendAtOnce(int socket) {
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

[[noreturn]] void failToListen(const PeerAddress& host, int error) {
    throw CommError("this rank cannot listen at " + host.text() + ", so other ranks cannot connect (" +
                    errnoText(error) + "): bring the network interface up, or choose parallel.backend=shm");
}

}  // namespace

PeerMesh::PeerMesh(Store& store, Options options)
    : m_store(store),
      m_options(std::move(options)),
      m_deadline(Clock::now() + m_options.timeout),
      m_sockets(m_options.ranksInRun.size()) {}

std::vector<UniqueFd> PeerMesh::connect() {
    if (size() == 1) return std::move(m_sockets);
    listen();
    readStore();
    for (int peer = 0; peer < m_options.rank; ++peer) connectTo(peer);
    while (!allConnected()) {
        if (Clock::now() >= m_deadline) failFor(firstMissing());
        pollOnce();
    }
    m_listener.reset();
    m_refusedConnections += std::ranges::count(m_attempts, false, &Attempt::isInitiator);
    m_attempts.clear();
    return std::move(m_sockets);
}

void PeerMesh::listen() {
    m_listener.reset(::socket(m_options.host.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!m_listener || ::bind(m_listener.get(), m_options.host.socketAddress(), m_options.host.size()) != 0 ||
        ::listen(m_listener.get(), SOMAXCONN) != 0) {
        failToListen(m_options.host, errno);
    }
}

// Publishes this rank's address before it waits for other ranks, because ranks that wait first would wait for each
// other forever. Rank 0 of the group creates the secret.
void PeerMesh::readStore() {
    m_store.set(m_options.prefix + "address/" + std::to_string(m_options.rank),
                PeerAddress::boundTo(m_listener.get()).encode());
    if (m_options.rank == 0) {
        m_secret = randomSecret();
        const auto* bytes = reinterpret_cast<const char*>(m_secret.data());
        m_store.set(m_options.prefix + "secret", {bytes, bytes + m_secret.size()});
        return;
    }
    const std::vector<char> secret = waitForKey("secret", 0);
    if (secret.size() != m_secret.size())
        throw CommError("the store contains no secret of this run; see the ranks' logs");
    std::memcpy(m_secret.data(), secret.data(), secret.size());
    for (int peer = 0; peer < m_options.rank; ++peer) {
        const auto address = PeerAddress::decode(waitForKey("address/" + std::to_string(peer), peer));
        if (!address)
            throw CommError("the address of rank " + std::to_string(peer) +
                            " in the store is invalid; see the log of that rank");
        m_addresses.push_back(*address);
    }
    m_nextConnect.resize(m_addresses.size(), Clock::time_point::max());
}

// Extends the deadline by the time in which this process was suspended or stopped since the last call (AwakeDeadline).
// `allowed` is the longest time that the wait since the last call should have taken.
void PeerMesh::extendDeadlinesAfterFreeze(milliseconds allowed) {
    const auto took = Clock::now() - m_lastFreezeCheck;
    if (took > allowed + AwakeDeadline::kLate) m_deadline += took;
    m_lastFreezeCheck += took;
}

std::vector<char> PeerMesh::waitForKey(const std::string& key, int from) {
    extendDeadlinesAfterFreeze(milliseconds(0));
    const auto left = std::max(std::chrono::ceil<milliseconds>(m_deadline - m_lastFreezeCheck), milliseconds(1));
    try {
        std::vector<char> value = m_store.get(m_options.prefix + key, left);
        extendDeadlinesAfterFreeze(left);
        return value;
    } catch (const CommError&) {
        if (Clock::now() < m_deadline) throw;
        failFor(from);
    }
}

void PeerMesh::connectTo(int peer) {
    const PeerAddress& address = m_addresses[static_cast<std::size_t>(peer)];
    UniqueFd socket(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket)
        throw CommError("a socket cannot be created (" + errnoText(errno) + "): raise the limit of open files");
    const bool connected = ::connect(socket.get(), address.socketAddress(), address.size()) == 0;
    if (!connected && !isForLater(errno)) {
        m_nextConnect[static_cast<std::size_t>(peer)] = Clock::now() + kRetryInterval;
        return;
    }
    sendAtOnce(socket.get());
    m_attempts.push_back(
        {std::move(socket), PeerHandshake::initiator(m_secret, m_options.rank, peer), true, !connected, Clock::now()});
}

void PeerMesh::reconnectLostPeers() {
    for (std::size_t peer = 0; peer < m_nextConnect.size(); ++peer) {
        if (Clock::now() < m_nextConnect[peer]) continue;
        m_nextConnect[peer] = Clock::time_point::max();
        connectTo(static_cast<int>(peer));
    }
}

void PeerMesh::accept() {
    for (int i = 0; i < kAcceptedAtOnce; ++i) {
        UniqueFd socket(::accept4(m_listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (!socket && (errno == EMFILE || errno == ENFILE) && dropOldestUnauthenticated()) continue;
        // Stops accepting for now: no connection is waiting to be accepted, or the connection was closed before it was
        // accepted.
        if (!socket) return;
        sendAtOnce(socket.get());
        const auto unauthenticated =
            static_cast<std::size_t>(std::ranges::count(m_attempts, false, &Attempt::isInitiator));
        if (unauthenticated >= kMaxUnauthenticated) dropOldestUnauthenticated();
        m_attempts.push_back(
            {std::move(socket), PeerHandshake::acceptor(m_secret, m_options.rank, size()), false, false, Clock::now()});
        handleProgress(m_attempts.back(), advanceAttempt(m_attempts.back()));
    }
}

// Closes the oldest unauthenticated connection. If the peer was a rank of this run, it connects again.
bool PeerMesh::dropOldestUnauthenticated() {
    const auto oldest = std::ranges::find(m_attempts, false, &Attempt::isInitiator);
    if (oldest == m_attempts.end()) return false;
    m_attempts.erase(oldest);
    ++m_refusedConnections;
    return true;
}

// Waits until one of the connections can read or write, for at most 20 ms, and advances all connections that can.
void PeerMesh::pollOnce() {
    extendDeadlinesAfterFreeze(milliseconds(0));
    reconnectLostPeers();
    std::vector<pollfd> polls{{m_listener.get(), POLLIN, 0}};
    for (const Attempt& attempt : m_attempts) {
        const bool writes = attempt.connecting || !attempt.unsent.empty();
        polls.push_back({attempt.socket.get(), static_cast<short>(writes ? POLLIN | POLLOUT : POLLIN), 0});
    }
    const auto left = std::chrono::ceil<milliseconds>(m_deadline - Clock::now());
    const auto pause = std::clamp(left, milliseconds(0), kRetryInterval);
    if (::poll(polls.data(), polls.size(), static_cast<int>(pause.count())) < 0 && errno != EINTR) {
        throw CommError("waiting for the other ranks failed (" + errnoText(errno) + ")");
    }
    extendDeadlinesAfterFreeze(pause);
    auto poll = polls.begin() + 1;
    for (Attempt& attempt : m_attempts) {
        if ((poll++)->revents != 0) {
            handleProgress(attempt, advanceAttempt(attempt));
        } else if (!attempt.isInitiator && Clock::now() - attempt.since > kHandshakeTimeout) {
            handleProgress(attempt, Progress::kUnauthenticated);
        }
    }
    std::erase_if(m_attempts, [](const Attempt& attempt) { return !attempt.socket; });
    if (polls.front().revents != 0) accept();
    std::erase_if(m_attempts, [](const Attempt& attempt) { return !attempt.socket; });
}

PeerMesh::Progress PeerMesh::checkConnection(Attempt& attempt) const {
    int error = 0;
    socklen_t length = sizeof error;
    ::getsockopt(attempt.socket.get(), SOL_SOCKET, SO_ERROR, &error, &length);
    if (error != 0) return Progress::kLost;
    sockaddr_storage peer{};
    length = sizeof peer;
    if (::getpeername(attempt.socket.get(), reinterpret_cast<sockaddr*>(&peer), &length) == 0) {
        attempt.connecting = false;
    }
    return Progress::kPending;
}

PeerMesh::Progress PeerMesh::advanceAttempt(Attempt& attempt) {
    if (attempt.connecting && checkConnection(attempt) == Progress::kLost) return Progress::kLost;
    if (attempt.connecting) return Progress::kPending;
    const Progress lost = attempt.isInitiator ? Progress::kLost : Progress::kUnauthenticated;
    std::array<char, 256> buffer;
    while (true) {
        attempt.unsent += attempt.handshake.takeOutput();
        while (!attempt.unsent.empty()) {
            const ssize_t sent =
                ::send(attempt.socket.get(), attempt.unsent.data(), attempt.unsent.size(), MSG_NOSIGNAL);
            if (sent < 0) return isForLater(errno) ? Progress::kPending : lost;
            attempt.unsent.erase(0, static_cast<std::size_t>(sent));
        }
        if (attempt.handshake.state() == PeerHandshake::State::kRefused) return lost;
        if (attempt.handshake.state() == PeerHandshake::State::kDone) return Progress::kDone;
        const std::size_t room = std::min(buffer.size(), attempt.handshake.bytesExpected());
        const ssize_t got = ::recv(attempt.socket.get(), buffer.data(), room, 0);
        if (got < 0) return isForLater(errno) ? Progress::kPending : lost;
        if (got == 0) return lost;
        attempt.handshake.receive({buffer.data(), static_cast<std::size_t>(got)});
    }
}

void PeerMesh::handleProgress(Attempt& attempt, Progress progress) {
    if (progress == Progress::kPending) return;
    if (progress == Progress::kUnauthenticated) ++m_refusedConnections;
    const auto peer = static_cast<std::size_t>(std::max(attempt.handshake.peer(), 0));
    if (progress == Progress::kLost) m_nextConnect[peer] = Clock::now() + kRetryInterval;
    // Replaces an earlier socket of the same peer: a peer that connects again has lost its previous connection.
    if (progress == Progress::kDone) m_sockets[peer] = std::move(attempt.socket);
    attempt.socket.reset();
}

bool PeerMesh::allConnected() const {
    return firstMissing() < 0;
}

int PeerMesh::firstMissing() const {
    for (int peer = 0; peer < size(); ++peer) {
        if (peer != m_options.rank && !m_sockets[static_cast<std::size_t>(peer)]) return peer;
    }
    return -1;
}

void PeerMesh::failFor(int peer) const {
    const int rank = m_options.ranksInRun[static_cast<std::size_t>(peer)];
    std::string text = "rank " + std::to_string(rank) + " did not connect within " +
                       describeDuration(m_options.timeout) + ": it has not started, has died or cannot be reached";
    if (m_refusedConnections > 0)
        text += " (" + std::to_string(m_refusedConnections) + " unauthenticated connections were refused)";
    throw CommError(text + "; see the log of that rank", rank);
}

}  // namespace ringside
